import { type AccessPlans, encodeOctets, octetsToText, RetrievalError, resolve } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Entry, Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { textResult } from '../../programs/text-result.ts'
import { ghelp } from './about.ts'
import { foldersOf, helpName, pagesIn, pathsOf } from './documents.ts'
import { type HelpPage, readPage } from './page.ts'
import { readText } from './read-file.ts'

/**
 * Makes a fetcher for the help of GNOME's applications (uri(7)), which lies in the folders of data. It reads pages of
 * Mallard and DocBook as text, without a program, and gives pages of HTML unchanged.
 */
export function ghelpFetcher(): Fetcher<'ghelp'> {
  return { ...ghelp, retrieve: retrieveHelp }
}

async function retrieveHelp(plan: AccessPlans['ghelp'], context: RetrievalContext): Promise<Retrieved<'ghelp'>> {
  const document = octetsToText(plan.document)
  const name = plan.page === null ? null : octetsToText(plan.page).replace(/#.*$/s, '')
  const page = name === null || name === '' || name === 'index' ? null : name
  if (helpName.test(document) && (page === null || helpName.test(page))) {
    for (const folder of foldersOf(document, context)) {
      for (const path of pathsOf(folder, document, page)) {
        const text = await readText(path, context)
        if (text !== null) return result({ text, path, folder, document, page: page ?? 'index' }, context)
      }
    }
  }
  const what = page === null ? '' : `, or no page "${page}" in it`
  const message = `This machine has no help document "${document}"${what}. toc: lists those that it has.`
  throw context.error('not-found', message)
}

interface Found {
  readonly text: string
  readonly path: string
  readonly folder: string
  readonly document: string
  readonly page: string
}

async function result(found: Found, context: RetrievalContext): Promise<Retrieved<'ghelp'>> {
  if (found.path.endsWith('.html')) {
    return { ...textResult<'ghelp'>(found.text, context, { kind: 'object', metadata: {} }), mediaType: 'text/html' }
  }
  const page = readPage(found.text)
  const listed = page.isGuide ? await pagesOfGuide(found, context) : []
  const list = listed.map(({ name }) => `* ${name}\n`).join('')
  const text = `${page.text}${list === '' ? '' : `\n${list}`}`
  const links = page.links.flatMap(({ label, target }) => linkEntry(label, target, found.document) ?? [])
  async function* entries(body: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void, void> {
    for await (const _ of body);
    yield* [...listed, ...links]
  }
  return textResult(text, context, { kind: 'object', metadata: {}, entries })
}

/** How many pages of one document are looked at. */
const maxPages = 5000

/** Returns the pages that a guide lists, since each page names its guides. */
async function pagesOfGuide({ folder, document, page }: Found, context: RetrievalContext): Promise<Entry[]> {
  const entries: Entry[] = []
  for (const name of (await pagesIn(folder)).slice(0, maxPages)) {
    const text = name === page ? null : await readText(`${folder}/${name}.page`, context)
    const other: HelpPage | null = text === null ? null : readPage(text)
    if (!other?.guides.some((guide) => guide.replace(/#.*$/s, '') === page)) continue
    entries.push({ name: other.title || name, kind: 'file', url: `help:${document}/${name}` })
  }
  return entries
}

/**
 * Makes the entry of a page's link: `a11y#vision`, `help:orca`, `https://www.gnome.org/`. Returns null if it is no
 * known URL.
 */
function linkEntry(name: string, target: string, document: string): Entry | null {
  const isUrl = /^[a-z][a-z\d+.-]*:/i.test(target)
  const [page = '', section] = target.split('#')
  const place = section === undefined ? '' : `#${encodeOctets(utf8Octets(section))}`
  if (!isUrl && !helpName.test(page)) return null
  try {
    return { name, kind: 'link', url: resolve(isUrl ? target : `help:${document}/${page}${place}`).url }
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}
