/** Packets that few servers send (Prospero protocol 5, appendix B: ARDP), from a server that is a script. */
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { expect, test } from 'vitest'

/** A packet from the client. */
interface Asked {
  /** Its connection id. */
  readonly id: string
  /** The number of the packet; 0: an acknowledgement. */
  readonly number: number
  readonly through: number
  /** The commands, without the lines before them. */
  readonly text: string
}

const two = (value: number): string => String.fromCharCode(value >> 8, value & 255)
const numbered = (id: string, number: number, total: number): string => `\x07${id}${two(number)}${two(total)}`
/** A header up to the flags: 0x40 is a control packet, 0x80 wants an acknowledgement. */
const flagged = (id: string, number: number, total: number, flags: number): string =>
  `\x0c${id}${two(number)}${two(total)}${two(0)}${two(0)}${String.fromCharCode(flags)}`

/** Lists `prospero://127.0.0.1:PORT//d` of a server that answers each packet of the client by these. */
async function list(
  answers: (asked: Asked, before: readonly Asked[]) => readonly string[],
  options: RetrieveOptions = {},
) {
  const socket = createSocket('udp4')
  const seen: Asked[] = []
  socket.on('message', (octets: Buffer, { port, address }: RemoteInfo) => {
    const [length = 0] = octets
    const text = octets.toString('latin1')
    // 13 octets of header cancel the request.
    if (length > 9) return
    const asked = {
      id: text.slice(1, 3),
      number: octets.readUInt16BE(3),
      through: octets.readUInt16BE(7),
      text: text.slice(length).replace(/^VERSION.*\nAUTHENTICATE.*\n/, ''),
    }
    const packets = answers(asked, [...seen])
    seen.push(asked)
    for (const packet of packets) socket.send(Buffer.from(packet, 'latin1'), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  await using client = createClient({ limits: { maxRetries: 0, idleTimeout: 3000, maxCollected: 50_000 } })
  try {
    const result = await client.retrieve(`prospero://127.0.0.1:${socket.address().port}//d`, options)
    const names: string[] = []
    for await (const { name } of result.entries()) names.push(name)
    return { names, seen, error: null }
  } catch (error) {
    return { names: null, seen, error }
  } finally {
    socket.close()
  }
}

const link = (name: string): string => `LINK L FILE ${name} INTERNET-D LOCALHOST ASCII /${name} 0\n`
const missing = ({ id }: Asked): readonly string[] => [`\x03${id}FAILURE NOT-FOUND\n`]
/** The answers to the request for links alone; the one for attributes finds none. */
const toLinks =
  (answers: (asked: Asked, before: readonly Asked[]) => readonly string[]) =>
  (asked: Asked, before: readonly Asked[]): readonly string[] =>
    asked.text.startsWith('GET-OBJECT-INFO') ? missing(asked) : answers(asked, before)

test('a packet behind the last one is ignored', async () => {
  const { names } = await list(
    toLinks(({ id }) => [
      numbered(id, 1, 2) + link('a'),
      numbered(id, 3, 2) + link('forged'),
      numbered(id, 2, 2) + link('b'),
    ]),
  )
  expect(names).toEqual(['a', 'b'])
})

test('case 76, packets far ahead of those that have come are not kept', async () => {
  const { names, error } = await list(
    toLinks(({ id }) => [
      ...Array.from({ length: 100 }, (_, at) => numbered(id, 1000 + at, 0) + 'x'.repeat(1000)),
      `\x03${id}${link('a')}`,
    ]),
  )
  expect(error).toBeNull()
  expect(names).toEqual(['a'])
})

test('each packet that wants it is acknowledged', async () => {
  const { names, seen } = await list(
    toLinks(({ id, number }, before) => {
      if (number > 0) return [flagged(id, 1, 3, 0x80) + link('a'), flagged(id, 2, 3, 0x80) + link('b')]
      return before.at(-1)?.number === 0 ? [numbered(id, 3, 3) + link('c')] : []
    }),
  )
  expect(names).toEqual(['a', 'b', 'c'])
  expect(seen.filter(({ number }) => number === 0).map(({ through }) => through)).toEqual([1, 2])
})

test('the octets of a control packet are none of the message', async () => {
  const { names } = await list(
    toLinks(({ id }) => [flagged(id, 1, 2, 0x40) + link('control'), numbered(id, 2, 2) + link('a')]),
  )
  expect(names).toEqual(['a'])
})

test('case 76, packets of another version, and such as are shorter than their header, are ignored', async () => {
  const { names } = await list(
    toLinks(({ id }) => [
      `\x43${id}${two(1)}${two(1)}${'\0'.repeat(60)}${link('version')}`,
      `\x20${id}${two(1)}${two(1)}`,
      '\x02x',
      '',
      `\x03${id}${link('a')}`,
    ]),
  )
  expect(names).toEqual(['a'])
})

test('union links are followed eight deep', async () => {
  const { names, seen } = await list(
    toLinks(({ id, text }) => {
      const depth = Number(/^DIRECTORY ASCII \/u(\d+)/.exec(text)?.[1] ?? 0)
      const next = `LINK U DIRECTORY un INTERNET-D LOCALHOST ASCII /u${depth + 1} 0\n`
      return [`\x03${id}${link(`f${depth}`)}${next}`]
    }),
  )
  expect(names).toEqual(Array.from({ length: 9 }, (_, depth) => `f${depth}`))
  expect(seen).toHaveLength(10)
})

test('a failure of the server may be temporary, another one is not', async () => {
  const failing = (words: string) => list(({ id }) => [`\x03${id}FAILURE ${words}\n`])
  expect((await failing('SERVER-FAILED disk')).error).toMatchObject({ code: 'server-refused', transient: true })
  expect((await failing('NOT-AUTHORIZED')).error).toMatchObject({ code: 'access-denied', transient: false })
})
