import type { TlsMode } from '@retriever/core/internal'
import type { RetrievalContext, Retrieved } from '../contract/fetcher.ts'
import { ConnectionBody, plainOctets } from './connection-body.ts'
import { LineReader } from './framing/lines.ts'
import { openConnection } from './transport/socket.ts'

/** A plan for one line (LinePlan of core). */
interface LineQuery {
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
  readonly query: string
}

/** Sends the plan's line, and gives what follows to the end of the connection. `title` names the protocol in errors. */
export async function lineAnswer(
  plan: LineQuery,
  context: RetrievalContext,
  title: string,
): Promise<Omit<Retrieved, 'metadata'>> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', `${title} sends no parts of an answer; retrieve the whole.`, {
      phase: 'policy',
    })
  }
  const connection = await openConnection(context, plan)
  try {
    await connection.sendLine(plan.query)
    const source = new LineReader(connection, context)
    // The first octets have the time limit of a reply. An empty answer is an answer.
    const first = await source.read('request')
    if (first !== null) source.unread(first)
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: 'text/plain',
      charset: null,
      size: null,
      modified: null,
      // Only the end of the connection ends the answer.
      completeness: 'eof-only',
      body: new ConnectionBody(plainOctets(source), connection),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}
