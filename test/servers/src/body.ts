import type { Writable } from 'node:stream'
import type { Faults } from './faults.ts'
import { write } from './wire.ts'

/** A stalled body stops after its first half, or after this much of a large one. */
const STALL_AT_MOST = 64 * 1024

/** Octets to send. The size is unknown where a conversion happens on the way. */
export interface Body {
  readonly size: number | undefined
  readonly chunks: Iterable<Uint8Array>
}

/** A body that comes while it is sent. */
export interface StreamedBody {
  readonly size: number | undefined
  readonly chunks: AsyncIterable<Uint8Array>
}

/** How a body ended: the protocol finishes, closes, resets or goes silent accordingly. */
export type BodyEnd = 'whole' | 'short' | 'stalled' | 'reset' | 'cut' | 'crashed'

/** Writes a body with backpressure, as far as the faults let it. */
export async function sendBody(sink: Writable, body: Body | StreamedBody, faults: Faults): Promise<BodyEnd> {
  const [ended, limit] = firstEnd(body, faults)
  let left = limit
  for await (const chunk of withoutLast(body.chunks, faults.shortBody ?? 0)) {
    const piece = chunk.length > left ? chunk.subarray(0, left) : chunk
    if (piece.length > 0) await write(sink, piece)
    left -= piece.length
    if (left <= 0) return ended
  }
  if (faults.stall === 'body' || left <= 0) return ended
  return faults.shortBody ? 'short' : 'whole'
}

/** The first fault that stops a body, and after how many octets. */
function firstEnd({ size }: Pick<Body, 'size'>, faults: Faults): readonly [BodyEnd, number] {
  const ends: readonly (readonly [BodyEnd, number | undefined])[] = [
    ['reset', faults.resetAfter],
    ['cut', faults.cutAfter],
    ['crashed', faults.crashAfter],
    ['stalled', faults.stall === 'body' ? half(size) : undefined],
  ]
  let first: readonly [BodyEnd, number] = ['whole', Number.POSITIVE_INFINITY]
  for (const [end, after] of ends) if (after !== undefined && after < first[1]) first = [end, after]
  return first
}

function half(size: number | undefined): number {
  return size === undefined ? 1 : Math.min(Math.ceil(size / 2), STALL_AT_MOST)
}

type AnyChunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** All but the last `count` octets. */
async function* withoutLast(chunks: AnyChunks, count: number): AsyncIterable<Uint8Array> {
  if (count === 0) {
    yield* chunks
    return
  }
  let held: Uint8Array = new Uint8Array(0)
  for await (const chunk of chunks) {
    const all: Uint8Array = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const free = Math.max(0, all.length - count)
    yield all.subarray(0, free)
    held = all.subarray(free)
  }
}

/** A body that is in memory. One char an octet in a string. */
export function wholeBody(content: string | Uint8Array): Body {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  return { size: bytes.length, chunks: [bytes] }
}
