import type { AccessPlans } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { ConnectionBody, plainOctets } from '../../wire/connection-body.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import { openConnection } from '../../wire/transport/socket.ts'
import { finger } from './about.ts'

/**
 * Makes a fetcher that asks who is on a host (RFC 1288). It sends one line, and the answer lasts to the end of the
 * connection.
 */
export function fingerFetcher(): Fetcher<'finger'> {
  return { ...finger, retrieve }
}

async function retrieve(plan: AccessPlans['finger'], context: RetrievalContext): Promise<Retrieved<'finger'>> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'Finger sends no parts of an answer; retrieve the whole.', { phase: 'policy' })
  }
  const connection = await openConnection(context, plan)
  try {
    await connection.sendLine(plan.query)
    const source = new LineReader(connection, context)
    // The first octets have the time limit of a reply. An answer may be empty (RFC 1288 2.5.3 demands none).
    const first = await source.read('request')
    if (first !== null) source.unread(first)
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: 'text/plain',
      // RFC 1288 2.2 promises ASCII, but servers send what the users wrote.
      charset: null,
      size: null,
      modified: null,
      // Only the end of the connection ends the answer (RFC 1288 2.3).
      completeness: 'eof-only',
      metadata: {},
      body: new ConnectionBody(plainOctets(source), connection),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}
