import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Entry, Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { dataFolders } from '../../programs/data-folders.ts'
import { localesWanted } from '../../programs/locales.ts'
import { textResult } from '../../programs/text-result.ts'
import { toc } from './about.ts'

/**
 * Makes a fetcher for the table of contents of GNOME's help browser (uri(7)). It lists the documents of this machine, a
 * URL a line.
 */
export function tocFetcher(): Fetcher<'toc'> {
  return { ...toc, retrieve: async (_, context) => retrieveContents(context) }
}

async function retrieveContents(context: RetrievalContext): Promise<Retrieved<'toc'>> {
  const names = await context.deadline.within('request', () => documents(context))
  if (names.length === 0) throw context.error('not-found', 'This machine has no help documents of GNOME.')
  const list = names.map((name) => `help:${name}\n`).join('')
  return textResult(list, context, { kind: 'listing', metadata: {}, entries })
}

async function documents({ request }: RetrievalContext): Promise<readonly string[]> {
  const folders = dataFolders(process.env)
  const locales = localesWanted(request.acceptLanguage, process.env)
  const places = folders.flatMap((folder) => [
    ...locales.map((locale) => join(folder, 'help', locale)),
    join(folder, 'gnome', 'help'),
  ])
  const found = await Promise.all(places.map((place) => readdir(place).catch(() => [])))
  return [...new Set(found.flat())].filter((name) => /^[A-Za-z0-9_][A-Za-z0-9_.+@-]{0,199}$/.test(name)).sort()
}

async function* entries(body: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void, void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(new Uint8Array(chunk))
  for (const url of Buffer.concat(chunks).toString('utf8').split('\n')) {
    if (url !== '') yield { name: url.replace('help:', ''), kind: 'file', url }
  }
}
