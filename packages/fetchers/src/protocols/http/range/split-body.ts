import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { chunksOf } from '../../../kit/byte-source.ts'
import { withDeadline } from '../../../kit/deadline.ts'
import { ResumingSource } from '../../../wire/resuming-source.ts'
import type { Deadline } from '../exchange.ts'
import { AnnouncedOctets } from './announced-octets.ts'
import { segmentSize } from './segments.ts'
import { type RangedRepresentation, ValidatorProof } from './validator-proof.ts'

/**
 * Yields the octets of a representation of known size, in order. Up to `connections` segments are being received or
 * wait for the consumer. The first one is the answer that has begun. No segment is requested before the first read.
 */
export async function* splitBody(
  context: RetrievalContext,
  representation: RangedRepresentation & { readonly total: number },
  begun: { readonly octets: ByteSource; readonly deadline: Deadline },
  connections: number,
): AsyncGenerator<Uint8Array, void, void> {
  const { total } = representation
  const deadline = context.deadline.attempt()
  const together = withDeadline(context, deadline)
  const ahead: Segment[] = []
  let at = 0
  try {
    while (at < total || ahead.length > 0) {
      while (at < total && ahead.length < connections) {
        const end = Math.min(at + segmentSize, total)
        const octets = at === 0 ? new AnnouncedOctets(begun.octets, end, together, false) : null
        const portion = octets === null ? null : { octets, deadline: begun.deadline }
        const proof = new ValidatorProof(together, representation, end)
        ahead.push(new Segment(new ResumingSource(together, proof, { offset: at, portion })))
        at = end
      }
      yield* (ahead[0] as Segment).octets()
      ahead.shift()
    }
  } finally {
    // Ends the other segments if one has failed or the consumer has stopped reading.
    begun.deadline.fail(context.error('aborted', 'The rest is no longer wanted.', { phase: 'body' }))
    deadline.fail(context.error('aborted', 'The rest is no longer wanted.', { phase: 'body' }))
  }
}

/** A segment, whose octets arrive before the consumer wants them. */
class Segment {
  readonly #chunks: Uint8Array[] = []
  #isOver = false
  #error: unknown
  #wake: () => void = () => {}

  constructor(body: ByteSource) {
    void this.#fill(body)
  }

  async *octets(): AsyncGenerator<Uint8Array, void, void> {
    while (true) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) yield chunk
      else if (!this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve))
      else if (this.#error === undefined) return
      else throw this.#error
    }
  }

  async #fill(body: ByteSource): Promise<void> {
    try {
      for await (const chunk of chunksOf(body, true)) {
        this.#chunks.push(chunk)
        this.#wake()
      }
    } catch (error) {
      this.#error = error
    }
    this.#isOver = true
    this.#wake()
  }
}
