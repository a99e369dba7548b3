import type { HttpPlan } from '@retriever/core/internal'
import type { Fetcher } from '@retriever/fetchers'
import type { Outcome, RetrievalContext, Retrieved } from '@retriever/fetchers/plugin'

/** A fetcher for http that answers from a function: what the client does is tested without a network. */
export function fakeHttp(
  answer: (plan: HttpPlan, context: RetrievalContext) => Outcome<'http'> | Promise<Outcome<'http'>>,
): Fetcher<'http'> {
  return { mechanism: 'http', retrieve: async (plan, context) => answer(plan, context) }
}

export function retrieved(body: Retrieved['body'], extra: Partial<Retrieved<'http'>> = {}): Retrieved<'http'> {
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: 'text/plain',
    charset: null,
    size: null,
    modified: null,
    completeness: 'verified',
    metadata: { status: 200, headers: {}, fields: [] },
    body,
    ...extra,
  }
}

export async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

/** One octet after another until somebody stops it; `stopped` tells that somebody did. */
export function endless(): { body: AsyncIterable<Uint8Array>; pulled: () => number; stopped: () => boolean } {
  let count = 0
  let over = false
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        count++
        yield Buffer.alloc(1024)
      }
    } finally {
      over = true
    }
  }
  return { body: body(), pulled: () => count, stopped: () => over }
}
