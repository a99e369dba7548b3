/** Whole retrievals from a server that knows the objects of the recordings, and answers with the recorded octets. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createClient, type Representation } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { tokenLines } from '../../../packages/fetchers/src/protocols/prospero/tokens.ts'
import { entriesOf } from '../../support/entries.ts'
import { conversationsOf, readRecording } from './support/recording.ts'

const folder = new URL('./transcripts/', import.meta.url)

/** The recorded answers, by what was asked of which object: the last answer to `LIST /x` and the like. */
const recorded = new Map<string, string>()
for (const name of readdirSync(folder).filter(
  (each) => !/hdr-|unbalanced|path-through|list-(?:one|path|wild|none|missing)/.test(each),
)) {
  for (const { request, answer } of conversationsOf(readRecording(readFileSync(new URL(name, folder), 'latin1'))) ??
    []) {
    const key = keyOf(request)
    // The answer that says most: attributes may come unasked.
    if (answer !== null && answer.length > (recorded.get(key)?.length ?? 0)) recorded.set(key, answer)
  }
}

/** What a request asks: `ATTRIBUTES /x`, `CONTENTS /x`, `LIST /x`, `LIST /x a/b`. */
function keyOf(request: string): string {
  const lines = [...tokenLines(request)]
  const [, names = '', , object] = lines.find(([word]) => word === 'GET-OBJECT-INFO') ?? []
  if (object !== undefined) return `${names === 'CONTENTS' ? 'CONTENTS' : 'ATTRIBUTES'} ${object}`
  const [, , directory] = lines.find(([word]) => word === 'DIRECTORY') ?? []
  const [, , , path] = lines.find(([word]) => word === 'LIST') ?? []
  return `LIST ${directory}${path === undefined || path === '*' ? '' : ` ${path}`}`
}

/** Answers in packets as the real server does: 1250 octets each, the number of packets in the last one alone. */
function packetsOf(id: string, answer: string): Buffer[] {
  const total = Math.ceil(answer.length / 1250)
  if (total === 1) return [Buffer.from(`\x03${id}${answer}`, 'latin1')]
  return Array.from({ length: total }, (_, at) => {
    const header = `\x07${id}\0${String.fromCharCode(at + 1)}\0${String.fromCharCode(at + 1 === total ? total : 0)}`
    return Buffer.from(header + answer.slice(at * 1250, (at + 1) * 1250), 'latin1')
  })
}

async function serve() {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (octets, { port, address }) => {
    if (octets[0] !== 9 || octets.readUInt16BE(3) === 0) return
    const key = keyOf(octets.toString('latin1', 9))
    asked.push(key)
    const missing = key.startsWith('LIST')
      ? 'FAILURE NOT-A-DIRECTORY\n'
      : key.startsWith('C')
        ? 'NONE-FOUND\n'
        : 'FAILURE NOT-FOUND\n'
    const answer = recorded.get(key) ?? missing
    for (const packet of packetsOf(octets.toString('latin1', 1, 3), answer)) socket.send(packet, port, address)
  })
  socket.bind({ address: '127.0.0.1', port: 0 })
  await once(socket, 'listening')
  const { port } = socket.address()
  return { url: `prospero://127.0.0.1:${port}/`, asked, [Symbol.asyncDispose]: async () => void socket.close() }
}

async function retrieve(
  path: string,
  use: (result: Representation, url: string, asked: readonly string[]) => Promise<void>,
) {
  await using server = await serve()
  await using client = createClient({ limits: { maxRetries: 0, idleTimeout: 3000 } })
  await use(await client.retrieve(server.url + path), server.url, server.asked)
}

const tree = '/srv/data/pfs/info-tree'

test('a plain file', async () => {
  await retrieve(`${tree}/docs/hello.txt`, async (result, _, asked) => {
    expect(await result.text()).toBe('hello from prospero\n')
    expect(result).toMatchObject({ size: 20, modified: new Date('2026-11-21T02:42:02Z'), completeness: 'verified' })
    expect(asked).toEqual([`ATTRIBUTES ${tree}/docs/hello.txt`, `CONTENTS ${tree}/docs/hello.txt`])
  })
})

test('a file of several packets', async () => {
  await retrieve(`${tree}/docs/large.txt`, async (result) => {
    const text = await result.text()
    expect(text).toHaveLength(6188)
    expect(text).toMatch(/^(?:line \d{4} of a large file, with a quote ' and spaces\n|line \d{4} [^\n]*\n)+$/)
    expect(result.completeness).toBe('verified')
  })
})

test('a directory', async () => {
  await retrieve(`${tree}/docs`, async (result, url) => {
    const entries = await entriesOf(result)
    expect(entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'file large.txt',
      'directory links',
      'file pic.gif',
      'file other.txt',
      'file hello.txt',
      'directory sub',
      'file bin.dat',
    ])
    // The server calls itself LOCALHOST.
    expect(entries[4]?.url).toBe(`${url}${tree}/docs/hello.txt`)
    expect(entries[3]?.details).toMatchObject({
      accessMethods: [{ method: 'AFTP', url: 'ftp://ftp.example.org/pub/other.txt;type=i' }],
    })
  })
})

test('a directory with links of all kinds', async () => {
  await retrieve(`${tree}/empty`, async (result, url) => {
    expect((await entriesOf(result)).map(({ name, url: to }) => [name, to?.replace(url, '') ?? null])).toEqual([
      ['ext.gif', 'ftp://ftp.example.org/pub/ext.gif;type=i'],
      ['plain', 'prospero://ftp.example.org//pub/plain.txt'],
      ['far', 'prospero://other.example.org:1526/ARCHIE/HOST'],
      ['sym', null],
      ['deep.txt', `${tree}/docs/sub/deep.txt`],
    ])
  })
})

test('names with blanks and quotes', async () => {
  await retrieve(`${tree}/odd%20names`, async (result, url) => {
    expect((await entriesOf(result)).map(({ name, url: to }) => [name, to])).toEqual([
      ["it's a file", `${url}${tree}/odd%20names/it's%20a%20file`],
      ['with space.txt', `${url}${tree}/odd%20names/with%20space.txt`],
    ])
  })
})

test('an object that others have', async () => {
  await retrieve('/srv/data/pfs/pfsdat/virtual', async (result) => {
    expect((await entriesOf(result)).map(({ url }) => url)).toEqual([
      'gopher://gopher.example.org:70/00/some%20file',
      'ftp://ftp.example.org/pub/virtual.txt;type=a',
      null,
      null,
    ])
  })
})

test('a directory of eight packets', async () => {
  await retrieve(`${tree}/big`, async (result) => {
    const entries = await entriesOf(result)
    expect(entries.length).toBeGreaterThan(50)
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
  })
})

test.each([
  [`${tree}/docs/nosuch.txt`, 'not-found'],
  ['/etc/passwd', 'access-denied'],
])('%s is %s', async (path, code) => {
  await expect(retrieve(path, async () => {})).rejects.toMatchObject({ code })
})
