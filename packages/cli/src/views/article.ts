import { printable } from '@retriever/core'
import type { Message, MessagePart } from '@retriever/fetchers/mime'
import { formatSize, type Output } from '../terminal/output.ts'
import { copyable } from '../terminal/page.ts'
import { showText } from '../terminal/terminal-text.ts'
import { hanging, widthOf, wrap } from '../terminal/wrap.ts'
import { titled } from './references.ts'

/** A message as a page for people, safe for a terminal: a short head, the text, and a list of the other parts. */
export function articlePage(message: Message, url: string, output: Output): string {
  const head = headLines(message).map(([name, value]) => `${titled(`${name}: `, printable(value), output)}\n`)
  const text = showText(message.text)
  const lines = text.replace(/\n$/, '').split('\n')
  const body = text === '' ? '' : lines.map((line) => `${wrappedQuote(line, output.columns)}\n`).join('')
  return `${head.join('')}\n${body}${partList(message, url, output)}`
}

/** Wraps a line that is too long for the screen. The marks of a quotation stand before each part. */
function wrappedQuote(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line
  const [marks = ''] = /^(?:> ?)+/.exec(line) ?? []
  return wrap(line.slice(marks.length), columns - marks.length)
    .map((part) => `${marks}${part}`)
    .join('\n')
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
function partList(message: Message, url: string, output: Output): string {
  const others = [...message.allParts()].filter(([, part]) => !message.body.includes(part))
  const [first] = others
  if (first === undefined) return ''
  const width = Math.max(...others.map(([, { mediaType }]) => printable(mediaType).length))
  const lines = others.map(([number, part]) => `${partLine(number, part, width, output)}\n`)
  const hint = hanging('', `To get one: retrieve --part ${first[0]} -O ${copyable(url)}`, output.columns)
  return `\n${output.paint('strong', 'PARTS')}\n${lines.join('')}\n${hint}\n`
}

function partLine(
  number: string,
  { mediaType, size, name, damage }: MessagePart,
  width: number,
  output: Output,
): string {
  const columns = [number.padStart(5), printable(mediaType).padEnd(width), formatSize(size).padStart(8)]
  const note = damage === null ? '' : ` (damaged: ${damage})`
  return titled(`${columns.join('  ')}  `, `${printable(name ?? '')}${note}`, output)
}
