import type { AccessPlans } from '@retriever/core'
import { sourceOf } from '../plugin/byte-source.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { ConnectionBody } from '../wire/connection-body.ts'
import { ExactReader } from '../wire/exact-reader.ts'
import { LineReader } from '../wire/framing/lines.ts'
import { openConnection } from '../wire/transport/socket.ts'
import { messages } from './frames.ts'
import { shakeHands } from './handshake.ts'

/** Receives the messages of a WebSocket (RFC 6455), until the server closes it. Nothing but answers is sent. */
export function wsFetcher(): Fetcher<'ws'> {
  return { mechanism: 'ws', retrieve }
}

async function retrieve(plan: AccessPlans['ws'], context: RetrievalContext): Promise<Retrieved<'ws'>> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A WebSocket has no ranges; leave them out.', { phase: 'policy' })
  }
  const connection = await openConnection(context, plan)
  try {
    const lines = new LineReader(connection, context)
    const headers = await shakeHands(plan, connection, lines, context)
    const { 'set-cookie': _cookies, ...shown } = headers
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: null,
      // Texts are UTF-8 (RFC 6455 5.6).
      charset: 'utf-8',
      size: null,
      modified: null,
      completeness: 'terminated',
      metadata: { headers: shown },
      body: new ConnectionBody(sourceOf(messages(new ExactReader(lines, context), connection, context)), connection),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}
