import { isUtf8 } from 'node:buffer'
import type { RetrievalContext } from '../contract/fetcher.ts'

/**
 * Gives a message in the form that the request wants: the content, with a line end if `isLine`, or one line of JSON
 * with the members of `head`. If only one message is wanted, its content stands alone.
 */
export async function* messageForm(
  head: object,
  isLine: boolean,
  content: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array> {
  const { jsonMessages, count } = context.request
  if (jsonMessages === true) {
    yield Buffer.from(`${JSON.stringify({ ...head, ...payloadOf(await collected(content, context)) })}\n`)
    return
  }
  yield* content
  if (isLine && count !== 1) yield Buffer.from('\n')
}

function payloadOf(octets: Buffer) {
  const encoding = isUtf8(octets) ? 'utf-8' : 'base64'
  return { size: octets.length, encoding, payload: octets.toString(encoding) }
}

async function collected(content: AsyncIterable<Uint8Array>, context: RetrievalContext): Promise<Buffer> {
  const { maxCollected } = context.limits
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const octets of content) {
    size += octets.length
    if (size > maxCollected) {
      const message = `A message has over ${maxCollected} octets, the most that become one line of JSON.`
      throw context.error('limit-exceeded', message, { advice: { option: 'limits.maxCollected' } })
    }
    // The source may overwrite this chunk at the next read.
    pieces.push(Uint8Array.from(octets))
  }
  return Buffer.concat(pieces, size)
}

/** Makes the error for a server that ends before it has sent as many messages as are wanted. */
export function tooFewMessages(came: number, { request, error }: RetrievalContext): Error {
  return error('partial', `The server ended after ${came} of ${request.count} messages.`, { phase: 'body' })
}
