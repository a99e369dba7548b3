/** How retrievals share connections, and what a server may answer on one of them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type Client, type ClientOptions, createClient } from '@retriever/fetchers'
import type { TestServer } from '@retriever/servers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Fields, packet, packetOf } from '../../../packages/fetchers/src/protocols/sftp/packets.ts'
import { entriesOf } from '../../support/entries.ts'
import { failure } from '../../support/failure.ts'
import { knownLine, type SftpOptions, startSftpServer } from '../../support/sftp-server.ts'

async function start(options: SftpOptions): Promise<TestServer> {
  const server = await startSftpServer(options)
  onTestFinished(() => server.close())
  return server
}

function clientOf(server: TestServer, options: ClientOptions = {}): Client {
  const client = createClient({
    credentials: () => ({ user: 'alice', password: 'secret' }),
    ssh: { hostKeys: [knownLine(server)] },
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

describe('one login', () => {
  test('is enough for a mirror of 300 files', async () => {
    let logins = 0
    const server = await start({ many: 300, onLogin: () => logins++ })
    const folder = mkdtempSync(join(tmpdir(), 'sftp-mirror-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const summary = await clientOf(server).mirror(`${server.url}many/`, folder)
    expect(summary).toMatchObject({ saved: 300, failed: 0 })
    expect(readdirSync(folder)).toHaveLength(300)
    expect(readFileSync(join(folder, '299'), 'utf8')).toBe('file 299\n')
    expect([logins, server.accepted]).toEqual([1, 1])
  })

  test('is enough for retrievals that begin together, and for bodies that nobody reads', async () => {
    const server = await start({})
    const client = clientOf(server, { limits: { idleTimeout: 3000 } })
    const urls = Array.from({ length: 20 }, () => `${server.url}pub/big.bin`)
    const bodies = await Promise.all(urls.map((url) => client.retrieve(url)))
    const text = await (await client.retrieve(`${server.url}pub/hello.txt`)).text()
    expect([text, server.accepted]).toEqual(['Hello.\n', 1])
    await Promise.all(bodies.map((body) => body.cancel()))
  })

  test('serves the retrieval beyond 64 unread bodies, which takes the place of the one left longest', async () => {
    const server = await start({})
    const client = clientOf(server, { limits: { idleTimeout: 1500 } })
    const url = `${server.url}pub/hello.txt`
    const unread = await Promise.all(Array.from({ length: 64 }, () => client.retrieve(url)))
    expect(await (await client.retrieve(url)).text()).toBe('Hello.\n')
    const texts = await Promise.allSettled(unread.map((body) => body.text()))
    const lost = texts.flatMap((text) => (text.status === 'rejected' ? [text.reason] : []))
    expect(lost).toMatchObject([{ code: 'partial', transient: true }])
    expect(lost[0].message).toContain('The body was left unread while other retrievals waited')
    expect(server.accepted).toBe(1)
  })

  test('serves each of several retrievals beyond 64 unread bodies, which stay unread themselves', async () => {
    const server = await start({})
    const client = clientOf(server, { limits: { idleTimeout: 1500 } })
    const url = `${server.url}pub/hello.txt`
    const unread = await Promise.all(Array.from({ length: 64 }, () => client.retrieve(url)))
    const later = await Promise.all([client.retrieve(url), client.retrieve(url)])
    const texts = await Promise.allSettled([...unread, ...later].map((body) => body.text()))
    expect(texts.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    expect(texts.slice(-2)).toMatchObject([{ value: 'Hello.\n' }, { value: 'Hello.\n' }])
  })

  test('case 38, of another user, or after insecure, is another connection', async () => {
    const server = await start({})
    const at = (user: string): string => `${server.url.replace('//', `//${user}`)}pub/hello.txt`
    const client = clientOf(server)
    for (const user of ['', '', 'alice:secret@', 'alice:secret@']) await (await client.retrieve(at(user))).text()
    expect(server.accepted).toBe(2)
    expect(await failure(client.retrieve(at('alice:wrong@')))).toMatchObject({ code: 'auth-failed' })
  })

  test.each(['caller', 'URL'])('of the %s that was refused is not sent for each URL of a list', async (whose) => {
    const sent: string[] = []
    const server = await start({ onPassword: (password) => sent.push(password) })
    let password = 'wrong'
    const client = clientOf(server, { credentials: () => ({ user: 'alice', password }) })
    const url = `${server.url}pub/hello.txt`
    const wrong = whose === 'URL' ? url.replace('//', '//alice:wrong@') : url
    const errors: unknown[] = []
    for await (const { error } of client.retrieveAll(Array(20).fill(wrong))) errors.push(error)
    expect(errors).toEqual(Array(20).fill(expect.objectContaining({ code: 'auth-failed', phase: 'login' })))
    expect(sent).toEqual(['wrong'])
    password = 'secret'
    expect(await (await client.retrieve(url)).text()).toBe('Hello.\n')
  })

  test('ends with the client, and keeps nothing else open', async () => {
    const server = await start({})
    const client = clientOf(server)
    await (await client.retrieve(`${server.url}pub/hello.txt`)).text()
    expect(server.connections).toBe(1)
    await client.close()
    await server.waitForConnections(0)
  })
})

describe('a connection that breaks', () => {
  test('while it is idle, is replaced', async () => {
    let channels = 0
    const server = await start({
      raw: (stream) => {
        channels++
        answering(stream, (_type, id) => {
          setImmediate(() => stream.end())
          return packetOf(packet.status, id, 2, 'none', '')
        })
      },
    })
    const client = clientOf(server, { limits: { maxRetries: 0 } })
    for (const round of [1, 2]) {
      expect(await failure(client.retrieve(`${server.url}x`))).toMatchObject({ code: 'not-found' })
      await server.waitForConnections(0)
      expect(channels).toBe(round)
    }
  })

  test('at the next request, is replaced once, and a second time it is an error', async () => {
    let channels = 0
    const server = await start({
      raw: (stream) => {
        channels++
        const isFirst = channels === 1
        let stats = 0
        answering(stream, (type, id) => {
          if (type !== packet.stat) return packetOf(packet.status, id, 4, 'no', '')
          if (isFirst && stats++ === 0) return packetOf(packet.status, id, 2, 'none', '')
          stream.destroy()
          return null
        })
      },
    })
    const client = clientOf(server, { limits: { maxRetries: 0 } })
    expect(await failure(client.retrieve(`${server.url}x`))).toMatchObject({ code: 'not-found' })
    expect(await failure(client.retrieve(`${server.url}x`))).toMatchObject({ code: 'receive-failed' })
    expect(channels).toBe(2)
  })
})

describe('names', () => {
  test('that are not UTF-8 are listed with URLs that ask for their octets', async () => {
    const asked: string[] = []
    const directory = [4, 0o040755] as const
    const file = [4, 0o100644] as const
    let isListed = false
    const server = await start({
      raw: (stream) =>
        answering(stream, (type, id, fields) => {
          if (type === packet.stat) {
            asked.push(fields.text())
            return packetOf(packet.attributes, id, ...(asked.length === 1 ? directory : file))
          }
          if (type === packet.openDirectory || type === packet.open) return packetOf(packet.handle, id, 'h')
          if (type === packet.close) return packetOf(packet.status, id, 0, '', '')
          if (type !== packet.readDirectory || isListed) return packetOf(packet.status, id, 1, 'end', '')
          isListed = true
          return packetOf(packet.names, id, 2, 'caf\xE9', 'caf\xE9', ...file, 'a\nb', '', ...file)
        }),
    })
    const client = clientOf(server)
    const entries = await entriesOf(await client.retrieve(`${server.url}d/`))
    expect(entries.map(({ name, url }) => [name, url])).toEqual([
      ['café', `${server.url}d/caf%E9`],
      ['a\nb', `${server.url}d/a%0Ab`],
    ])
    for (const { url } of entries) expect(await (await client.retrieve(url ?? '')).text()).toBe('')
    expect(asked).toEqual(['/d/', '/d/caf\xE9', '/d/a\nb'])
  })

  /** A server that answers each request for names by these. */
  const always = (...names: readonly string[]) =>
    start({
      raw: (stream) =>
        answering(stream, (type, id) => {
          if (type === packet.stat) return packetOf(packet.attributes, id, 4, 0o040755)
          if (type === packet.openDirectory) return packetOf(packet.handle, id, 'h')
          if (type === packet.close) return packetOf(packet.status, id, 0, '', '')
          return packetOf(packet.names, id, names.length, ...names.flatMap((name) => [name, name, 4, 0o040755]))
        }),
    })

  test('case 43, that are none are the end of a directory, as for OpenSSH', async () => {
    const server = await always()
    expect(await entriesOf(await clientOf(server).retrieve(`${server.url}d/`))).toEqual([])
  })

  test('case 43, that are only dots are no directory without end', async () => {
    const server = await always('.', '..')
    const client = clientOf(server, { limits: { maxCollected: 1024 } })
    expect(await failure(client.retrieve(`${server.url}d/`))).toMatchObject({ code: 'limit-exceeded' })
  })

  test('with an encoded NUL are refused', async () => {
    const client = createClient()
    expect(await failure(client.retrieve('sftp://localhost/a%00b'))).toMatchObject({ code: 'malformed-url' })
  })
})

describe('cases 39 and 64, a server that breaks SFTP', () => {
  test.each([
    ['an answer that was not asked for', (id: number) => packetOf(packet.attributes, id + 7, 4, 0o100644)],
    ['an answer of another type', (id: number) => packetOf(packet.handle, id, 'h')],
    ['attributes that end early', (id: number) => packetOf(packet.attributes, id, 15, 1)],
    ['a packet of 4 GB', () => Buffer.from([255, 255, 255, 255, packet.attributes])],
    ['a packet without a number', () => Buffer.from([0, 0, 0, 1, packet.attributes])],
  ])('%s: a violation, and the connection is closed', async (_what, answer) => {
    const server = await start({ raw: (stream) => answering(stream, (_type, id) => answer(id)) })
    const client = clientOf(server, { limits: { maxRetries: 0 } })
    expect(await failure(client.retrieve(`${server.url}x`))).toMatchObject({ code: 'protocol-violation' })
    await server.waitForConnections(0)
  })

  test('more octets than were asked for: a violation', async () => {
    const server = await start({
      raw: (stream) =>
        answering(stream, (type, id) => {
          if (type === packet.stat) return packetOf(packet.attributes, id, 5, 0n + 10n, 0o100644)
          if (type === packet.open) return packetOf(packet.handle, id, 'h')
          return type === packet.read ? packetOf(packet.data, id, 'x'.repeat(11)) : packetOf(packet.status, id, 0)
        }),
    })
    const client = clientOf(server, { limits: { maxRetries: 0 } })
    const body = await client.retrieve(`${server.url}x`)
    expect(await failure(body.bytes())).toMatchObject({ code: 'protocol-violation' })
  })
})

/** A file whose size is told as `size`, and whose octets are `content`. */
function fileOf(size: bigint, content: string): (stream: Duplex) => void {
  return (stream) =>
    answering(stream, (type, id, fields) => {
      if (type === packet.stat) return packetOf(packet.attributes, id, 5, size, 0o100644)
      if (type === packet.open) return packetOf(packet.handle, id, 'h')
      if (type !== packet.read) return packetOf(packet.status, id, 0)
      fields.text()
      const from = fields.largeNumber()
      const octets = content.slice(from, from + fields.number())
      return octets === '' ? packetOf(packet.status, id, 1) : packetOf(packet.data, id, octets)
    })
}

test('R31: a file that ends before its size is partial', async () => {
  const server = await start({ raw: fileOf(10n, 'four') })
  const client = clientOf(server, { limits: { maxRetries: 0 } })
  const body = await client.retrieve(`${server.url}x`)
  expect(await failure(body.bytes())).toMatchObject({ code: 'partial', phase: 'body' })
})

test('R31: a file that grows ends where it ended at first', async () => {
  const server = await start({ raw: fileOf(4n, 'four and more') })
  expect(await (await clientOf(server).retrieve(`${server.url}x`)).text()).toBe('four')
})

/** Answers each request behind INIT; null: not at all. */
function answering(stream: Duplex, answer: (type: number, id: number, fields: Fields) => Buffer | null): void {
  let held = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE()) {
      const body = held.subarray(4, 4 + held.readUInt32BE())
      held = held.subarray(4 + body.length)
      const fields = new Fields(body.subarray(1))
      const id = fields.number()
      const octets = body[0] === packet.init ? packetOf(packet.version, 3) : answer(body[0] as number, id, fields)
      if (octets !== null) stream.write(octets)
    }
  })
}
