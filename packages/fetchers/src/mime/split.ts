import { RetrievalError } from '@retriever/core'
import type { MimeNode } from '@zone-eu/mailsplit'

/** How much a message may have of what costs memory beyond its octets. */
export interface MessageLimits {
  readonly maxParts: number
  readonly maxHeader: number
  /** For errors. */
  readonly url: string | null
}

/** A part that has no parts itself: its octets as they stand in the message. */
export interface Leaf {
  readonly node: MimeNode
  readonly octets: Buffer
}

/** A message taken apart: its parts, those that hold others included, in their order. */
export interface SplitMessage {
  /** The message itself; null where there is nothing. */
  readonly root: MimeNode | null
  readonly nodes: readonly MimeNode[]
  readonly leaves: readonly Leaf[]
}

/** Takes a message apart; mailsplit keeps order and octets, and does not recurse. Rejects with `limit-exceeded`. */
export async function splitMessage(octets: Uint8Array, limits: MessageLimits): Promise<SplitMessage> {
  // Loaded for the first message: who retrieves files never needs it.
  // It is CommonJS: a bundle has its exports under `default` alone.
  const { Splitter } = (await import('@zone-eu/mailsplit')).default
  const message = Buffer.from(octets.buffer, octets.byteOffset, octets.length)
  const bodies = new Map<MimeNode, Buffer[]>()
  // A message within the message is a part as any other: who wants its parts reads it as a message.
  const splitter = new Splitter({
    maxHeadSize: limits.maxHeader,
    maxChildNodes: limits.maxParts,
    ignoreEmbedded: true,
  })
  splitter.end(message)
  try {
    for await (const chunk of splitter) {
      if (chunk.type === 'node') bodies.set(chunk, [])
      else if (chunk.type === 'body') bodies.get(chunk.node)?.push(chunk.value)
    }
  } catch (cause) {
    throw tooMuch(limits, cause)
  }
  const nodes = [...bodies.keys()]
  const [root = null] = nodes
  const leaves = [...bodies].flatMap(([node, body]) =>
    node.multipart ? [] : [{ node, octets: body.length === 1 && body[0] ? body[0] : Buffer.concat(body) }],
  )
  // A multipart whose boundary is not there: what it has is one text.
  if (root !== null && leaves.length === 0)
    leaves.push({ node: root, octets: message.subarray(root.getHeaders().length) })
  return { root, nodes, leaves }
}

function tooMuch(limits: MessageLimits, cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException).code !== 'EMAXLEN') return cause
  if (/child nodes/i.test(String(cause))) return tooManyParts(limits, cause)
  return exceeded(limits, `A header of the message is over ${limits.maxHeader} octets, the limit of maxHeader`, cause)
}

/** The error for a message that is taken apart too far. */
export function tooManyParts(limits: MessageLimits, cause?: unknown): RetrievalError {
  return exceeded(limits, `The message has over ${limits.maxParts} parts, the limit of maxParts`, cause)
}

function exceeded({ url }: MessageLimits, what: string, cause: unknown): RetrievalError {
  const place = url === null ? '' : `${url}: `
  return new RetrievalError('limit-exceeded', `${place}${what}; save it as it is, to a file.`, {
    phase: 'body',
    ...(url !== null && { url }),
    cause,
  })
}
