import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { dataFolders } from '../../programs/data-folders.ts'
import { localesWanted } from '../../programs/locales.ts'

/** Matches the name of a document and of a page: one folder and one file, without a path. */
export const helpName: RegExp = /^[A-Za-z0-9_][A-Za-z0-9_.+@-]{0,199}$/

/** Returns the folders in which a document may be, best first: by language, then by place. */
export function foldersOf(document: string, { request }: RetrievalContext): readonly string[] {
  return localesWanted(request.acceptLanguage, process.env).flatMap((locale) =>
    dataFolders(process.env).flatMap((folder) => [
      join(folder, 'help', locale, document),
      join(folder, 'gnome', 'help', document, locale),
    ]),
  )
}

/** Returns the paths that may hold a page: Mallard, HTML, DocBook. Null: the first page. */
export function pathsOf(folder: string, document: string, page: string | null): readonly string[] {
  const names =
    page === null
      ? ['index.page', 'index.docbook', `${document}.xml`, 'index.html']
      : [`${page}.page`, `${page}.html`, `${page}.docbook`]
  return names.map((name) => join(folder, name))
}

/** Returns the names of a Mallard document's pages. */
export async function pagesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => (name.endsWith('.page') && helpName.test(name) ? [name.slice(0, -5)] : [])).sort()
}
