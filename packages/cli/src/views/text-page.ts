import type { Representation } from '@retriever/fetchers'
import { htmlSection, htmlText, type Message, readMessage } from '@retriever/fetchers/mime'
import type { Run } from '../run.ts'
import { notShown } from '../saving/destination.ts'
import { showText } from '../terminal/terminal-text.ts'
import { hanging, widthOf } from '../terminal/wrap.ts'
import { articlePage } from './article.ts'
import { decodedFragment, fragmentOf } from './fragment.ts'
import { isHtml, isMessage } from './media.ts'
import { manualSection, textSection } from './text-section.ts'

/**
 * Writes HTML, a text or a message for people: all of it, or the part that the fragment of its URL names. If there is
 * no such part, it says so and writes all.
 */
export async function printText(representation: Representation, run: Run): Promise<void> {
  const { output, config } = run
  const fragment = partNamed(representation)
  const isPage = config.page && !config.text
  if (isMessage(representation)) {
    const message = await readMessage(representation)
    const part = fragment === null ? null : partOf(message, fragment)
    if (fragment !== null && part === null) tellMissing(fragment, representation, run)
    const whole = isPage ? articlePage(message, representation.url, output) : showText(message.text)
    return output.write(part === null ? whole : showText(part))
  }
  const text = await representation.text()
  const section = fragment === null ? null : sectionOf(text, fragment, representation)
  if (fragment !== null && section === null) tellMissing(fragment, representation, run)
  const shown = showText(section ?? (isHtml(representation) ? htmlText(text) : text))
  if (!isPage || !isHtml(representation)) return output.write(shown)
  const lines = shown.replace(/\n$/, '').split('\n')
  return output.write(lines.map((line) => `${wrapped(line, output.columns)}\n`).join(''))
}

/** The fragment, if it names a part of the text; else null. */
function partNamed({ url, mechanism }: Representation): string | null {
  // In these schemes a fragment is a node or a page.
  return mechanism === 'info' || mechanism === 'ghelp' ? null : fragmentOf(url)
}

function sectionOf(text: string, fragment: string, representation: Representation): string | null {
  if (isHtml(representation)) return htmlSection(text, fragment)
  return (
    textSection(text, fragment) ??
    (representation.mechanism === 'man' ? manualSection(text, decodedFragment(fragment)) : null)
  )
}

/** The text of a part by its number, name or Content-ID. */
function partOf(message: Message, fragment: string): string | null {
  const which = decodedFragment(fragment)
  const part = message.part(which) ?? message.part(`cid:${fragment}`)
  if (part === null) return null
  part.throwIfDamaged()
  if (part.message !== null) return part.message.text
  if (part.octets.includes(0) && !part.charset?.startsWith('utf-16')) throw notShown(part.mediaType)
  return part.mediaType === 'text/html' ? htmlText(part.text()) : part.text()
}

function tellMissing(fragment: string, { url }: Representation, { report }: Run): void {
  report.warning({
    operand: url,
    message: `The page has no part named ${JSON.stringify(fragment)}; all of it follows.`,
  })
}

/** Wraps a line that is too long for the screen. Further lines of a list item are indented behind its mark. */
function wrapped(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line
  const [head = ''] = /^(?:\* )?/.exec(line) ?? []
  return hanging(head, line.slice(head.length), columns)
}
