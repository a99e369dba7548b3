import { printable } from '@retriever/core'
import type { Representation } from '@retriever/fetchers'
import { type Message, type MessagePart, readMessage } from '@retriever/fetchers/mime'
import { formatSize } from '../terminal/output.ts'
import { showText } from '../terminal/terminal-text.ts'

/** A message as a page for people, safe for a terminal: a short head, the text, and a list of the other parts. */
export async function articlePage(representation: Representation): Promise<string> {
  const message = await readMessage(representation)
  const head = headLines(message).map(([name, value]) => `${name}: ${printable(value)}\n`)
  const text = showText(message.text)
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${head.join('')}\n${body}${partList(message, representation.url)}`
}

function headLines(message: Message): [string, string][] {
  const { references } = message
  const lines: [string, string | null][] = [
    ...['From', 'Subject', 'Date', 'Newsgroups', 'To', 'Message-ID'].map((name): [string, string | null] => [
      name,
      fieldOf(message, name),
    ]),
    ['References', references.length === 0 ? null : shortened(references.map((id) => `<${id}>`))],
  ]
  return lines.filter((line): line is [string, string] => line[1] !== null)
}

function fieldOf({ headers }: Message, wanted: string): string | null {
  return headers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())?.value ?? null
}

/** The first reference, which began the thread, and the last, which this message answers. */
function shortened(ids: readonly string[]): string {
  return ids.length <= 2 ? ids.join(' ') : `${ids[0]} (${ids.length - 2} more) ${ids.at(-1)}`
}

/** The parts other than the text, as a list; "" if there are none. */
function partList(message: Message, url: string): string {
  const others = [...message.allParts()].filter(([, part]) => !message.body.includes(part))
  const [first] = others
  if (first === undefined) return ''
  const width = Math.max(...others.map(([, { mediaType }]) => printable(mediaType).length))
  const lines = others.map(([number, part]) => `${partLine(number, part, width)}\n`)
  return `\nPARTS\n${lines.join('')}\nTo get one: retrieve --part ${first[0]} -O ${printable(url)}\n`
}

function partLine(number: string, { mediaType, size, name, damage }: MessagePart, width: number): string {
  const columns = [number.padStart(5), printable(mediaType).padEnd(width), formatSize(size).padStart(8)]
  const note = damage === null ? '' : ` (damaged: ${damage})`
  return `${columns.join('  ')}  ${printable(name ?? '')}${note}`.trimEnd()
}
