import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { withDeadline } from '../../plugin/with-deadline.ts'
import { type Begun, ResumingBody, type Source } from './resuming-body.ts'

/**
 * Octets of one request. What 16 connections, the most there are, hold for a slow consumer is then 64 MiB, as
 * limits.maxCollected; and at 100 Mbit/s it takes a third of a second, beside which the round trip of a request is
 * short.
 */
export const segmentSize: number = 4 * 1024 * 1024

/**
 * The octets of a whole of known size, in order. Segments come by as many requests at a time as there are
 * `connections`, the first by the answer that has begun; of those, at most `connections` segments wait for the
 * consumer. None is asked for before the first octet is.
 */
export async function* splitBody(
  context: RetrievalContext,
  source: Source & { readonly total: number },
  begun: Begun,
  connections: number,
): AsyncGenerator<Uint8Array, void, void> {
  const { total } = source
  const deadline = context.deadline.attempt()
  const together = withDeadline(context, deadline)
  const ahead: Segment[] = []
  let at = 0
  try {
    while (at < total || ahead.length > 0) {
      while (at < total && ahead.length < connections) {
        const end = Math.min(at + segmentSize, total)
        ahead.push(new Segment(new ResumingBody(together, source, { at, end }, at === 0 ? begun : null)))
        at = end
      }
      yield* (ahead[0] as Segment).octets()
      ahead.shift()
    }
  } finally {
    // Of the others, where one has failed or the consumer has gone.
    begun.deadline.fail(context.error('aborted', 'The rest is no longer wanted.', { phase: 'body' }))
    deadline.fail(context.error('aborted', 'The rest is no longer wanted.', { phase: 'body' }))
  }
}

/** Octets that come while nobody reads them yet. */
class Segment {
  readonly #chunks: Uint8Array[] = []
  #isOver = false
  #error: unknown
  #wake: () => void = () => {}

  constructor(body: ResumingBody) {
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

  async #fill(body: ResumingBody): Promise<void> {
    try {
      for await (const chunk of body) {
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
