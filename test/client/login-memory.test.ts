/** How often a client asks for a login: once for a realm, however many URLs need it, and however they come. */
import type { RetrievalError } from '@retriever/core'
import { type Challenge, type Client, type ClientOptions, type Credentials, createClient } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { startMqttServer, startServers, startWsServer, type TestServers } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { challenge, ok } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { scriptedProxy, socks } from '../support/wire/scripted-proxy.ts'

type Named = 'ftp' | 'http' | 'nntp'

let servers: TestServers<Named>
const asked: Challenge[] = []

beforeEach(async () => {
  asked.length = 0
  servers = await startServers({ ftp: true, http: true, nntp: { auth: 'required' } })
})
afterEach(() => servers.close())

const right: Credentials = { user: 'alice', password: 'secret' }

/** Ten URLs for which one server wants one login. */
function urlsOf(mechanism: Named): string[] {
  const path = { ftp: 'pub/hello.txt', http: 'auth/', nntp: 'retriever.test/1' }[mechanism]
  const url = servers[mechanism].url.replace('//', '//alice@')
  return Array.from({ length: 10 }, (_, index) => `${url}${path}${mechanism === 'http' ? `?${index}` : ''}`)
}

/** Counts the questions, and answers each after a turn of the event loop. */
function answering(answer: (challenge: Challenge, times: number) => Credentials | null): ClientOptions {
  return {
    limits: { maxRetries: 0 },
    credentials: async (question) => {
      const times = asked.push(question)
      await new Promise(setImmediate)
      return answer(question, times)
    },
  }
}

async function read(client: Client, url: string): Promise<number> {
  return (await (await client.retrieve(url)).bytes()).length
}

const codesOf = (outcomes: readonly PromiseSettledResult<unknown>[]): (string | undefined)[] =>
  outcomes.map((each) => (each.status === 'rejected' ? (each.reason as RetrievalError).code : undefined))

describe.each<[Named]>([['http'], ['ftp'], ['nntp']])('%s asks once for 10 URLs', (mechanism) => {
  test('one after another, also on new connections', async () => {
    await using client = createClient({
      ...answering(() => right),
      // No session is kept: each URL logs in anew.
      fetchers: [ftpFetcher({ keepSessions: 0 })],
    })
    for (const url of urlsOf(mechanism)) expect(await read(client, url)).toBeGreaterThan(0)
    expect(asked).toHaveLength(1)
  })

  test('10 at a time', async () => {
    await using client = createClient(answering(() => right))
    const sizes = await Promise.all(urlsOf(mechanism).map((url) => read(client, url)))
    expect(sizes.every((size) => size > 0)).toBe(true)
    expect(asked).toHaveLength(1)
  })

  test('in a batch', async () => {
    await using client = createClient({ ...answering(() => right), perHost: 10 })
    for await (const { representation, error } of client.retrieveAll(urlsOf(mechanism))) {
      expect(error).toBeNull()
      await representation?.text()
    }
    expect(asked).toHaveLength(1)
  })

  test('through a SOCKS proxy', async () => {
    await using proxy = await scriptedProxy(socks())
    await using client = createClient({ ...answering(() => right), proxy: `socks5://127.0.0.1:${proxy.port}` })
    await Promise.all(urlsOf(mechanism).map((url) => read(client, url)))
    expect(asked).toHaveLength(1)
  })

  test('an abort of the one that has asked leaves the question open for the others', async () => {
    const abort = new AbortController()
    let answer: (credentials: Credentials) => void = () => {}
    await using client = createClient({
      credentials: (question) => {
        asked.push(question)
        return new Promise<Credentials>((resolve) => (answer = resolve))
      },
    })
    const [first = '', ...others] = urlsOf(mechanism)
    const given = failure(client.retrieve(first, { signal: abort.signal }))
    while (asked.length === 0) await new Promise(setImmediate)
    const reading = others.map((url) => read(client, url))
    abort.abort()
    expect((await given).code).toBe('aborted')
    answer(right)
    const sizes = await Promise.all(reading)
    expect(sizes.every((size) => size > 0)).toBe(true)
    expect(asked).toHaveLength(1)
  })

  test('a client that is made anew asks anew', async () => {
    for (let time = 1; time <= 2; time++) {
      await using client = createClient(answering(() => right))
      await read(client, urlsOf(mechanism)[0] ?? '')
      expect(asked).toHaveLength(time)
    }
  })
})

test('FTP: a login that the server has accepted, and refuses now, is forgotten and asked for again', async () => {
  const [url = ''] = urlsOf('ftp')
  const options = answering((_, times) => (times === 2 ? null : right))
  await using client = createClient({ ...options, fetchers: [ftpFetcher({ keepSessions: 0 })] })
  await read(client, url)
  servers.ftp.setFaults({ replies: { PASS: ['530 Changed.\r\n'] } })
  expect(await failure(read(client, url))).toMatchObject({
    code: 'auth-failed',
    reply: expect.stringContaining('Changed'),
  })
  expect(asked).toHaveLength(2)
  expect(await read(client, url)).toBeGreaterThan(0)
  expect(asked).toHaveLength(3)
})

test.each([
  ['ws', startWsServer, 'texts'],
  ['mqtt', startMqttServer, 'pub/hello'],
] as const)(
  '%s: a login that is refused is not kept, and one that was accepted is asked for anew',
  async (_, start, path) => {
    const accounts = { alice: 'secret' }
    await using server = await start({ auth: 'required', accounts })
    const options = answering((_, times) => ({ user: 'alice', password: times === 1 ? 'wrong' : accounts.alice }))
    await using client = createClient(options)
    const url = server.url + path
    expect(await failure(read(client, url))).toMatchObject({ code: 'auth-failed' })
    for (const times of [2, 3]) {
      expect(await read(client, url)).toBeGreaterThan(0)
      expect(await read(client, url)).toBeGreaterThan(0)
      expect(asked).toHaveLength(times)
      accounts.alice += ' and changed'
    }
  },
)

test.each([
  ['ws', startWsServer, 'texts'],
  ['mqtt', startMqttServer, 'pub/hello'],
] as const)('%s: the same login again, after it was refused, is not sent', async (_, start, path) => {
  const accounts = { alice: 'secret' }
  await using server = await start({ auth: 'required', accounts })
  await using client = createClient(answering(() => right))
  const url = server.url + path
  expect(await read(client, url)).toBeGreaterThan(0)
  accounts.alice = 'another one'
  expect(await failure(read(client, url))).toMatchObject({ code: 'auth-failed' })
  expect(asked).toHaveLength(2)
})

describe.each<[Named]>([['http'], ['ftp']])('%s: a login that fails does not doom the others', (mechanism) => {
  test('refused by the server', async () => {
    await using client = createClient(answering((_, times) => (times === 1 ? { ...right, password: 'wrong' } : right)))
    const codes = codesOf(await Promise.allSettled(urlsOf(mechanism).map((url) => read(client, url))))
    expect(codes.filter((code) => code !== undefined)).toEqual(['auth-failed'])
    expect(asked).toHaveLength(2)
  })

  test('not known', async () => {
    await using client = createClient(answering((_, times) => (times === 1 ? null : right)))
    const codes = codesOf(await Promise.allSettled(urlsOf(mechanism).map((url) => read(client, url))))
    expect(codes.filter((code) => code !== undefined)).toEqual(['auth-required'])
    expect(asked).toHaveLength(2)
  })

  test('and an error of the function reaches the one that has asked', async () => {
    await using client = createClient(
      answering((_, times) => {
        if (times === 1) throw new Error('no agent')
        return right
      }),
    )
    const codes = codesOf(await Promise.allSettled(urlsOf(mechanism).map((url) => read(client, url))))
    expect(codes.filter((code) => code !== undefined)).toEqual(['auth-required'])
    expect(asked).toHaveLength(2)
  })
})

describe('each realm and each origin is asked for by itself', () => {
  test('two realms of one server', async () => {
    await using server = await scriptedHttp(({ fields, target }) =>
      fields.authorization === undefined ? challenge(`Basic realm="${target.slice(0, 2)}"`) : ok('in'),
    )
    await using client = createClient(answering(() => right))
    await Promise.all(['a1', 'b1', 'a2', 'b2'].map((path) => read(client, `${server.url}${path}`)))
    expect(asked.map(({ realm }) => realm).sort()).toEqual(['/a', '/b'])
  })

  test('a resource that is not there after the login shows that the login was right', async () => {
    await using server = await scriptedHttp(({ fields }) =>
      fields.authorization === undefined
        ? challenge('Basic realm="r"')
        : 'HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n',
    )
    await using client = createClient(answering(() => right))
    const codes = codesOf(await Promise.allSettled(['a', 'b', 'c'].map((path) => read(client, server.url + path))))
    expect(codes).toEqual(['not-found', 'not-found', 'not-found'])
    expect(asked).toHaveLength(1)
  })

  test('FTP: two users of one server, and the account that one of them needs (ACCT)', async () => {
    const fetchers = [ftpFetcher({ keepSessions: 0 })]
    await using client = createClient({
      ...answering(({ user, account }) => ({
        user: user ?? '',
        password: 'secret',
        ...(account && { account: 'acct' }),
      })),
      fetchers,
    })
    const alice = urlsOf('ftp')[0] ?? ''
    for (let times = 0; times < 2; times++) {
      await Promise.allSettled([alice, alice.replace('alice', 'bob')].map((url) => read(client, url)))
    }
    expect(
      asked
        .filter(({ account }) => account === undefined)
        .map(({ user }) => user)
        .sort(),
    ).toEqual(['alice', 'bob'])
    expect(asked.filter(({ account }) => account).map(({ user }) => user)).toEqual(['bob'])
  })
})

test('a client that logs in at thousands of places keeps the newest 1000 logins', async () => {
  const places = Array.from({ length: 5000 }, (_, index) => `place ${index}`)
  let kept: string[] = []
  const fetcher = fakeHttp((_, { acceptedLogins }) => {
    for (const place of places) acceptedLogins?.keep(place, right)
    kept = places.filter((place) => acceptedLogins?.recall(place))
    return retrieved(chunks('in'))
  })
  await using client = createClient({ fetchers: [fetcher] })
  expect(await read(client, 'http://h/')).toBe(2)
  expect(kept).toEqual(places.slice(-1000))
})
