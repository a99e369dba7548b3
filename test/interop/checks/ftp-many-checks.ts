/** Many files, which all come: of every FTP server, by the library and by the command. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorOf, expectOctets, retrieve, retrieveToFile, type ServerUnderTest } from '../suite.ts'
import { listed, retrieveEach, seedNames, watched } from './ftp-seed.ts'

/** Connections to one server at a time, where nothing else is said. */
const cap = 4

interface Costs {
  /** Sessions that the server ends, each of which costs a login more. */
  readonly lost?: number
}

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${String(index).padStart(3, '0')}.txt`)

/** Servers that know only a part of FTP give each file of the seed, one after the other, and a listing. */
export function files(server: ServerUnderTest): void {
  test('every octet of each file, in one session', async () => {
    await using watch = watched()
    const paths = ['bytes.bin', 'big.bin', 'empty.txt', 'hello.txt', 'crlf.txt', 'noeol.txt', 'big.bin']
    const url = (path: string) => server.url('ftp', path)
    await retrieveEach(
      watch.client,
      server,
      url,
      paths.map((name) => `pub/${name}`),
    )
    expect(watch.connections(server.port())).toBe(1)
    expect(watch.events.filter(({ type }) => type === 'retried')).toEqual([])
  })

  test('a user with a password', async () => {
    const path = server.url('ftp', '/pub/sub/deep/file.txt', { user: 'alice:secret' })
    expectOctets(await retrieveToFile(path), await server.seed('root/pub/sub/deep/file.txt'))
  })

  test('a listing', async () => {
    expect(await listed(server.url('ftp', '/pub/'))).toEqual(await seedNames(server, { format: 'list' }))
  })

  test('after a file that is missing the next one comes', async () => {
    await using watch = watched()
    await retrieveEach(watch.client, server, (path) => server.url('ftp', path), ['pub/bytes.bin'])
    expect(await errorOf(watch.client.retrieve(server.url('ftp', '/pub/none.txt')))).toMatchObject({
      reply: expect.stringMatching(/^5(?:00|5[01]) /),
    })
    await retrieveEach(watch.client, server, (path) => server.url('ftp', path), ['pub/big.bin'])
  })
}

/** A listener, at an offset, that allows fewer sessions than we would open. */
export function few(server: ServerUnderTest, offset: number): void {
  test('twelve files of a server that allows two sessions at a time', async () => {
    await using watch = watched()
    const wanted = new Map(names(12).map((name) => [server.url('ftp', `/many/${name}`, { offset }), name]))
    for await (const { url, representation, error } of watch.client.retrieveAll([...wanted.keys()])) {
      expect(error).toBe(null)
      expectOctets(
        (await representation?.bytes()) ?? Buffer.alloc(0),
        await server.seed(`root/many/${wanted.get(url)}`),
      )
    }
    // Two that serve, and two that were refused.
    expect(watch.connections(server.port() + offset)).toBeLessThanOrEqual(4)
  })
}

/** 200 files by retrieveAll, 60 by the command: each with its octets, and no login more than sessions are allowed. */
export function many(server: ServerUnderTest, { lost = 0 }: Costs = {}): void {
  test('200 files by retrieveAll, over four sessions', async () => {
    await using watch = watched()
    const missing = new Map(names(200).map((name) => [server.url('ftp', `/many/${name}`), name]))
    for await (const { url, representation, error } of watch.client.retrieveAll([...missing.keys()])) {
      expect(error).toBe(null)
      expectOctets(
        (await representation?.bytes()) ?? Buffer.alloc(0),
        await server.seed(`root/many/${missing.get(url)}`),
      )
      missing.delete(url)
    }
    expect([...missing.values()]).toEqual([])
    expect(watch.connections(server.port())).toBeLessThanOrEqual(cap + lost)
    expect(watch.events.filter(({ type }) => type === 'retried').length).toBeLessThanOrEqual(lost)
  })

  test('60 files by the command', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'retrieve-'))
    try {
      const wanted = names(60)
      const urls = wanted.map((name) => server.url('ftp', `/many/${name}`))
      const { status, stderr } = await retrieve('-s', '-S', '--remote-name-all', '--output-dir', dir, ...urls)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      for (const name of wanted) {
        expectOctets(await readFile(join(dir, name)), await server.seed(`root/many/${name}`))
      }
    } finally {
      await rm(dir, { recursive: true })
    }
  })
}
