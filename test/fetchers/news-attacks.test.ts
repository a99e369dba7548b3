/** Cases of docs/security.md, section 1, by number: what news URLs and hostile news servers try, and must not get. */
import { startNntpServer } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialled } from './ftp-trial.ts'
import { body, everyDoor, listed } from './told.ts'
import { type Victim, victim } from './victim.ts'

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
    expect(error?.code).toMatch(/^(refused|invalid-option)$/)
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
      OVER: `224 list\r\n1\t${hostile}\t${hostile}\t\t<a@b>\t\t1\t1\r\n.\r\n`,
    }
    await using server = await startNntpServer({ faults: { replies } })
    expect((await body(`${server.url}retriever.test/1`)).got?.toString('latin1')).toBe(article)
    const [entry] = (await listed(`${server.url}retriever.announce`)).got ?? []
    expect(entry?.name).toContain('\x1b]52;c')
    expect(entry?.url).toBe(`${server.url}retriever.announce/1`)
  })
})
