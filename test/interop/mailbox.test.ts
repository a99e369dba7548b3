/** POP3 and MQTT beside curl, WebSockets beside the library that serves them. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createClient, type Representation, type RetrievalEvent } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { errorOf, expectOctets, retrieve, suite } from './suite.ts'

const run = promisify(execFile)

/** The octets that curl writes to standard output, however it ends. */
async function curl(...args: string[]): Promise<Buffer> {
  const options = { encoding: 'buffer' as const, timeout: 20_000 }
  return run('curl', ['-s', '-k', ...args], options).then(
    ({ stdout }) => stdout,
    (error: unknown) => Object(error).stdout,
  )
}

async function octets(url: string, options: Parameters<typeof createClient>[0] = {}): Promise<Uint8Array> {
  await using client = createClient({ tls: { insecure: true }, ...options })
  return await (await client.retrieve(url)).bytes()
}

suite('dovecot', (server) => {
  const user = 'alice:secret'

  test.each([
    ['pop3', '/', 0],
    ['pop3', '/1', 0],
    ['pop3', '/2', 0],
    ['pop3s', '/', 1],
    ['pop3s', '/2', 1],
  ])('%s %s: the octets of curl', async (scheme, path, offset) => {
    const url = server.url(scheme, path, { offset, user })
    expectOctets(await octets(url), await curl(url))
  })

  test('STLS', async () => {
    const url = server.url('pop', '/1', { user })
    expectOctets(
      await octets(url, { defaults: { requireTls: true } }),
      await curl('--ssl-reqd', url.replace('pop', 'pop3')),
    )
  })

  test('messages as entries, and their parts', async () => {
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    const messages = await entriesOf(await client.retrieve(server.url('pop3', '/')))
    expect(messages).toMatchObject([{ kind: 'article' }, { kind: 'article', details: { uid: expect.any(String) } }])
    const parts = await entriesOf(await client.retrieve(messages[1]?.url ?? ''))
    expect(parts.map(({ name }) => name)).toEqual(['text/plain', 'a.bin'])
  })

  test.each([
    ['imap', '/INBOX/;UID=1', 2],
    ['imap', '/INBOX/;UID=2', 2],
    ['imap', '/INBOX/;UID=2/;SECTION=2', 2],
    ['imap', '/', 2],
    ['imaps', '/INBOX/;UID=2/;SECTION=HEADER', 3],
  ])('%s %s: the octets of curl', async (scheme, path, offset) => {
    const url = server.url(scheme, path, { offset, user })
    expectOctets(await octets(url), await curl(url))
  })

  test('STARTTLS, and a search', async () => {
    const url = server.url('imap', '/INBOX?SUBJECT%20Hello', { offset: 2, user })
    expectOctets(await octets(url, { defaults: { requireTls: true } }), Buffer.from('* SEARCH 1\r\n'))
  })

  test.each([
    ['pop3', '/1', 0],
    ['pop3s', '/1', 1],
    ['imap', '/INBOX/;UID=1', 2],
    ['imaps', '/INBOX/;UID=1', 3],
  ])('%s: SASL PLAIN, the octets of curl', async (scheme, path, offset) => {
    const events: RetrievalEvent[] = []
    const onEvent = (event: RetrievalEvent): void => void events.push(event)
    const url = (way: string) => server.url(scheme, path, { offset, user: `alice;AUTH=${way}:secret` })
    expectOctets(await octets(url('PLAIN'), { onEvent }), await curl(url('PLAIN')))
    const sent = events.flatMap((event) => (event.type === 'sent' ? [event.octets] : [])).join('')
    expect(sent).toMatch(/AUTH(?:ENTICATE)? PLAIN(?:\r\n)? ?<password>/)
    expect(sent).not.toMatch(/LOGIN|USER/)
    const wrong = server.url(scheme, path, { offset, user: 'alice;AUTH=PLAIN:nope' })
    expect(await errorOf(octets(wrong))).toMatchObject({ code: 'auth-failed' })
  })

  test('mailboxes, messages and parts as entries', async () => {
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    const boxes = await entriesOf(await client.retrieve(server.url('imap', '/', { offset: 2 })))
    expect(boxes.map(({ name }) => name).sort()).toEqual(['Archiv ä', 'INBOX'])
    for (const { name, url } of boxes) {
      const messages = await entriesOf(await client.retrieve(url ?? ''))
      expect(messages).toHaveLength(name === 'INBOX' ? 2 : 1)
      for (const message of messages) {
        const found = await (await client.retrieve(message.url ?? '')).bytes()
        expect(found).toHaveLength(message.size ?? 0)
      }
    }
    // Reading has not marked the message as seen.
    const [archived] = await entriesOf(await client.retrieve(boxes.find(({ name }) => name !== 'INBOX')?.url ?? ''))
    expect(archived?.details?.flags).not.toContain('\\Seen')
  })

  test('errors', async () => {
    expect(await errorOf(octets(server.url('pop3', '/9', { user })))).toMatchObject({ code: 'not-found' })
    const wrong = server.url('pop3', '/', { user: 'alice:nope' })
    expect(await errorOf(octets(wrong))).toMatchObject({ code: 'auth-failed' })
  })

  test('the command: -u, and a part', async () => {
    const url = server.url('pop3', '/2')
    const { status, stdout } = await retrieve('-u', 'alice:secret', '--part', '1', url)
    expect([status, stdout.toString().trim()]).toEqual([0, 'Grüße'])
  })
})

suite('mosquitto', (server) => {
  test('the octets of curl, until --max-time', async () => {
    const url = server.url('mqtt', '/pub/x')
    await publish('pub/x', Buffer.from(Uint8Array.from({ length: 256 }, (_, octet) => octet)))
    const { status, stdout } = await retrieve('--max-time', '2', url)
    expect(status).toBe(28)
    expect(stdout).toHaveLength(256)
    // curl writes the length of the topic and the topic before the payload.
    const [header, beside] = [Buffer.from('\0\x05pub/x'), await curl('--max-time', '2', url)]
    expectOctets(beside.subarray(0, header.length), header)
    expectOctets(stdout, beside.subarray(header.length))
  })

  test('a message that comes while it is waited for', async () => {
    await using client = createClient()
    const representation: Representation = await client.retrieve(server.url('mqtt', '/live/%2B'))
    const reader = representation.body.getReader()
    const first = reader.read()
    await publish('live/y', Buffer.from('now'))
    expect(Buffer.from((await first).value ?? []).toString()).toBe('now')
    await reader.cancel()
  })

  /** Keeps a message at the broker, by curl. */
  async function publish(topic: string, message: Buffer): Promise<void> {
    const { connect } = await import('node:net')
    const socket = connect(server.port(), '127.0.0.1')
    const name = Buffer.from(topic)
    const content = Buffer.concat([Buffer.from([0, name.length]), name, message])
    const size = content.length < 128 ? [content.length] : [(content.length & 127) | 128, content.length >> 7]
    socket.write(
      Buffer.concat([Buffer.from([0x10, 13, 0, 4]), Buffer.from('MQTT'), Buffer.from([4, 2, 0, 60, 0, 1, 0x70])]),
    )
    socket.write(Buffer.concat([Buffer.from([0x31, ...size]), content, Buffer.from([0xe0, 0])]))
    socket.resume()
    await new Promise((resolve) => socket.once('close', resolve))
  }
})

suite('websockets', (server) => {
  test.each([
    [
      '/',
      Buffer.concat([Buffer.from('one\nGrüße\n'), Buffer.from(Uint8Array.from({ length: 256 }, (_, octet) => octet))]),
    ],
    ['/big', Buffer.from(`${'x'.repeat(1_000_000)}\n`)],
    ['/pieces', Buffer.from('abc\n')],
    ['/wait', Buffer.from('after the pong\n')],
  ])('%s: the messages that were sent', async (path, expected) => {
    expectOctets(await octets(server.url('ws', path)), expected)
  })
})
