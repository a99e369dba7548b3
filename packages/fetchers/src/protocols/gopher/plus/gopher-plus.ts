import { octetsToText, printable, redact } from '@retriever/core'
import type { GopherPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { dotBody } from '../../../wire/framing/dot.ts'
import type { LineReader } from '../../../wire/framing/lines.ts'
import { itemUrl } from '../item-url.ts'
import { parseMenuLine } from '../menu.ts'

/** The first line of an answer (Gopher+ 2.3): `+5340`, `+-1`, `+-2`, `--1`. */
export interface Status {
  readonly success: boolean
  /** How many octets follow. -1: they end with a line that is a dot; -2: with the connection. */
  readonly length: number
}

const status = /^([+-])(-[12]|\d{1,15})[ \t]*\r?\n/
const unfinished = /^[+-](?:-[12]?|\d{0,15})[ \t]{0,8}\r?$/

/**
 * Reads the status line. Returns undefined if the answer does not begin with one: the server has no Gopher+, and the
 * octets are read again as the item.
 */
export async function readStatus(source: LineReader, context: RetrievalContext): Promise<Status | undefined> {
  let head = ''
  while (head === '' || unfinished.test(head)) {
    const chunk = await source.read('request')
    if (chunk === null) break
    head += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
  }
  const [line = '', sign, length] = status.exec(head) ?? []
  source.unread(Buffer.from(head.slice(line.length), 'latin1'))
  if (line === '') return undefined
  context.emit({ type: 'received', url: context.url, octets: line })
  return { success: sign === '+', length: Number(length) }
}

/** Gives the data after a status line, framed as it says. Octets beyond that are ignored. */
export function gopherPlusBody(
  { length }: Status,
  source: LineReader,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  // Servers send local text unchanged, so LF ends a line here.
  return length === -1 ? dotBody(source, context, { lineEnd: 'any' }) : octets(length, source, context)
}

async function* octets(
  length: number,
  source: LineReader,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  const counted = length >= 0
  let left = counted ? length : Number.POSITIVE_INFINITY
  while (left > 0) {
    const chunk = await source.read('body')
    if (chunk === null && !counted) return
    if (chunk === null) {
      const message = `The connection ended ${left} octets before the ${length} that the server had promised. Try again.`
      throw context.error('partial', message, { phase: 'body' })
    }
    const piece = chunk.length > left ? chunk.subarray(0, left) : chunk
    left -= piece.length
    yield piece
  }
}

/**
 * Throws the server's error. Its first line has a code and the administrator; words for the person follow (Gopher+
 * 2.3): `1 Ann Admin <ann@example.net> CRLF '/nope' does not exist`. The codes are 1: no such item, 2: try later, 3:
 * moved, with the new place.
 */
export async function throwGopherPlusError(
  failure: Status,
  plan: GopherPlan,
  source: LineReader,
  context: RetrievalContext,
): Promise<never> {
  const octets = await shortText(failure, source, context)
  const [first = '', ...rest] = octetsToText(octets).split(/\r?\n/)
  const [, code = ''] = /^\s*(\d+)/.exec(first) ?? []
  const reply = printable([first.trim(), ...rest].join(' ').trim())
  const words = printable(rest.join(' ').trim()) || reply || 'it does not say why'
  const what = code === '3' ? moved(octets, plan) : whatHappened(code)
  throw context.error(code === '1' ? 'not-found' : 'server-refused', `${what}: ${words}`, {
    phase: 'request',
    ...(reply !== '' && { reply }),
  })
}

/**
 * Names the new place of an item: "Following the error-code is the gopher descriptor of where it now lives" (Gopher+
 * 2.3), on the same line, perhaps after the administrator, or on the next. The place is only named, not retrieved: a
 * text may be a menu there, and a form would go to another server.
 */
function moved(text: string, plan: GopherPlan): string {
  const descriptors = text.split(/\r?\n/).map((line) => line.replace(/^\s*3\s+(?:[^<\t]*<[^>\t]*>\s*)?/, ''))
  const urls = descriptors.flatMap((line) => {
    const item = parseMenuLine(line)
    return item === undefined ? [] : (itemUrl(item, plan) ?? [])
  })
  const [url] = urls
  if (url === undefined) return 'The item has moved; ask the place that the server names'
  return `The item has moved; retrieve ${printable(redact(url))}`
}

function whatHappened(code: string): string {
  if (code === '1') return 'The server has no such item'
  if (code === '2') return 'The server is busy, try again later'
  return 'The server refused'
}

/**
 * Reads the words of an error ("short!"), up to 2048 octets. If the connection breaks off, it returns the words so far.
 */
async function shortText(failure: Status, source: LineReader, context: RetrievalContext): Promise<string> {
  let text = ''
  try {
    for await (const chunk of gopherPlusBody(failure, source, context)) {
      text += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
      if (text.length > 2048) break
    }
  } catch (error) {
    if (context.deadline.reason !== null) throw error
  }
  return text.slice(0, 2048)
}
