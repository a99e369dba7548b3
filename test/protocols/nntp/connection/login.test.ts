import { type ClientOptions, createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { sent } from '../../../support/events.ts'
import { failure } from '../../../support/failure.ts'
import { commands, expectArticle, numbers, retrieveAll, trial } from '../support/nntp-trial.ts'
import { type NewsPeer, scriptedNews } from '../support/scripted-news.ts'

describe('what a server wants first', () => {
  const login = { credentials: () => ({ user: 'alice', password: 'secret' }) }

  test('a login, once for each session, however much is under way', () =>
    trial(
      { auth: 'required' },
      async ({ server, client, url }) => {
        const outcomes = await retrieveAll(client, numbers(1, 100).map(url))
        expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
        expect(commands(server, 'AUTHINFO PASS')).toHaveLength(server.accepted)
      },
      login,
    ))

  test('for some of its groups', () =>
    trial(
      { private: ['retriever.private'] },
      async ({ server, client, url }) => {
        await (await client.retrieve(url(1))).text()
        const article = await client.retrieve(`${server.url}retriever.private/1`)
        expect(await article.text()).toContain('Newsgroups: retriever.private\r\n')
        await expectArticle(url(2), await (await client.retrieve(url(2))).text())
        expect(server.accepted).toBe(1)
        expect(commands(server, 'AUTHINFO PASS')).toHaveLength(1)
      },
      login,
    ))

  test('a login that it refuses is not tried again for all that wait', () =>
    trial(
      { auth: 'required' },
      async ({ server, client, url }) => {
        const outcomes = await retrieveAll(client, numbers(1, 40).map(url))
        expect(outcomes.map(({ error }) => error?.code)).toEqual(Array(40).fill('auth-failed'))
        expect(commands(server, 'AUTHINFO PASS').length).toBeLessThanOrEqual(4)
      },
      { credentials: () => ({ user: 'alice', password: 'mistaken' }) },
    ))

  const full = '502 Too many connections for your user'

  test.each([
    full,
    '400 too many connections',
    '481 maximum number of connections reached',
    '482 You exceed max. number of connections',
    '502 Connection limit exceeded',
    '481 too many threads',
  ])('a server that takes two logins (%s): their sessions are shared', async (words) => {
    const answers: Record<string, (peer: NewsPeer) => string | undefined> = {
      GROUP: ({ commands }) => (commands.some((line) => line.startsWith('AUTHINFO')) ? undefined : '480 log in\r\n'),
      'AUTHINFO USER': () => '381 go on\r\n',
      'AUTHINFO PASS': ({ index }) => (index < 2 ? '281 in\r\n' : `${words}\r\n`),
    }
    await using news = await scriptedNews((peer, line) => {
      return Object.entries(answers).find(([command]) => line.startsWith(command))?.[1](peer)
    })
    await using client = createClient({ limits: { maxRetries: 0 }, ...login })
    const urls = numbers(0, 40).map((number) => `${news.url}g.${number}/${(number % 9) + 1}`)
    const texts: string[] = []
    for await (const { index, representation, error } of client.retrieveAll(urls)) {
      texts[index] = error?.message ?? (await representation?.text()) ?? ''
    }
    expect(texts).toEqual(numbers(0, 40).map((number) => expect.stringContaining(`body of ${(number % 9) + 1}`)))
    expect(news.peers.length).toBeLessThanOrEqual(4)
  })

  test('a server that is full says nothing about the login', async () => {
    await using news = await scriptedNews((_, line) => {
      if (line.startsWith('AUTHINFO USER')) return '381 go on\r\n'
      return line.startsWith('AUTHINFO PASS') ? `${full}\r\n` : '480 log in\r\n'
    })
    await using client = createClient({ limits: { maxRetries: 0 }, ...login })
    const error = await failure(client.retrieve(`${news.url}g/1`))
    expect(error).toMatchObject({ code: 'server-refused', phase: 'login', transient: true, reply: full })
    await news.closed()
  })

  test('a server that is full is not sent the login once for each article', async () => {
    await using news = await scriptedNews((_, line) => {
      if (line.startsWith('AUTHINFO USER')) return '381 go on\r\n'
      return line.startsWith('AUTHINFO PASS') ? `${full}\r\n` : '480 log in\r\n'
    })
    await using client = createClient({ limits: { maxRetries: 0 }, ...login })
    const outcomes = await retrieveAll(
      client,
      numbers(1, 60).map((number) => `${news.url}g/${number}`),
    )
    expect(outcomes.map(({ error }) => error?.reply)).toEqual(Array(60).fill(full))
    for (const { error, url } of outcomes) expect(error?.message).toContain(`${url}: `)
    const logins = news.peers.flatMap(({ commands }) => commands).filter((line) => line.startsWith('AUTHINFO PASS'))
    expect(logins.length).toBeLessThanOrEqual(8)
  })

  test('and none is known', () =>
    trial({ auth: 'required' }, async ({ server, client, url }) => {
      for (const { error } of await retrieveAll(client, numbers(1, 10).map(url))) {
        expect(error).toMatchObject({ code: 'auth-required', reply: expect.stringMatching(/^480/) })
      }
      expect(commands(server, 'AUTHINFO')).toEqual([])
    }))

  test('SASL PLAIN, where USER and PASS are not known; its secret is shown nowhere', () =>
    trial(
      { auth: 'required', logins: ['sasl'] },
      async ({ server, client, url, events }) => {
        await expectArticle(url(3), await (await client.retrieve(url(3))).text())
        const response = Buffer.from('\0alice\0secret').toString('base64')
        expect(server.received).toContain(`AUTHINFO SASL PLAIN ${response}`)
        expect(JSON.stringify(events)).not.toMatch(new RegExp(`${response}|"secret"`))
      },
      login,
    ))

  test('SASL PLAIN with a wrong password', () =>
    trial(
      { auth: 'required', logins: ['sasl'] },
      async ({ client, url }) => {
        expect(await failure(client.retrieve(url(3)))).toMatchObject({ code: 'auth-failed', phase: 'login' })
      },
      { credentials: () => ({ user: 'alice', password: 'mistaken' }) },
    ))

  test('SASL PLAIN, of which it asks for more (383): the login is cancelled, and over', () =>
    trial(
      {
        auth: 'required',
        logins: ['sasl'],
        faults: { replies: { AUTHINFO: ['500 what\r\n', '383 =\r\n'], '*': ['481 cancelled\r\n'] } },
      },
      async ({ server, client, url }) => {
        const error = await failure(client.retrieve(url(3)))
        expect(error).toMatchObject({ code: 'auth-failed', reply: '481 cancelled' })
        const at = server.received.findIndex((line) => line.startsWith('AUTHINFO SASL PLAIN '))
        expect(server.received[at + 1]).toBe('*')
      },
      login,
    ))

  test('reader mode, with many under way', () =>
    trial({ kind: 'transit' }, async ({ server, client, url }) => {
      const outcomes = await retrieveAll(client, numbers(1, 40).map(url))
      expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
      expect(commands(server, 'MODE READER')).toHaveLength(server.accepted)
    }))
})

describe('STARTTLS', () => {
  const secured: ClientOptions = { defaults: { requireTls: true } }

  test('before all else, the login too', () =>
    trial(
      { tls: 'explicit', auth: 'required' },
      async ({ server, client, url, events }) => {
        await expectArticle(url(5), await (await client.retrieve(url(5))).text())
        expect(server.received[0]).toBe('STARTTLS')
        expect(sent(events)[0]).toBe('STARTTLS\r\n')
        expect(sent(events)).toContain('AUTHINFO PASS <password>\r\n')
      },
      { ...secured, credentials: () => ({ user: 'alice', password: 'secret' }) },
    ))

  test('a login that is wanted within TLS alone says how', () =>
    trial(
      { tls: 'explicit', auth: 'required' },
      async ({ server, client, url }) => {
        const error = await failure(client.retrieve(url(1)))
        expect(error).toMatchObject({ code: 'server-refused', reply: expect.stringMatching(/^483/) })
        expect(error.message).toContain('`defaults.requireTls`')
        expect(server.received.join()).not.toContain('secret')
      },
      { credentials: () => ({ user: 'alice', password: 'secret' }) },
    ))
})
