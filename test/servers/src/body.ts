import type { Writable } from 'node:stream'
import type { Faults } from './faults.ts'
import { write } from './wire.ts'

/** A stalled body stops after its first half, or after this many octets if it is large. */
const STALL_AT_MOST = 64 * 1024

/** Octets to send. Their number is unknown if they are converted while they are sent. */
export interface Body {
  readonly size: number | undefined
  readonly chunks: Iterable<Uint8Array>
}

/** A body that is made while it is sent. */
export interface StreamedBody {
  readonly size: number | undefined
  readonly chunks: AsyncIterable<Uint8Array>
  /** Ends the chunks, even while the sender waits for the next one. */
  cancel(): void
}

/** How a body ended. This decides whether the protocol finishes, closes, resets or goes silent. */
export type BodyEnd = 'whole' | 'short' | 'stalled' | 'reset' | 'cut' | 'crashed'

/** Writes a body with backpressure, as far as the faults allow. */
export async function sendBody(sink: Writable, body: Body | StreamedBody, faults: Faults): Promise<BodyEnd> {
  const [ended, limit] = firstEnd(body, faults)
  const withoutLast = holdBack(faults.shortBody ?? 0)
  let left = limit
  /** Resolves to whether more of the body may follow. */
  const send = async (chunk: Uint8Array): Promise<boolean> => {
    const free = withoutLast(chunk)
    const piece = free.length > left ? free.subarray(0, left) : free
    if (piece.length > 0) await write(sink, piece)
    left -= piece.length
    return left > 0
  }
  const { chunks } = body
  if (Symbol.iterator in chunks) {
    for (const chunk of chunks) if (!(await send(chunk))) return ended
  } else {
    for await (const chunk of chunks) if (!(await send(chunk))) return ended
  }
  if (faults.stall === 'body' || left <= 0) return ended
  return faults.shortBody ? 'short' : 'whole'
}

/** The fault that stops the body first, and the number of octets before that. */
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

/** Returns a function that takes each chunk and gives what may be sent now: all octets so far but the last `count`. */
function holdBack(count: number): (chunk: Uint8Array) => Uint8Array {
  if (count === 0) return (chunk) => chunk
  let held: Uint8Array = new Uint8Array(0)
  return (chunk) => {
    const all: Uint8Array = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const free = Math.max(0, all.length - count)
    held = all.subarray(free)
    return all.subarray(0, free)
  }
}

/** A body in memory. A string has one char for each octet. */
export function wholeBody(content: string | Uint8Array): Body {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  return { size: bytes.length, chunks: [bytes] }
}
