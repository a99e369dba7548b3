import { type AccountOptions, accountChecks, isAccount, seedAccounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { type Checks, checkOptions } from '../options.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'

export interface MqttServerOptions extends ServerOptions, AccountOptions {}

export const mqttChecks: Checks<MqttServerOptions> = { ...serverChecks, ...accountChecks }

const octets = Buffer.from(Uint8Array.from({ length: 4096 }, (_, index) => index % 256))

/** The messages of each topic. */
const topics: Readonly<Record<string, readonly Uint8Array[]>> = {
  'pub/a.bin': [octets.subarray(0, 1000), octets.subarray(1000)],
  'pub/hello': [Buffer.from('Hello.\n')],
  'pub/empty': [Buffer.alloc(0)],
}

/** A broker of MQTT 3.1.1. Its topics already have their messages, and it closes the connection after them. */
export async function startMqttServer(options: MqttServerOptions = {}): Promise<TestServer> {
  checkOptions('startMqttServer', options, mqttChecks)
  const listener = new Listener(
    {
      name: 'mqtt',
      scheme: 'mqtt',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await serveTopic(serverConnection(connection, server), options)
      },
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}

async function serveTopic(connection: ServerConnection, { accounts, auth }: MqttServerOptions): Promise<void> {
  const connect = await readPacket(connection)
  if (connect === undefined) return
  if (await connection.sendFault('greeting')) return
  if (connection.faults.stall === 'login') return connection.stall()
  // Protocol name and level, flags, keep alive; then client id, user and password.
  if (!connect.startsWith('\0\x04MQTT\x04')) {
    // The code means: unacceptable protocol version (MQTT 3.1.1, 3.1.2.2).
    return connection.send('\x20\x02\0\x01')
  }
  const flags = connect.charCodeAt(7)
  const [, user = '', password = ''] = fieldsOf(connect.slice(10))
  const isKnown = (flags & 0x80) !== 0 && isAccount(accounts ?? seedAccounts, user, password)
  const isGuest = (flags & 0x80) === 0 && auth !== 'required'
  await connection.send(`\x20\x02\0${isKnown || isGuest ? '\0' : '\x04'}`)
  if (!isKnown && !isGuest) return
  const subscribe = await readPacket(connection)
  if (subscribe === undefined) return
  const filters = filtersOf(subscribe.slice(2))
  if (await connection.sendFault(...filters)) return
  if (connection.faults.stall === 'response') return connection.stall()
  const granted = filters.map((filter) => namesFor(filter).length > 0)
  const codes = granted.map((isGranted) => (isGranted ? '\0' : '\x80')).join('')
  await connection.send(`\x90${String.fromCharCode(2 + codes.length)}${subscribe.slice(0, 2)}${codes}`)
  if (!granted.includes(true)) return
  const names = [...new Set(filters.flatMap(namesFor))]
  const packets = names.flatMap((name) => (topics[name] ?? []).map((message) => publish(name, message)))
  const isSent = await connection.sendBody(Buffer.concat(packets))
  // Stays silent like a real broker, which waits for more messages.
  if (isSent && connection.faults.stall === 'final') await connection.stall()
}

/** The topics that a filter matches: `+` stands for one level, a final `#` for all that follow (MQTT 3.1.1, 4.7). */
function namesFor(filter: string): readonly string[] {
  const wanted = filter.split('/')
  const isOpen = wanted.at(-1) === '#'
  if (isOpen) wanted.pop()
  return Object.keys(topics).filter((name) => {
    const levels = name.split('/')
    const hasLength = isOpen ? levels.length >= wanted.length : levels.length === wanted.length
    return hasLength && wanted.every((level, at) => level === '+' || level === levels[at])
  })
}

/** The topic filters of a SUBSCRIBE, each followed by an octet for its QoS; at most 100. */
function filtersOf(payload: string): string[] {
  const filters: string[] = []
  for (let at = 0; at + 2 <= payload.length && filters.length < 100; ) {
    const length = payload.charCodeAt(at) * 256 + payload.charCodeAt(at + 1)
    filters.push(payload.slice(at + 2, at + 2 + length))
    at += 3 + length
  }
  return filters
}

/** A longer packet ends the connection. */
const longestPacket = 1024 * 1024

async function readPacket(connection: ServerConnection): Promise<string | undefined> {
  const head = await connection.readOctets(2)
  if (head.length < 2) return undefined
  let length = head.charCodeAt(1) & 127
  for (let last = head.charCodeAt(1), shift = 7; last >= 128; shift += 7) {
    last = (await connection.readOctets(1)).charCodeAt(0)
    // The length has at most four octets (MQTT 3.1.1, 2.2.3). A client that has gone gives NaN.
    if (shift > 21 || Number.isNaN(last)) return undefined
    length |= (last & 127) << shift
  }
  const packet = length > longestPacket ? '' : await connection.readOctets(length)
  return packet.length < length ? undefined : packet
}

/** Reads strings whose lengths stand in two octets (MQTT 3.1.1, 1.5.3). */
function fieldsOf(text: string): string[] {
  const fields: string[] = []
  for (let at = 0; at + 2 <= text.length; ) {
    const length = text.charCodeAt(at) * 256 + text.charCodeAt(at + 1)
    fields.push(text.slice(at + 2, at + 2 + length))
    at += 2 + length
  }
  return fields
}

function publish(topic: string, message: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from([topic.length >> 8, topic.length & 255]), Buffer.from(topic), message])
  const size: number[] = []
  for (let left = content.length; left > 0 || size.length === 0; left >>= 7)
    size.push((left & 127) | (left > 127 ? 128 : 0))
  return Buffer.concat([Buffer.from([0x30, ...size]), content])
}
