/** MQTT beside mosquitto_sub, with messages that mosquitto_pub keeps at the broker. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { errorOf, expectOctets, failure, retrieve, retrieveToFile, type ServerUnderTest, suite } from './suite.ts'

const run = promisify(execFile)
const buffers = { encoding: 'buffer' as const, timeout: 20_000, maxBuffer: 2 ** 26 }
const every = Buffer.from(Uint8Array.from({ length: 256 }, (_, octet) => octet))

function tests(server: ServerUnderTest, publisher: string): void {
  const client = (offset: number, topic: string) => [
    '-h',
    '127.0.0.1',
    '-p',
    String(server.port() + offset),
    '-t',
    topic,
  ]
  const member = ['-u', 'alice', '-P', 'secret']

  /** Keeps a message at the broker, or sends it to those who have subscribed. */
  async function publish(topic: string, message: Buffer, offset = 0, ...options: string[]): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'publish-'))
    await writeFile(join(folder, 'message'), message)
    const login = offset === 1 ? ['-u', publisher, '-P', 'secret'] : []
    await run('mosquitto_pub', [...client(offset, topic), ...login, '-f', join(folder, 'message'), ...options])
    await rm(folder, { recursive: true })
  }

  async function subscribe(topic: string, count: number, offset = 0, ...options: string[]): Promise<Buffer> {
    const login = offset === 1 ? member : []
    const args = [...client(offset, topic), ...login, '-C', String(count), '-W', '15', ...options]
    return (await run('mosquitto_sub', args, buffers)).stdout
  }

  test.each([0, 1, 2])('a message of QoS %i: the octets of mosquitto_sub', async (qos) => {
    await publish(`kept/${qos}`, every, 0, '-r', '-q', String(qos))
    const url = server.url('mqtt', `/kept/${qos}`)
    // -N: without the line end, which a message that is wanted alone has not.
    expectOctets(await retrieveToFile(url, '--count', '1'), await subscribe(`kept/${qos}`, 1, 0, '-N'))
  })

  test('several messages, with line ends between them', async () => {
    for (const [name, text] of [
      ['a', 'one'],
      ['b', 'two\n'],
      ['c', 'Grüße'],
    ] as const)
      await publish(`several/${name}`, Buffer.from(text), 0, '-r')
    const found = await retrieveToFile(server.url('mqtt', '/several/%23'), '--count', '3')
    const beside = await subscribe('several/#', 3)
    expect(found.toString().split('\n').sort()).toEqual(beside.toString().split('\n').sort())
    const plus = await retrieveToFile(server.url('mqtt', '/%2B/b'), '--count', '1')
    expect(plus.toString()).toBe('two\n')
  })

  test('--json has what mosquitto_sub tells', async () => {
    await publish('json/ü', Buffer.from('"Grüße"\n'), 0, '-r')
    const { status, stdout } = await retrieve('--json', '--count', '1', server.url('mqtt', '/json/%C3%BC'))
    const [topic, retain, size] = (await subscribe('json/ü', 1, 0, '-F', '%t|%r|%l')).toString().trim().split('|')
    const expected = { topic, qos: 0, retain: retain === '1', size: Number(size), encoding: 'utf-8' }
    expect([status, JSON.parse(stdout.toString())]).toEqual([0, { ...expected, payload: '"Grüße"\n' }])
  })

  test('a large message', async () => {
    const large = Buffer.alloc(5_000_001, every)
    await publish('large', large, 0, '-r')
    expectOctets(await retrieveToFile(server.url('mqtt', '/large'), '--count', '1'), large)
  })

  test('--max-time ends with what has come, and a published file', async () => {
    await publish('timed', Buffer.from('kept'), 0, '-r')
    const folder = await mkdtemp(join(tmpdir(), 'timed-'))
    const file = join(folder, 'messages')
    const { status, stderr } = await retrieve('-m', '2', '-o', file, server.url('mqtt', '/timed'))
    expect([status, stderr]).toEqual([0, ''])
    expect(await readdir(folder)).toEqual(['messages'])
    expect(await readFile(file, 'utf8')).toBe('kept\n')
    await rm(folder, { recursive: true })
  })

  test('a message that comes while it is waited for', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('mqtt', '/live/%2B'), { count: 1 })
    const text = representation.text()
    await publish('live/y', Buffer.from('now'))
    expect(await text).toBe('now')
  })

  test('logins: of the URL, of -u; a wrong one, and none', async () => {
    await publish('pub/x', Buffer.from('for members'), 1, '-r')
    const url = server.url('mqtt', '/pub/x', { offset: 1 })
    const beside = await subscribe('pub/x', 1, 1, '-N')
    expectOctets(await retrieveToFile(url, '-u', 'alice:secret', '--count', '1'), beside)
    const typed = server.url('mqtt', '/pub/x', { offset: 1, user: 'alice:secret' })
    await using client = createClient()
    expectOctets(await (await client.retrieve(typed, { count: 1 })).bytes(), beside)
    expect(await failure(67, '-u', 'alice:no', '--count', '1', url)).toContain('does not accept the login')
    expect(await failure(67, '--count', '1', url)).toContain('-u')
  })

  test('bad filters are refused before', async () => {
    for (const topic of ['a%23', 'a/%23/b', 'a%2B']) await failure(3, server.url('mqtt', `/${topic}`))
  })
}

suite('mosquitto', (server) => {
  tests(server, 'bob')

  test('a topic that the login may not read brings nothing', async () => {
    const url = server.url('mqtt', '/private/%23', { offset: 1 })
    const { status, stdout } = await retrieve('-u', 'alice:secret', '-m', '1', url)
    expect([status, stdout.length]).toEqual([0, 0])
  })

  test('mqtts', async () => {
    await using client = createClient({ tls: { ca: (await server.seed('cert.pem')).toString() } })
    const url = server.url('mqtts', '/$SYS/broker/version', { offset: 2 })
    expect(await (await client.retrieve(url, { count: 1 })).text()).toMatch(/^mosquitto version 2/)
  })
})

suite('aedes', (server) => {
  tests(server, 'alice')

  test('a topic that the login may not have', async () => {
    await using client = createClient()
    const denied = server.url('mqtt', '/private/x', { offset: 1, user: 'alice:secret' })
    expect(await errorOf(client.retrieve(denied))).toMatchObject({ code: 'access-denied' })
  })
})
