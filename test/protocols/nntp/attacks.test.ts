/**
 * Cases of docs/internals/threats.md, section 1, by number: what news URLs and hostile news servers try, and must not
 * get.
 */
import type { ClientOptions } from '@retriever/fetchers'
import { startNntpServer } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialled } from '../../support/events.ts'
import { body, everyDoor, listed, told } from '../../support/outcome.ts'
import { type Victim, victim } from '../../support/wire/victim.ts'

let bystander: Victim
beforeEach(async () => {
  bystander = await victim()
})
afterEach(async () => {
  await bystander[Symbol.asyncDispose]()
})

describe('case 25, commands in groups, numbers and message-ids: refused before anything is opened', () => {
  test.each([
    'nntp://HOST/g%0d%0aPOST/1',
    'nntp://HOST/g%0aPOST',
    'nntp://HOST/g%0d/1',
    'nntp://HOST/g%00/1',
    'nntp://HOST/g%09x/1',
    'nntp://HOST/*%09',
    'nntp://HOST/g%20h/1',
    'nntp://HOST/g/1%0d%0aPOST',
    'nntp://HOST/g/1%20',
    'nntp://HOST/g/1-2%0d%0aPOST',
    'nntp://HOST/g/+1',
    'nntp://HOST/g/0',
    'nntp://HOST/g/2147483648',
    'nntp://HOST/g/1/2',
    'news://HOST/x%0d%0aQUIT@h',
    'news://HOST/x%0aQUIT@h',
    'news://HOST/x%00@h',
    'news://HOST/x%20y@h',
    'news://HOST/x%09y@h',
    'news://HOST/x%3e@h',
    'news://HOST/%3cx@h%3e',
    'news://HOST/gr%C3%BC%C3%9Fe@h',
    `news://HOST/${'x'.repeat(249)}@h`,
    'news://HOST/*%0d%0aQUIT',
    'news://HOST/g%20h',
    'news://HOST/!g%09*',
  ])('%s', async (template) => {
    const url = template.replace('HOST', `127.0.0.1:${bystander.port}`)
    for (const policy of [{}, { allow: ['foreign-port', 'option-injection'] as const }]) {
      for (const { error, events } of await everyDoor(url, { policy })) {
        expect(error, url).toMatchObject({ code: expect.stringMatching(/^(refused|malformed-url)$/) })
        expect(dialled(events)).toEqual([])
      }
    }
    expect(bystander.connections).toBe(0)
  })

  test('by the configured server, too', async () => {
    const defaults = { newsServer: `127.0.0.1:${bystander.port}` }
    for (const { error } of await everyDoor('news:x%0d%0aQUIT@h', { defaults })) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(refused|malformed-url)$/) })
    }
    expect(bystander.connections).toBe(0)
  })

  test('the longest message-id, of 250 octets with its brackets, is asked for (RFC 3977 3.6)', async () => {
    await using server = await startNntpServer()
    const id = `${'x'.repeat(246)}@h`
    expect((await body(`news://127.0.0.1:${server.port}/${id}`)).error).toMatchObject({ code: 'not-found' })
    expect(server.received).toContain(`ARTICLE <${id}>`)
  })

  test.each([
    { user: 'alice\r\nPOST', password: 'secret' },
    { user: 'alice', password: 's3cr3t\r\nPOST' },
    { user: 'alice', password: 's3cr3t\0' },
  ])('nor in a login that is asked for: $user $password', async (known) => {
    await using server = await startNntpServer({ auth: 'required' })
    const { error, events } = await body(`${server.url}retriever.test/1`, { credentials: () => known })
    expect(error).toMatchObject({ code: 'refused' })
    expect(server.received.join('\n')).not.toMatch(/POST|\0/)
    expect(JSON.stringify([error, error?.message, error?.stack, events])).not.toContain('s3cr3t')
  })
})

describe('case 33, terminal escapes: octets of the server drive no terminal', () => {
  const hostile = '\x1b]52;c;ZXZpbA==\x07\x7f\xe2\x80\xae'

  test.each([
    ['the greeting', { greeting: `502 ${hostile}\r\n` }],
    ['a greeting of something else', { greeting: `${hostile}\r\n` }],
    ['a missing group', { GROUP: `411 ${hostile}\r\n` }],
    ['a missing article', { ARTICLE: `430 ${hostile}\r\n` }],
    ['a login', { GROUP: `480 ${hostile}\r\n` }],
    ['what is no reply', { GROUP: `${hostile}\r\n` }],
    ['a goodbye', { GROUP: `400 ${hostile}\r\n` }],
  ])('%s, in the error', async (_, replies) => {
    await using server = await startNntpServer({ faults: { replies } })
    const { error } = await body(`${server.url}retriever.test/1`)
    const words = `${error?.message} ${error?.reply}`
    expect(words).toContain('\\e]52;c')
    expect(`${words} ${error}`).not.toMatch(/[^\x20-\x7E]/)
  })

  test('what is retrieved is not touched: a file holds what the server sent', async () => {
    const article = `Subject: ${hostile}\r\n\r\n${hostile}\r\n`
    const replies = {
      ARTICLE: `220 1 <a@b>\r\n${article}.\r\n`,
      OVER: `224 list\r\n41\t${hostile}\t${hostile}\t\t<a@b>\t\t1\t1\r\n.\r\n`,
    }
    await using server = await startNntpServer({ faults: { replies } })
    expect((await body(`${server.url}retriever.test/1`)).got?.toString('latin1')).toBe(article)
    const [entry] = (await listed(`${server.url}retriever.announce`)).got ?? []
    expect(entry?.name).toContain('\x1b]52;c')
    expect(entry?.url).toBe(`${server.url}retriever.announce/41`)
  })
})

const requireTls: ClientOptions = { defaults: { requireTls: true } }

/** `nntp://alice:secret@host:port/` */
const withLogin = (url: string, login = 'alice:secret'): string => url.replace('//', `//${login}@`)

describe('case 12, STARTTLS injection: what came in the clear is no answer to what is said in TLS', () => {
  test.each([
    ['382 and a reply in one segment', '382 go\r\n281 in\r\n'],
    ['382 and half a reply in one segment', '382 go\r\n28'],
    ['382 and an octet', '382 go\r\n '],
    ['382 and an article', '382 go\r\n211 1 1 1 g\r\n220 1 <a@b>\r\nSubject: x\r\n\r\nsmuggled\r\n.\r\n'],
  ])('%s: over, and nothing but STARTTLS is said', async (_, STARTTLS) => {
    await using server = await startNntpServer({ tls: 'explicit', auth: 'required', faults: { replies: { STARTTLS } } })
    const { error, got } = await body(withLogin(`${server.url}retriever.test/1`), requireTls)
    expect(got).toBe(null)
    expect(error).toMatchObject({ code: 'protocol-violation' })
    expect(server.received).toEqual(['STARTTLS'])
  })
})

describe('case 13, TLS stripping: nothing goes in the clear after STARTTLS is refused', () => {
  const codes = ['580', '500', '501', '502', '503', '480', '483', '400', '401 MODE-READER', '200', '203', '281', '381']
  test.each([...codes, '383', '382x'])('STARTTLS is answered %s', async (code) => {
    const replies = { STARTTLS: `${code} as you like\r\n` }
    await using server = await startNntpServer({ tls: 'explicit', auth: 'required', faults: { replies } })
    const { error } = await body(withLogin(`${server.url}retriever.test/1`), requireTls)
    expect(error?.code).toMatch(/^(tls-failed|protocol-violation)$/)
    if (/^[45]/.test(code)) expect(error).toMatchObject({ code: 'tls-failed', reply: `${code} as you like` })
    expect(server.received).toEqual(['STARTTLS'])
  })

  test('a server without STARTTLS, and one that ends the connection: not tried again in the clear', async () => {
    for (const options of [{}, { faults: { closeAfter: 0 } }, { faults: { replies: { STARTTLS: '' } } }]) {
      await using server = await startNntpServer({ auth: 'required', ...options })
      const limits = { maxRetries: 2, maxRetryDelay: 1 }
      const { error } = await body(withLogin(`${server.url}retriever.test/1`), { ...requireTls, limits })
      expect(error).not.toBe(null)
      expect(server.received.filter((line) => !/^(STARTTLS|QUIT)$/.test(line))).toEqual([])
    }
  })
})

describe('case 38, the wrong kept connection: one for each login, and TLS', () => {
  test('a session of one user serves no other user, and no retrieval without a login', async () => {
    await using server = await startNntpServer({ private: ['retriever.private'] })
    const path = 'retriever.private/1'
    const { got } = await told(async (client) => {
      const first = await (await client.retrieve(withLogin(`${server.url}${path}`))).text()
      const others = [
        `${server.url}${path}`,
        withLogin(`${server.url}${path}`, 'alice:wrong'),
        withLogin(`${server.url}${path}`, 'bob:secret'),
      ]
      const codes: unknown[] = []
      for (const url of others) {
        codes.push(
          await client.retrieve(url).then(
            (representation) => representation.text(),
            ({ code }) => code,
          ),
        )
      }
      const again = await (await client.retrieve(withLogin(`${server.url}${path}`))).text()
      return { first, codes, again }
    })
    expect(got?.first).toContain('Not for all.')
    expect(got?.codes).toEqual(['auth-required', 'auth-failed', 'auth-failed'])
    expect(got?.again).toBe(got?.first)
  })

  test('a session in TLS serves no plan without TLS, and the other way round', async () => {
    await using server = await startNntpServer({ tls: 'explicit' })
    for (const order of [
      ['nntp', 'nntps'],
      ['nntps', 'nntp'],
    ]) {
      const { got } = await told(async (client) => {
        const codes: unknown[] = []
        for (const scheme of order) {
          const url = `${server.url.replace('nntp', scheme)}retriever.test/1`
          codes.push(
            await client.retrieve(url).then(
              (representation) => representation.text(),
              ({ phase }) => phase,
            ),
          )
        }
        return codes
      })
      // The server begins in the clear: a handshake with it must fail, although there is a connection already.
      expect(got?.[order.indexOf('nntps')]).toBe('tls')
      expect(got?.[order.indexOf('nntp')]).toContain('One line.')
    }
  })
})

describe('cases 39 and 67, property 17: replies that were not asked for', () => {
  const stray = '220 1 <x@y>\r\nSubject: smuggled\r\n\r\nsmuggled\r\n.\r\n'

  test.each([
    ['behind an article', { 'ARTICLE 1': `220 1 <one@example.net>\r\nA: b\r\n\r\nmine\r\n.\r\n${stray}` }],
    ['behind a refusal', { 'ARTICLE 1': `423 none\r\n${stray}` }],
    ['behind GROUP', { 'GROUP retriever.test': `211 6 1 6 retriever.test\r\n${stray}` }],
    ['two for one', { 'ARTICLE 1': `423 none\r\n423 none\r\n` }],
  ])('%s: the next article is its own, or an error', async (_, replies) => {
    for (const chunking of ['whole', 'bytes', 'glued'] as const) {
      await using server = await startNntpServer({ faults: { chunking, replies } })
      const { got } = await told(async (client) => {
        const take = async (path: string) =>
          client
            .retrieve(`${server.url}${path}`)
            .then(async (representation) => representation.text())
            .catch(() => '')
        await take('retriever.test/1')
        return [await take('retriever.test/2'), await take('retriever.announce/41')]
      })
      const [second = '', third = ''] = got ?? []
      if (second !== '') expect(second).toContain('Two lines.')
      if (third !== '') expect(third).toContain('This is the test news server.')
    }
  })
})

describe('case 80, more secrets asked for: each is given once', () => {
  test.each([
    ['480 again and again', { GROUP: '480 Not for you\r\n' }],
    ['481', { 'AUTHINFO PASS secret': '481 no\r\n' }],
    ['381 for ever', { AUTHINFO: '381 more\r\n' }],
    ['383 for a password', { 'AUTHINFO PASS secret': '383 bW9yZQ==\r\n' }],
  ])('%s', async (_, replies) => {
    await using server = await startNntpServer({ auth: 'required', faults: { replies } })
    const { error } = await body(withLogin(`${server.url}retriever.test/1`), {
      limits: { maxRetries: 3, maxRetryDelay: 1 },
    })
    expect(error).not.toBe(null)
    expect(server.received.filter((line) => line.includes('secret'))).toHaveLength(1)
  })
})
