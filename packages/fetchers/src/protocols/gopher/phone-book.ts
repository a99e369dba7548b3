import { octetsToText, printable } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import type { LineReader } from '../../wire/framing/lines.ts'

/**
 * One line of a CCSO Nameserver's answer (RFC 2378 2.2): `-200:1:   name: Ann`, `102:There were 2 matches.`, `200:Ok.`
 */
interface PhLine {
  readonly code: number
  /** Whether the line ends the answer: its code is 200 or above, without a minus. */
  readonly isLast: boolean
  /** The number of the person that the line is about. Null if it is about nobody. */
  readonly entry: string | null
  readonly text: string
}

/** Reads the answer: the lines without their codes, and an empty line between two people. */
export async function readPhoneBook(source: LineReader, context: RetrievalContext): Promise<Retrieved<'gopher'>> {
  const { maxReply } = context.limits
  const beginning: PhLine[] = []
  let line = await readLine(source, context, 'request')
  for (let length = 0; !line.isLast && line.entry === null && length <= maxReply; length += line.text.length + 1) {
    beginning.push(line)
    line = await readLine(source, context, 'request')
  }
  if (line.isLast) throwRefusal(line, context)
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: 'text/plain',
    charset: null,
    size: null,
    modified: null,
    completeness: 'terminated',
    metadata: {},
    body: sourceOf(textOf([...beginning, line], source, context)),
  }
}

/** Yields the lines without the last one, which only ends the answer. */
async function* textOf(
  beginning: readonly PhLine[],
  source: LineReader,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  let last: PhLine | undefined
  const shown = (line: PhLine): Uint8Array => {
    const isNext = last !== undefined && line.entry !== null && line.entry !== last.entry
    last = line
    return Buffer.from(`${isNext ? '\r\n' : ''}${line.text}\r\n`, 'latin1')
  }
  for (const line of beginning) if (!line.isLast) yield shown(line)
  let line = beginning.at(-1)
  while (line?.isLast !== true) {
    line = await readLine(source, context, 'body')
    if (!line.isLast) yield shown(line)
  }
  throwRefusal(line, context)
}

async function readLine(source: LineReader, context: RetrievalContext, phase: 'request' | 'body'): Promise<PhLine> {
  const octets = await source.line(phase)
  if (octets === null) {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    throw context.error(code, 'The connection ended before the phone book had answered; try again.', { phase })
  }
  const [, minus, digits = '', entry, text = ''] = /^(-?)([1-6]\d\d):(?:(\d{1,9}):)?(.*)$/.exec(octets) ?? []
  if (minus === undefined) {
    const shown = printable(octetsToText(octets)).slice(0, 60)
    throw context.error('protocol-violation', `The server is no phone book (RFC 2378); it says: ${shown}`, { phase })
  }
  const code = Number(digits)
  // "A command is finished when and only when the result code is greater than or equal to 200" (2.2).
  return { code, isLast: minus === '' && code >= 200, entry: entry ?? null, text: text.trimEnd() }
}

function throwRefusal({ code, text }: PhLine, { error }: RetrievalContext): void {
  if (code < 300) return
  const reply = printable(octetsToText(`${code}:${text}`)).slice(0, 300)
  if (code === 501) throw error('not-found', `The phone book has no such entry: ${reply}`, { reply })
  // Codes from 400 to 499 are temporary failures (RFC 2378 2.2).
  throw error('server-refused', `The phone book refused: ${reply}`, { reply, transient: code >= 400 && code < 500 })
}
