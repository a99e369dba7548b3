import { type Connection, type Fetcher, openConnection } from '@retriever/fetchers/plugin'

declare module '@retriever/fetchers/plugin' {
  interface MetadataByMechanism {
    rfc1288: FingerMetadata
  }
}

export interface FingerMetadata {
  /** The line that was sent. */
  readonly query: string
}

/** RFC 1288 2.2: the client sends one line, the server answers and closes. */
export function fingerFetcher(): Fetcher<'rfc1288'> {
  return {
    mechanism: 'rfc1288',
    async retrieve(plan, context) {
      const connection = await openConnection(context, plan)
      try {
        await connection.sendLine(plan.query)
        const first = await connection.read('request')
        return {
          outcome: 'retrieved',
          kind: 'object',
          mediaType: 'text/plain',
          charset: null,
          size: null,
          modified: null,
          // Only the end of the connection ends the answer.
          completeness: 'eof-only',
          metadata: { query: plan.query },
          body: answer(connection, first),
        }
      } catch (error) {
        connection.close()
        throw error
      }
    },
  }
}

async function* answer(connection: Connection, first: Uint8Array | null): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (let chunk = first; chunk !== null; chunk = await connection.read('body')) yield chunk
  } finally {
    connection.close()
  }
}
