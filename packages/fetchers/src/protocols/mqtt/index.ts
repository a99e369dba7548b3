import { type AccessPlans, octetsToText } from '@retriever/core'
import { adviceText, mqttConnect, mqttDisconnect, mqttSubscribe, utf8Octets } from '@retriever/core/internal'
import { findPlanLogin, type PlanLogin } from '../../auth/plan-login.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { ConnectionBody } from '../../wire/connection-body.ts'
import { ExactReader } from '../../wire/exact-reader.ts'
import { LeavingConnection } from '../../wire/leaving-connection.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import { mqtt } from './about.ts'
import { type EarlyMessage, Messages, wholeMessage } from './messages.ts'
import { clientName, type PacketHead, readHead, types } from './packets.ts'

type Plan = AccessPlans['mqtt']

/**
 * Makes a fetcher that subscribes to a topic (MQTT 3.1.1) and gives the messages while they arrive:
 * RequestOptions.count of them, or until the total time is over or the server ends the connection.
 */
export function mqttFetcher(): Fetcher<'mqtt'> {
  return { ...mqtt, retrieve }
}

async function retrieve(plan: Plan, context: RetrievalContext): Promise<Retrieved<'mqtt'>> {
  const { topic } = plan
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A topic has no ranges; leave them out.', { phase: 'policy' })
  }
  const { user, password } = loginAtOnce(plan, context)
  for (const text of [user ?? '', password ?? '']) {
    if (text.length <= 65_535) continue
    throw context.error('refused', 'A user or password is longer than 65535 octets.', { phase: 'policy' })
  }
  let opened = await open(plan, context)
  try {
    let code = await connect(opened, user, password, context)
    // 4 and 5 mean that another login is needed (3.2.2.3). The server has already closed the connection.
    const wantsLogin = (): boolean => isLogin(code) && password === null
    let isKnown = password !== null
    let found: PlanLogin | null = wantsLogin() ? await findPlanLogin(plan, context) : null
    while (found !== null) {
      opened.leaving.close()
      try {
        opened = await open(plan, context)
        code = await connect(opened, found.user, found.password, context)
        if (code === 0) found.found?.accepted()
        else found.found?.refused()
      } finally {
        found.found?.end()
      }
      // Somebody has changed the password since the server accepted it.
      const stale = wantsLogin() && found.found?.isRemembered === true ? found.found.credentials : null
      isKnown = true
      found = stale === null ? null : await findPlanLogin(plan, context, stale)
    }
    if (code !== 0) throw refusal(code, !isKnown, context)
    const { reader, leaving } = opened
    leaving.farewell = mqttDisconnect
    const early = await subscribe(opened, topic, context)
    const messages = new Messages(early, reader, leaving, context)
    const { count, jsonMessages } = context.request
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: jsonMessages === true ? 'application/x-ndjson' : null,
      charset: null,
      size: null,
      modified: null,
      completeness: count === undefined ? 'eof-only' : 'terminated',
      metadata: { topic: octetsToText(topic) },
      body: new ConnectionBody(sourceOf(messages.octets()), messages),
    }
  } catch (error) {
    opened.leaving.close()
    throw error
  }
}

/** Returns the login of the first CONNECT: that of the caller, or what the URL has of one. */
function loginAtOnce(plan: Plan, { request: { login } }: RetrievalContext): Pick<Plan, 'user' | 'password'> {
  return login === undefined ? plan : { user: utf8Octets(login.user), password: utf8Octets(login.password) }
}

interface Opened {
  readonly leaving: LeavingConnection
  readonly connection: Connection
  readonly reader: ExactReader
}

async function open(plan: Plan, context: RetrievalContext): Promise<Opened> {
  const leaving = await LeavingConnection.open(context, plan)
  const { connection } = leaving
  return { leaving, connection, reader: new ExactReader(connection, context) }
}

/** Sends CONNECT and returns the code of CONNACK (MQTT 3.1.1 3.2). 0 means accepted. */
async function connect(
  { connection, reader }: Opened,
  user: string | null,
  password: string | null,
  context: RetrievalContext,
): Promise<number> {
  await connection.sendMessage(
    mqttConnect(clientName(), user, password),
    `CONNECT${user === null ? '' : ` ${user}`}\r\n`,
  )
  const octets = await answer(reader, types.connack, 2, context)
  return octets[1] ?? 0
}

/** Subscribes to the topic. Returns the messages that came before SUBACK, since a server may send some (3.8.4). */
async function subscribe(
  { connection, reader }: Opened,
  topic: string,
  context: RetrievalContext,
): Promise<readonly EarlyMessage[]> {
  await connection.sendMessage(mqttSubscribe(topic), `SUBSCRIBE ${topic}\r\n`)
  const early: EarlyMessage[] = []
  let size = 0
  let head = await readHead(reader, context, 'request')
  for (; head?.type === types.publish; head = await readHead(reader, context, 'request')) {
    size += head.length
    if (size > context.limits.maxReply) {
      const message = `The server sent over ${context.limits.maxReply} octets of messages before it took the subscription.`
      throw context.error('limit-exceeded', message, { phase: 'request', advice: { option: 'limits.maxReply' } })
    }
    early.push(await wholeMessage(head, reader, context))
  }
  const octets = await restOf(head, reader, types.suback, 3, context)
  // The answer has the id of the subscription (3.9.2), which is 1.
  if (octets[0] !== 0 || octets[1] !== 1) throw notMqtt(context)
  if ((octets[2] ?? 0) < 0x80) return early
  throw context.error('access-denied', 'The server refuses the subscription to the topic.', { reply: 'SUBACK 128' })
}

async function answer(
  reader: ExactReader,
  type: number,
  length: number,
  context: RetrievalContext,
): Promise<Uint8Array> {
  return restOf(await readHead(reader, context, 'request'), reader, type, length, context)
}

/** Reads the rest of an answer after its head. The answer must have this type and length. */
async function restOf(
  head: PacketHead | null,
  reader: ExactReader,
  type: number,
  length: number,
  context: RetrievalContext,
): Promise<Uint8Array> {
  const octets = head?.type === type && head.length === length ? await reader.exactly(length, 'request') : undefined
  if (octets !== undefined && octets !== null) return octets
  if (head === null || octets === null) {
    const message = 'The server closed the connection without an answer; try again.'
    throw context.error('receive-failed', message, { phase: 'request', transient: true })
  }
  throw notMqtt(context)
}

function notMqtt(context: RetrievalContext): Error {
  return context.error('protocol-violation', 'The server does not answer in MQTT 3.1.1. Check scheme and port.', {
    phase: 'request',
  })
}

function isLogin(code: number): boolean {
  return code === 4 || code === 5
}

/** Makes the error for a code of CONNACK (MQTT 3.1.1 3.2.2.3). */
function refusal(code: number, isUnknown: boolean, context: RetrievalContext): Error {
  const reply = `CONNACK ${code}`
  if (isLogin(code) && isUnknown) {
    const advice = { option: 'credentials' } as const
    const message = `The server wants a user and password; give them in the URL, or by ${adviceText(advice)}.`
    return context.error('auth-required', message, { phase: 'login', reply, advice })
  }
  if (isLogin(code)) {
    return context.error('auth-failed', 'The server does not accept the login; check user and password.', {
      phase: 'login',
      reply,
    })
  }
  const why = ['', 'it does not speak MQTT 3.1.1', 'it refuses the client id', 'it is not available'][code]
  return context.error('server-refused', `The server refused the connection: ${why ?? `code ${code}`}.`, { reply })
}
