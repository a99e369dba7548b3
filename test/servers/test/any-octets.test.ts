import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { Random } from '../../fuzz/random.ts'
import { type ProtocolName, startServers, type TestServer, testCa } from '../src/index.ts'
import { firstPackets } from './first-packets.ts'

/** The mutated packets that each server gets; RETRIEVER_FIRST_PACKETS=100000 is the exhaustive run. */
const count = Number(process.env.RETRIEVER_FIRST_PACKETS ?? 50)
/** The connections that are open at once. */
const width = 16
/** More of an answer is not waited for. */
const enough = 256 * 1024

const servers = await startServers({ bigSize: 1000 })
afterAll(() => servers.close())
const { setFiles: _s, reset: _r, close: _c, [Symbol.asyncDispose]: _d, ...running } = servers
const byName = Object.entries(running) as [ProtocolName, TestServer][]
const udp: readonly string[] = ['tftp', 'prospero']

/** What ends a process: it must be empty. */
const ends: unknown[] = []
const note = (error: unknown): void => void ends.push(error)
process.on('uncaughtException', note).on('unhandledRejection', note)
afterAll(() => process.off('uncaughtException', note).off('unhandledRejection', note))

describe('octets that a server does not understand end their connection, and nothing else', () => {
  test.each(byName)(
    '%s',
    async (name, server) => {
      const packets = await firstPackets(server)
      const send = udp.includes(name) ? sendDatagram : sendStream
      const before = await Promise.all(packets.map((packet) => send(server, packet)))
      expect(before.join('').length).toBeGreaterThan(0)

      const random = new Random(23)
      let left = count
      const worker = async (): Promise<void> => {
        while (left-- > 0) await send(server, mutated(random, packets))
      }
      await Promise.all(Array.from({ length: width }, worker))

      expect(ends.splice(0)).toEqual([])
      // A TypeError is a value that nobody thought of.
      expect(server.failures.filter((error) => error instanceof TypeError)).toEqual([])
      expect(await Promise.all(packets.map((packet) => send(server, packet)))).toEqual(before)
      if (!udp.includes(name)) await server.waitForConnections(0)
    },
    60_000 + count * 20,
  )
})

const streams = byName.filter(([name]) => !udp.includes(name))
test.each(streams)('a line without end ends its connection to the %s server', async (_name, server) => {
  const { host, port } = server
  const socket = server.tls ? tlsConnect({ host, port, ca: testCa, servername: 'localhost' }) : connect(port, host)
  // A reset is an end, too; the client itself sends none.
  const ended = new Promise((resolve) => socket.on('error', resolve).once('close', resolve))
  socket.resume().write('a'.repeat(300_000))
  await ended
  await server.waitForConnections(0)
})

/** One of the packets with one to four changes. */
function mutated(random: Random, packets: readonly string[]): string {
  let packet = random.pick(packets)
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(packet.length + 1)
    const octet = String.fromCharCode(random.pick([0, 0x7f, 0x80, 0xff, random.below(256)]))
    packet = random.pick([
      () => packet.slice(0, at) + octet + packet.slice(at + 1),
      () => packet.slice(0, at) + octet + packet.slice(at),
      () => packet.slice(0, at) + packet.slice(at + 1 + random.below(8)),
      () => packet.slice(0, at),
      () => packet.slice(0, at) + packet.slice(random.below(packet.length + 1)),
      () => packet + random.pick(packets).slice(at),
    ])()
  }
  return packet
}

/** Sends octets and the end, and gives the whole answer as far as it is the same each time. */
async function sendStream(server: TestServer, octets: string): Promise<string> {
  const { host, port } = server
  const socket: Socket = server.tls
    ? tlsConnect({ host, port, ca: testCa, servername: 'localhost' })
    : connect(port, host)
  let answer = ''
  socket.on('error', () => {})
  socket.on('data', (piece: Buffer) => {
    answer += piece.toString('latin1')
    if (answer.length > enough) socket.destroy()
  })
  socket.end(octets, 'latin1')
  await once(socket, 'close')
  return answer.replace(/^(?:Date|WWW-Authenticate): .*\r\n/gm, '')
}

/** Sends a packet, then one that is always answered: by then, the first one has been taken. */
async function sendDatagram(server: TestServer, octets: string): Promise<string> {
  const socket = createSocket('udp4')
  const control = createSocket('udp4')
  const send = (from: typeof socket, packet: string): Promise<unknown> =>
    new Promise((sent) => from.send(Buffer.from(packet, 'latin1'), server.port, server.host, sent))
  try {
    await send(socket, octets)
    const answered = once(control, 'message')
    await send(control, answeredDatagrams[server.protocol] ?? '')
    await answered
    return 'answered'
  } finally {
    socket.close()
    control.close()
  }
}

const answeredDatagrams: Readonly<Record<string, string>> = {
  tftp: '\0\x01no such file\0octet\0',
  prospero: '\x03\x7f\x7fVERSION 5\nDIRECTORY ASCII /docs\n',
}
