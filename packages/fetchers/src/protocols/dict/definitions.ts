import { octetsToText, RetrievalError } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { dotBody } from '../../wire/framing/dot.ts'
import type { LineReader } from '../../wire/framing/lines.ts'
import { type Reply, readReply, refusal } from '../../wire/framing/reply.ts'
import { words } from './words.ts'

/** How many definitions the server announces (undefined: it does not say), and which one is wanted (null: all). */
interface Wanted {
  readonly announced: number | undefined
  readonly number: number | null
}

/**
 * Yields the definitions as text, each after a line with its database: `From WordNet (r) 3.0 [wn]:`. With a number,
 * yields only that definition, without the line.
 */
export async function* definitions(
  wanted: Wanted,
  lines: LineReader,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  const { number } = wanted
  let count = 0
  while (true) {
    const reply = await readBodyReply(lines, context)
    if (reply.code === 250) return checkFound(wanted, count, context)
    if (reply.code !== 151) throw refusal(context, 'server-refused', 'The server refused', reply)
    count++
    if (number === null) yield Buffer.from(`${count > 1 ? '\r\n' : ''}${source(reply)}\r\n\r\n`, 'latin1')
    for await (const chunk of dotBody(lines, context, { keepsLoneDot: true })) {
      if (number === null || number === count) yield chunk
    }
  }
}

/**
 * Reads a reply within an answer. Rejects with `partial` if the connection ends instead, since 250 ends each answer.
 */
export async function readBodyReply(lines: LineReader, context: RetrievalContext): Promise<Reply> {
  try {
    return await readReply(lines, context, 'body')
  } catch (cause) {
    if (!RetrievalError.is(cause) || cause.code !== 'receive-failed') throw cause
    const message = 'The connection ended before the reply 250, so the answer is incomplete; try again.'
    throw context.error('partial', message, { phase: 'body', cause })
  }
}

/** Returns the database of `151 "shortcake" wn "WordNet (r) 3.0"` (RFC 2229 3.2.2). */
function source({ text }: Reply): string {
  const [, database = '', description = ''] = words(text)
  const name = description === '' ? database : `${description} [${database}]`
  return `From ${utf8Octets(octetsToText(name))}:`
}

/** Throws if fewer definitions came than were announced (`150 3 definitions retrieved`), or than are wanted. */
function checkFound({ announced, number }: Wanted, count: number, context: RetrievalContext): void {
  const expected = number ?? announced ?? 0
  if (expected <= count) return
  if (announced === undefined) {
    const message = `The server sent ${count} definitions, and the URL asks for number ${number}.`
    throw context.error('not-found', message, { phase: 'body' })
  }
  const message = `The server announced ${announced} definitions and sent ${count}; try again.`
  throw context.error('partial', message, { phase: 'body' })
}
