/** POP3 and IMAP beside curl, WebSockets beside the library that serves them. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
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
    expect(boxes.map(({ name }) => name).sort()).toEqual(['Archiv ä', 'INBOX', 'Odd'])
    for (const { name, url } of boxes) {
      const messages = await entriesOf(await client.retrieve(url ?? ''))
      expect(messages).toHaveLength(name === 'INBOX' ? 2 : name === 'Odd' ? 7 : 1)
      for (const message of messages) {
        const found = await (await client.retrieve(message.url ?? '')).bytes()
        expect(found).toHaveLength(message.size ?? 0)
      }
    }
    // Reading has not marked the message as seen.
    const [archived] = await entriesOf(await client.retrieve(boxes.find(({ name }) => name !== 'INBOX')?.url ?? ''))
    expect(archived?.details?.flags).not.toContain('\\Seen')
  })

  test('odd mails: the octets of curl, and a mirror of all', async () => {
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    const messages = await entriesOf(await client.retrieve(server.url('imap', '/Odd', { offset: 2 })))
    for (const { name } of messages) {
      const path = `/Odd/;UID=${name}`
      const found = await (await client.retrieve(server.url('imap', path, { offset: 2 }))).bytes()
      expectOctets(found, await curl(server.url('imap', path, { offset: 2, user })))
    }
    const folder = server.path('mirrored')
    const url = server.url('imap', '/', { offset: 2 })
    expect(await client.mirror(url, folder)).toMatchObject({ saved: 10, failed: 0, isComplete: true })
    expect(await client.mirror(url, folder)).toMatchObject({ saved: 0, skipped: 10, failed: 0 })
    expect(await client.mirror(server.url('pop3', '/'), server.path('popped'))).toMatchObject({ saved: 2, failed: 0 })
  })

  test('the command: a mirror of a mailbox', async () => {
    const folder = server.path('by-command')
    const url = server.url('imap', '/INBOX', { offset: 2 })
    const { status, stderr } = await retrieve('mirror', '-u', 'alice:secret', url, folder)
    expect([status, stderr]).toEqual([0, expect.stringMatching(/2/)])
    expect(readdirSync(folder)).toHaveLength(2)
  })

  test.each([
    ['SUBJECT%20Gr%C3%BC%C3%9Fe', 1],
    ['SUBJECT%20%22Gr%C3%BC%C3%9Fe%22', 1],
    ['charset%20UTF-8%20SUBJECT%20%7B7+%7D%0D%0AGr%C3%BC%C3%9Fe', 1],
    ['FROM%20J%C3%BCrgen%20NOT%20DELETED', 1],
    ['SUBJECT%20%22%7B3+%7D%22', 0],
    ['ALL', 7],
  ])('a search: %s', async (query, count) => {
    await using client = createClient()
    const url = server.url('imap', `/Odd?${query}`, { offset: 2, user })
    expect(await entriesOf(await client.retrieve(url))).toHaveLength(count)
  })

  test('parts by their URLs, and one that is not there', async () => {
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    const url = server.url('imap', '/INBOX/;UID=2', { offset: 2 })
    const parts = await entriesOf(await client.retrieve(url))
    expect(parts.map(({ url }) => url)).toEqual([`${url}/;SECTION=1`, `${url}/;SECTION=2`])
    const texts = await Promise.all(parts.map(async ({ url }) => (await client.retrieve(url ?? '')).text()))
    expect(texts).toEqual(['Grüße', 'AAEC'])
    for (const section of ['3', '9.HEADER', '1.TEXT'])
      expect(await errorOf(client.retrieve(`${url}/;SECTION=${section}`)), section).toMatchObject({ code: 'not-found' })
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

suite('imap4d', (server) => {
  const user = 'alice:secret'

  test.each(['/INBOX/;UID=1', '/INBOX/;UID=2', '/INBOX/;UID=2/;SECTION=2', '/INBOX/;UID=1/;SECTION=HEADER'])(
    '%s: the octets of curl',
    async (path) => {
      const url = server.url('imap', path, { user })
      expectOctets(await octets(url), await curl('--login-options', 'AUTH=PLAIN', url))
    },
  )

  test('messages, and their parts', async () => {
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    const messages = await entriesOf(await client.retrieve(server.url('imap', '/INBOX')))
    expect(messages.map(({ name }) => name)).toEqual(['1', '2'])
    const parts = await entriesOf(await client.retrieve(messages[1]?.url ?? ''))
    expect(await (await client.retrieve(parts[1]?.url ?? '')).text()).toBe('AAEC')
  })

  test('a search, and what is not there', async () => {
    const found = server.url('imap', '/INBOX?SUBJECT%20Hello', { user })
    expectOctets(await octets(found), Buffer.from('* SEARCH 1\r\n'))
    for (const path of ['/INBOX/;UID=2/;SECTION=9', '/None'])
      expect(await errorOf(octets(server.url('imap', path, { user })))).toMatchObject({ code: 'not-found' })
    const wrong = server.url('imap', '/INBOX', { user: 'alice:nope' })
    expect(await errorOf(octets(wrong))).toMatchObject({ code: 'auth-failed' })
  })

  test('asked for a message that is not there, it sends the last one: that is not taken for it', async () => {
    const error = await errorOf(octets(server.url('imap', '/INBOX/;UID=9', { user })))
    expect(error).toMatchObject({ code: 'protocol-violation', message: expect.stringMatching(/2 in place of 9/) })
  })
})

suite('hoodiecrow', (server) => {
  const user = 'alice:secret'

  test.each([
    '/',
    '/INBOX/;UID=1',
    '/INBOX/;UID=2',
    '/INBOX/;UID=2/;SECTION=2',
    '/INBOX/;UID=1/;SECTION=HEADER',
    '/INBOX/;UID=1/;PARTIAL=5.9',
  ])('%s: the octets of curl', async (path) => {
    const url = server.url('imap', path, { user })
    expectOctets(await octets(url), await curl(url))
  })

  test('messages, a search, and a mirror', async () => {
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    const url = server.url('imap', '/INBOX')
    const messages = await entriesOf(await client.retrieve(url))
    expect(messages.map(({ name }) => name)).toEqual(['1', '2'])
    expectOctets(await (await client.retrieve(messages[1]?.url ?? '')).bytes(), await server.seed('2.eml'))
    expect(await entriesOf(await client.retrieve(`${url}?SUBJECT%20Hello`))).toHaveLength(1)
    expect(await client.mirror(url, server.path('mirrored'))).toMatchObject({ saved: 2, failed: 0, isComplete: true })
    expect(readdirSync(server.path('mirrored')).sort()).toEqual(['7.1', '7.2'])
  })

  test('what is not there', async () => {
    expect(await errorOf(octets(server.url('imap', '/INBOX/;UID=9', { user })))).toMatchObject({ code: 'not-found' })
    // It says BAD, as to a command that it does not know.
    expect(await errorOf(octets(server.url('imap', '/None', { user })))).toMatchObject({ code: 'server-refused' })
    const wrong = server.url('imap', '/INBOX', { user: 'alice:nope' })
    expect(await errorOf(octets(wrong))).toMatchObject({ code: 'auth-failed' })
  })
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
