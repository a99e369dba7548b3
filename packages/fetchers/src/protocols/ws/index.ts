import type { AccessPlans } from '@retriever/core'
import { secretValues, utf8Octets } from '@retriever/core/internal'
import type { UserAndPassword } from '../../auth/login.ts'
import { hideSent } from '../../auth/sent-secrets.ts'
import { ServerLogin } from '../../auth/server-login.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { ConnectionBody } from '../../wire/connection-body.ts'
import { ExactReader } from '../../wire/exact-reader.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import { LeavingConnection } from '../../wire/leaving-connection.ts'
import { ws } from './about.ts'
import { shakeHands } from './handshake.ts'
import { Messages } from './messages.ts'

type Plan = AccessPlans['ws']

/** Makes a fetcher for the messages of a WebSocket (RFC 6455), until the server closes it. It sends no message. */
export function wsFetcher(): Fetcher<'ws'> {
  return { ...ws, retrieve }
}

async function retrieve(plan: Plan, context: RetrievalContext): Promise<Retrieved<'ws'>> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A WebSocket has no ranges; leave them out.', { phase: 'policy' })
  }
  const login = new ServerLogin(plan, 'GET', context, loginAtOnce(plan, context))
  try {
    while (true) {
      const result = await attempt(plan, login, context)
      if (result !== null) return result
    }
  } finally {
    login.end()
  }
}

function loginAtOnce({ user, password }: Plan, { request }: RetrievalContext): UserAndPassword | null {
  const { login } = request
  if (login !== undefined) return { user: utf8Octets(login.user), password: utf8Octets(login.password) }
  return user === null || password === null ? null : { user, password }
}

/** Makes one attempt. Returns null if the server wants a login, which is known after this. */
async function attempt(plan: Plan, login: ServerLogin, context: RetrievalContext): Promise<Retrieved<'ws'> | null> {
  const leaving = await LeavingConnection.open(context, plan)
  const { connection } = leaving
  try {
    const lines = new LineReader(connection, context)
    const authorization = login.authorization()
    const given = Object.entries(context.request.headers ?? {})
    const hide = hideSent([...given, ['Authorization', authorization]], [login.password, ...secretValues(plan.target)])
    const answer = await shakeHands(plan, authorization, hide, connection, lines, context)
    if (answer.status === 401) {
      await login.answer(answer)
      leaving.close()
      return null
    }
    login.accepted()
    const messages = new Messages(new ExactReader(lines, context), leaving, hide, context)
    const { 'set-cookie': _cookies, ...headers } = Object.fromEntries(answer.fields)
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: context.request.jsonMessages === true ? 'application/x-ndjson' : null,
      // Texts are UTF-8 (RFC 6455 5.6).
      charset: 'utf-8',
      size: null,
      modified: null,
      completeness: 'terminated',
      metadata: { headers },
      body: new ConnectionBody(sourceOf(messages.octets()), leaving),
    }
  } catch (error) {
    leaving.close()
    throw error
  }
}
