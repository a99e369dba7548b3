import type { Representation } from '@retriever/fetchers'
import { charsetOf } from '@retriever/fetchers/internal'
import type { Run } from '../run.ts'
import { octetsFrom } from '../saving/continuation.ts'
import { notShown } from '../saving/destination.ts'
import type { Output } from '../terminal/output.ts'
import { TerminalText } from '../terminal/terminal-text.ts'
import type { NumberedUrls } from './last-page.ts'
import { isAttributes, isGemtext, isGroup, isHtml, isMenu, isMessage } from './media.ts'

/**
 * Shows a representation to a person: menus, newsgroups, messages and other listings as pages; text with its control
 * characters made visible. Binary data is refused. The code for pages is loaded when it is needed.
 */
export async function show(representation: Representation, start: number, run: Run): Promise<void> {
  if (start > 0 || !isPage(representation)) return showText(representation, start, run.output)
  return showPage(representation, run)
}

/**
 * Whether the representation is shown as a page: a menu, a newsgroup, a message, a document of Gemini or another
 * listing.
 */
export function isPage(representation: Representation): boolean {
  if (isMessage(representation) || isGemtext(representation)) return true
  return representation.kind === 'listing' && !isAttributes(representation)
}

/** Whether --page and --text write it as plain text: HTML, a message, or a text whose URL names a part. */
export function isText(representation: Representation, { page, text }: Run['config']): boolean {
  if (!page && !text) return false
  if (isHtml(representation)) return true
  const hasFragment = representation.url.includes('#')
  if (isMessage(representation)) return text || hasFragment
  return hasFragment && representation.kind === 'object' && representation.mediaType === 'text/plain'
}

/** Shows a page, and keeps the URLs of its entries for `retrieve open`. */
export async function showPage(representation: Representation, run: Run): Promise<void> {
  const { config, output } = run
  if (isMessage(representation)) {
    const [{ articlePage }, { readMessage }] = await Promise.all([
      import('./article.ts'),
      import('@retriever/fetchers/mime'),
    ])
    return output.write(articlePage(await readMessage(representation), representation.url, output))
  }
  const urls = await printEntries(representation, output)
  const { keepPage } = await import('./last-page.ts')
  keepPage(config.stateFolder, 'get', representation.url, urls)
}

async function printEntries(listing: Representation, output: Output): Promise<NumberedUrls> {
  if (isGemtext(listing)) return (await import('./gemtext.ts')).printGemtext(listing, output)
  if (isMenu(listing)) return (await import('./menu.ts')).printMenu(listing, output)
  if (isGroup(listing)) return (await import('./group.ts')).printGroup(listing, output)
  return (await import('./listing.ts')).printListing(listing, output, true)
}

/** Shows the octets from `start` on as text. */
async function showText(representation: Representation, start: number, output: Output): Promise<void> {
  let text: TerminalText | undefined
  for await (const chunk of withBeginning(octetsFrom(representation, start), saysCharsetWithin(representation))) {
    const charset = text ? null : charsetOf(chunk, representation)
    // In UTF-16, every second octet may be 0, so a 0 does not mean binary data.
    if (!text && chunk.includes(0) && !charset?.startsWith('utf-16')) throw notShown(representation.mediaType)
    text ??= new TerminalText(charset)
    await output.write(text.show(chunk))
  }
  if (text) await output.write(text.end())
}

/**
 * How many octets may be needed to find the charset that a text states in a byte order mark, or in a tag of HTML or
 * XML.
 */
function saysCharsetWithin({ mediaType }: Representation): number {
  return /html$|xml$/.test(mediaType ?? '') ? 1024 : 3
}

/** The same octets, but the first chunk has at least `length` of them, if there are so many. */
async function* withBeginning(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let beginning: Uint8Array | undefined = new Uint8Array(0)
  for await (const chunk of chunks) {
    if (beginning === undefined) yield chunk
    else {
      beginning = beginning.length === 0 ? chunk : Buffer.concat([beginning, chunk])
      if (beginning.length < length) continue
      yield beginning
      beginning = undefined
    }
  }
  if (beginning !== undefined && beginning.length > 0) yield beginning
}
