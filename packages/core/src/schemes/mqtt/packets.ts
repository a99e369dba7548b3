import { hexOf } from '../../wire/ber.ts'

/** After this many seconds of silence a server may drop the client. */
const keepAlive = 60

/** CONNECT (MQTT 3.1.1 3.1) for a clean session. Strings have one octet a character. */
export function mqttConnect(client: string, user: string | null, password: string | null): string {
  const flags = 0x02 | (user === null ? 0 : 0x80) | (password === null || user === null ? 0 : 0x40)
  const login = user === null ? '' : field(user) + (password === null ? '' : field(password))
  return packet('\x10', `${field('MQTT')}\x04${char(flags)}\0${char(keepAlive)}${field(client)}${login}`)
}

/** SUBSCRIBE (3.8) to one topic with QoS 0, which needs no acknowledgements. */
export function mqttSubscribe(topic: string): string {
  return packet('\x82', `\0\x01${field(topic)}\0`)
}

/** DISCONNECT (3.14). */
export const mqttDisconnect = '\xe0\0'

/** The packets of a plan in hexadecimal digits, with texts in quotes. */
export function mqttReading(wire: readonly string[]): readonly string[] {
  const [connect = '', subscribe = '', disconnect] = wire
  // The sizes are those of protocol name, level, flags, keep alive, client, user and password; or of packet id, topic
  // and QoS.
  const readings = [`CONNECT: ${read(connect, [0, 4, 0, 0, 0])}`, `SUBSCRIBE: ${read(subscribe, [2, 0, 1])}`]
  return disconnect === undefined ? readings : [...readings, `DISCONNECT: ${hexOf(disconnect)}`]
}

/** Splits a packet into its parts. A size is a number of octets; 0 means a string with its own length. */
function read(octets: string, sizes: readonly number[]): string {
  let at = 1
  while (octets.charCodeAt(at++) > 127);
  const shown = [hexOf(octets.slice(0, at))]
  for (const size of sizes) {
    if (at >= octets.length) break
    const start = size === 0 ? at + 2 : at
    const end = size === 0 ? start + octets.charCodeAt(at) * 256 + octets.charCodeAt(at + 1) : at + size
    const text = octets.slice(start, end)
    const isText = size === 0 && /^[ -~]*$/.test(text)
    shown.push(isText ? `${hexOf(octets.slice(at, start))} "${text}"` : hexOf(octets.slice(at, end)))
    at = end
  }
  return shown.join(' ')
}

function packet(head: string, rest: string): string {
  let size = ''
  let left = rest.length
  do {
    size += char((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
    left >>= 7
  } while (left > 0)
  return head + size + rest
}

/** A string with its length in two octets (1.5.3). */
function field(text: string): string {
  return char(text.length >> 8) + char(text.length & 255) + text
}

function char(octet: number): string {
  return String.fromCharCode(octet)
}
