import { octetsToText, printable } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import type { LineReader } from '../wire/lines.ts'

/** `3'/nope' does not exist TAB TAB error.host TAB 1`: an item of type 3, with the four fields that make it a menu line. */
const errorItem = /^3([^\t\r\n]*)\t[^\t\r\n]*\t[^\t\r\n]*\t\d+[^\r\n]*\r?\n?(?:\.?\r?\n?)?$/

/** What may still become one: a first line that begins with 3, then at most a line with a dot. */
const unfinished = /^3[^\r\n]*(?:\r|\r?\n(?:\.?\r?\n?)?)?$/

/**
 * RFC 1436 has no status. Servers answer a request for what they do not have by a menu of one error item, whatever type was
 * asked for; that is all of the answer, and only then it is an error. Reads no further than needed to know, and gives all back.
 */
export async function throwErrorItem(source: LineReader, context: RetrievalContext): Promise<void> {
  const { maxLine } = context.limits
  let answer: Uint8Array = new Uint8Array(0)
  let ended = false
  while (!ended && (answer.length === 0 || mayBecomeError(answer, maxLine))) {
    const chunk = await source.read('body')
    ended = chunk === null
    if (chunk !== null) answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk])
  }
  const [, words] = (ended && errorItem.exec(latin1(answer))) || []
  if (words === undefined) return source.unread(answer)
  const reply = printable(octetsToText(words))
  throw context.error('not-found', `The server has no such item: ${reply.slice(0, 300)}`, { phase: 'request', reply })
}

function mayBecomeError(answer: Uint8Array, maxLine: number): boolean {
  return answer[0] === 0x33 && answer.length <= maxLine && unfinished.test(latin1(answer))
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
}
