import { type AccessPlans, adviceText, mqttConnect, mqttSubscribe, octetsToText, utf8Octets } from '@retriever/core'
import { findLogin, loginPlace } from '../auth/found-login.ts'
import { sourceOf } from '../plugin/byte-source.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { ConnectionBody } from '../wire/connection-body.ts'
import { ExactReader } from '../wire/exact-reader.ts'
import { askingForLife } from '../wire/keep-alive.ts'
import type { Connection } from '../wire/transport/connection.ts'
import { openConnection } from '../wire/transport/socket.ts'
import { clientName, disconnectPacket, type PacketHead, pingPacket, readHead, types } from './packets.ts'

type Plan = AccessPlans['mqtt']

/** Subscribes to a topic (MQTT 3.1.1) and gives the messages as they come, until the connection ends. */
export function mqttFetcher(): Fetcher<'mqtt'> {
  return { mechanism: 'mqtt', retrieve }
}

async function retrieve(plan: Plan, context: RetrievalContext): Promise<Retrieved<'mqtt'>> {
  const { topic } = plan
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A topic has no ranges; leave them out.', { phase: 'policy' })
  }
  for (const text of [topic, plan.user ?? '', plan.password ?? '']) {
    if (text.length <= 65_535) continue
    throw context.error('refused', 'A topic, user or password is longer than 65535 octets.', { phase: 'policy' })
  }
  let opened = await open(plan, context)
  try {
    let code = await connect(opened, plan.user, plan.password, context)
    // 4 and 5: another login is needed (3.2.2.3). The server has closed the connection by then.
    const found = isLogin(code) && plan.password === null ? await find(plan, context) : null
    if (found !== null) {
      opened.connection.close()
      opened = await open(plan, context)
      const { user, password } = found.credentials
      code = await connect(opened, utf8Octets(user), utf8Octets(password), context)
      if (code === 0) found.accepted()
      else found.refused()
    }
    if (code !== 0) throw refusal(code, plan.password === null && found === null, context)
    const early = await subscribe(opened, topic, context)
    const { reader, connection } = opened
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: null,
      charset: null,
      size: null,
      modified: null,
      completeness: 'eof-only',
      metadata: { topic: octetsToText(topic) },
      body: new ConnectionBody(sourceOf(payloads(early, reader, connection, context)), connection),
    }
  } catch (error) {
    opened.connection.close()
    throw error
  }
}

interface Opened {
  readonly connection: Connection
  readonly reader: ExactReader
}

async function open(plan: Plan, context: RetrievalContext): Promise<Opened> {
  const connection = await openConnection(context, plan)
  return { connection, reader: new ExactReader(connection, context) }
}

/** Sends CONNECT and gives the code of CONNACK (MQTT 3.1.1 3.2); 0: accepted. */
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

/** Subscribes to the topic, and gives the payloads that came before SUBACK, which a server may send (3.8.4). */
async function subscribe(
  { connection, reader }: Opened,
  topic: string,
  context: RetrievalContext,
): Promise<readonly Uint8Array[]> {
  await connection.sendMessage(mqttSubscribe(topic), `SUBSCRIBE ${topic}\r\n`)
  const early: Uint8Array[] = []
  let size = 0
  let head = await readHead(reader, context, 'request')
  for (; head?.type === types.publish; head = await readHead(reader, context, 'request')) {
    size += head.length
    if (size > context.limits.maxReply) {
      const message = `The server sent over ${context.limits.maxReply} octets of messages before it took the subscription.`
      throw context.error('limit-exceeded', message, { phase: 'request', advice: { option: 'limits.maxReply' } })
    }
    for await (const octets of payload(head, reader, context)) early.push(Uint8Array.from(octets))
  }
  const octets = await restOf(head, reader, types.suback, 3, context)
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

/** What follows the head of an answer of this type and length. */
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
  throw context.error('protocol-violation', 'The server does not answer in MQTT 3.1.1. Check scheme and port.', {
    phase: 'request',
  })
}

function isLogin(code: number): boolean {
  return code === 4 || code === 5
}

async function find(plan: Plan, context: RetrievalContext) {
  const { host, port } = plan
  const user = plan.user === null ? null : octetsToText(plan.user)
  const challenge = { realm: user === null ? host : `${user}@${host}`, host, port, user }
  return findLogin(context, loginPlace(context.url, challenge, 'login'), challenge)
}

/** MQTT 3.1.1 3.2.2.3. */
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

/** The payloads of PUBLISH (3.3), one behind the other. curl writes the topic and its length before each. */
async function* payloads(
  early: readonly Uint8Array[],
  reader: ExactReader,
  connection: Connection,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array> {
  yield* early
  while (true) {
    const head = await askingForLife(
      context,
      () => connection.sendFrame(pingPacket),
      () => readHead(reader, context, 'body'),
    )
    if (head === null) return
    if (head.type === types.publish) yield* payload(head, reader, context)
    else if (head.type !== types.pingresp || head.length > 0) {
      await connection.sendFrame(disconnectPacket)
      throw violation(context, `a packet of type ${head.type} is out of turn`)
    }
  }
}

async function* payload(
  { flags, length }: PacketHead,
  reader: ExactReader,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array> {
  // The subscription is for QoS 0, in which a packet has no identifier.
  if ((flags & 0x06) !== 0 || length < 2) throw violation(context, 'a message has another quality of service')
  const size = (await exactly(2, reader, context)).readUInt16BE()
  let left = length - 2 - size
  if (left < 0) throw violation(context, 'a topic is longer than its packet')
  if (size > 0) await exactly(size, reader, context)
  while (left > 0) {
    const octets = await reader.some(left)
    left -= octets.length
    yield octets
  }
}

async function exactly(count: number, reader: ExactReader, context: RetrievalContext): Promise<Buffer> {
  const octets = await reader.exactly(count, 'body')
  if (octets === null) throw context.error('partial', 'The connection ended within a message; try again.')
  return octets
}

function violation(context: RetrievalContext, what: string): Error {
  return context.error('protocol-violation', `The server broke MQTT: ${what}.`)
}
