import { type AccessPlans, octetsToText } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { ConnectionBody } from '../../wire/connection-body.ts'
import { dotBody } from '../../wire/framing/dot.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import { type Reply, readReply, refusal } from '../../wire/framing/reply.ts'
import { openConnection } from '../../wire/transport/socket.ts'
import { dict } from './about.ts'
import { definitions, readBodyReply } from './definitions.ts'
import { lineEntries, pickLine } from './entries.ts'
import { logIn } from './login.ts'

type DictPlan = AccessPlans['dict']

/**
 * Makes a fetcher for the Dictionary Server Protocol (RFC 2229): definitions as text, matches and databases as
 * listings.
 */
export function dictFetcher(): Fetcher<'dict'> {
  return { ...dict, retrieve, reread }
}

async function reread(
  answer: Retrieved<'dict'>,
  plan: DictPlan,
  context: RetrievalContext,
): Promise<Retrieved<'dict'>> {
  if (!isListing(plan)) return answer
  return { ...answer, kind: 'listing', entries: (body) => lineEntries(body, plan, context) }
}

function isListing({ operation }: DictPlan): boolean {
  return operation === 'match' || operation === 'databases' || operation === 'strategies'
}

async function retrieve(plan: DictPlan, context: RetrievalContext): Promise<Retrieved<'dict'>> {
  if (context.request.range !== undefined) {
    const message = 'A dictionary server sends no parts of an answer; retrieve the whole.'
    throw context.error('range-refused', message, { phase: 'policy' })
  }
  const connection = await openConnection(context, plan)
  try {
    const lines = new LineReader(connection, context)
    const greeting = await readReply(lines, context, 'greeting')
    if (greeting.code !== 220) throw refusalOf(greeting, context)
    if (plan.user !== null) await logIn({ ...plan, user: plan.user }, greeting, { connection, lines, context })
    await connection.sendLine((plan.wire.at(-1) ?? '').replace(/\r\n$/, ''))
    const reply = await readReply(lines, context, 'request')
    const retrieved = answerTo(plan, reply, lines, context)
    return { ...retrieved, body: new ConnectionBody(sourceOf(retrieved.body), connection) }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The replies that begin the answers: 110 databases, 111 strategies, 112 a database, 114 the server (RFC 2229 7.1). */
const begins = { define: 150, match: 152, databases: 110, strategies: 111, information: 112, server: 114 } as const

function answerTo(plan: DictPlan, reply: Reply, lines: LineReader, context: RetrievalContext): Retrieved<'dict'> {
  const { operation, number } = plan
  if (reply.code !== begins[operation]) throw refusalOf(reply, context)
  const [digits] = /^\d{1,9}/.exec(reply.text) ?? []
  const count = digits === undefined ? undefined : Number(digits)
  const isText = operation === 'information' || operation === 'server'
  if (number !== null && (number === 0 || (count !== undefined && number > count))) {
    const what = operation === 'define' ? 'definitions' : 'matches'
    throw context.error('not-found', `The server has ${count} ${what}, and the URL asks for number ${number}.`)
  }
  return {
    outcome: 'retrieved',
    kind: isListing(plan) ? 'listing' : 'object',
    mediaType: 'text/plain',
    // All texts are UTF-8 (RFC 2229 2.3).
    charset: 'utf-8',
    size: null,
    modified: null,
    completeness: 'terminated',
    metadata: count === undefined || isText ? {} : { count },
    body:
      operation === 'define'
        ? definitions({ announced: count, number }, lines, context)
        : block(operation === 'match' ? number : null, lines, context),
    ...(isListing(plan) && { entries: (body) => lineEntries(body, plan, context) }),
  }
}

/** Yields the lines of one text, or the match with this number. Then 250 must follow. */
async function* block(number: number | null, lines: LineReader, context: RetrievalContext): AsyncGenerator<Uint8Array> {
  const text = dotBody(lines, context, { keepsLoneDot: true })
  yield* number === null ? text : pickLine(text, number, context)
  const reply = await readBodyReply(lines, context)
  // 250 says that the answer is complete (RFC 2229 3.3.2).
  if (reply.code !== 250) throw refusalOf(reply, context)
}

/** Makes the error for an unexpected reply (RFC 2229 7.1). */
function refusalOf(reply: Reply, context: RetrievalContext): Error {
  const { code } = reply
  if (code === 552) return refusal(context, 'not-found', 'The dictionary has no such word', reply)
  if (code === 550) return refusal(context, 'not-found', 'The server has no such database', reply)
  if (code === 551) return refusal(context, 'not-found', 'The server has no such strategy', reply)
  if (code === 554 || code === 555) return refusal(context, 'not-found', 'The server has none', reply)
  if (code === 530) return refusal(context, 'access-denied', 'The server refuses access', reply)
  const transient = code === 420 || code === 421
  return refusal(
    context,
    'server-refused',
    'The server refused',
    { ...reply, text: octetsToText(reply.text) },
    { transient },
  )
}
