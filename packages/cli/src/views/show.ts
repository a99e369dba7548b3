import { charsetOf, type Representation } from '@retriever/fetchers'
import { octetsFrom } from '../saving/continuation.ts'
import { notShown } from '../saving/destination.ts'
import type { Output } from '../terminal/output.ts'
import { TerminalText } from '../terminal/terminal-text.ts'
import { printListing } from './listing.ts'
import { isAttributes, isGroup, isMenu, isMessage } from './media.ts'

/**
 * Shows a representation to a person: menus, newsgroups and messages as pages, other listings as tables, text with its
 * control characters made visible. Binary data is refused. The code for pages (55 KB) is loaded when it is needed.
 */
export async function show(representation: Representation, start: number, output: Output): Promise<void> {
  if (start > 0) return showText(representation, start, output)
  if (isMenu(representation)) {
    const { printMenu } = await import('./menu.ts')
    return printMenu(representation, output)
  }
  if (isGroup(representation)) {
    const { printGroup } = await import('./group.ts')
    return printGroup(representation, output)
  }
  if (representation.kind === 'listing' && !isAttributes(representation)) {
    return printListing(representation, output, false)
  }
  if (isMessage(representation)) {
    const { articlePage } = await import('./article.ts')
    return output.write(await articlePage(representation))
  }
  return showText(representation, start, output)
}

/** Shows the octets from `start` on as text. */
async function showText(representation: Representation, start: number, output: Output): Promise<void> {
  let text: TerminalText | undefined
  for await (const chunk of withBeginning(octetsFrom(representation, start), saysCharsetWithin(representation))) {
    const charset = text ? null : charsetOf(chunk, representation)
    // In UTF-16, every other octet may be 0.
    if (!text && chunk.includes(0) && !charset?.startsWith('utf-16')) throw notShown(representation.mediaType)
    text ??= new TerminalText(charset)
    await output.write(text.show(chunk))
  }
  if (text) await output.write(text.end())
}

/**
 * The number of octets that may be needed to find the charset that a text states: in a byte order mark, or a tag of
 * HTML or XML.
 */
function saysCharsetWithin({ mediaType }: Representation): number {
  return /html$|xml$/.test(mediaType ?? '') ? 1024 : 3
}

/** The same octets, with at least `length` of them in the first chunk, if there are that many. */
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
