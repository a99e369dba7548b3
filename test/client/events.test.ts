import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findScheme, type Scheme } from '@retriever/core'
import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { listeningTo } from '@retriever/fetchers/internal'
import {
  startFtpServer,
  startGopherServer,
  startHttpServer,
  startNntpServer,
  startServers,
  type TestServer,
  testCa,
} from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testCertificate, testKey } from '../servers/src/certificate.ts'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

/** Reads a URL, and gives the events. */
async function eventsOf(url: string, options: ClientOptions = {}): Promise<RetrievalEvent[]> {
  const events: RetrievalEvent[] = []
  await using client = createClient({ tls: { ca: testCa }, ...options, onEvent: (event) => events.push(event) })
  await (await client.retrieve(url)).bytes()
  return events
}

describe('every event has a stamp', () => {
  test('the number of its retrieval, through redirects, and a time that never goes back', async () => {
    const events: RetrievalEvent[] = []
    await using client = createClient({
      onEvent: (event) => events.push(event),
      fetchers: [
        fakeHttp(({ target }) =>
          target === '/from' ? { outcome: 'redirect', location: '/to', status: 302 } : retrieved(chunks('a')),
        ),
      ],
    })
    const before = performance.now()
    const [first, second] = await Promise.all([client.retrieve('http://h/from'), client.retrieve('http://h/other')])
    await Promise.all([first?.text(), second?.text()])
    const idsOf = (url: string): unknown[] => [
      ...new Set(events.filter((event) => event.url === url).map(({ id }) => id)),
    ]
    expect(idsOf('http://h/from')).toEqual([1])
    expect(idsOf('http://h/to')).toEqual([1])
    expect(idsOf('http://h/other')).toEqual([2])
    const times = events.map(({ time }) => time)
    expect(times).toEqual([...times].sort((one, other) => one - other))
    expect(times[0]).toBeGreaterThanOrEqual(before)
    expect(times.at(-1)).toBeLessThanOrEqual(performance.now())
  })

  test('the number of the try', async () => {
    const events: RetrievalEvent[] = []
    let tries = 0
    await using client = createClient({
      limits: { maxRetryDelay: 1 },
      onEvent: (event) => events.push(event),
      fetchers: [
        fakeHttp((_, context) => {
          if (++tries < 3) throw context.error('server-refused', 'Later.', { transient: true })
          return retrieved(chunks('a'))
        }),
      ],
    })
    await (await client.retrieve('http://h/')).text()
    expect(events.map(({ type, attempt }) => `${type} ${attempt}`)).toEqual([
      'resolved 1',
      'retried 1',
      'retried 2',
      'progress 3',
      'done 3',
    ])
  })
})

test('a retrieval that waits for a connection says so', async () => {
  await using server = await startFtpServer()
  const events: RetrievalEvent[] = []
  await using client = createClient({
    fetchers: [ftpFetcher({ connections: 1 })],
    onEvent: (event) => events.push(event),
  })
  const first = await client.retrieve(`${server.url}pub/hello.txt`)
  const others = [client.retrieve(`${server.url}pub/a.bin`), client.retrieve(`${server.url}pub/hello.txt`)]
  const waiting = (): RetrievalEvent[] => events.filter(({ type }) => type === 'waiting')
  await expect.poll(() => waiting().length).toBe(2)
  await first.text()
  const waited = await (async () => {
    const second = await others[0]
    await second?.bytes()
    return second?.timings.waited
  })()
  await (await others[1])?.bytes()
  expect(waiting()).toMatchObject([
    { id: 2, for: 'connection', ahead: 0, url: `${server.url}pub/a.bin` },
    { id: 3, for: 'connection', ahead: 1 },
  ])
  expect(first.timings.waited).toBeNull()
  expect(waited).toBeGreaterThan(0)
})

test.each(['http', 'ftp', 'gopher', 'nntp'] as const)('the lookup of a name is an event: %s', async (protocol) => {
  await using servers = await startServers({ [protocol]: protocol === 'http' ? { hosts: ['*'] } : true })
  const server = servers[protocol]
  const path = protocol === 'nntp' ? '' : protocol === 'gopher' ? '1/' : 'pub/'
  const events = await eventsOf(`${protocol}://named.example:${server.port}/${path}`, {
    addresses: { [`named.example:${server.port}`]: ['127.0.0.1'] },
  })
  const types = events.map(({ type }) => type)
  expect(types.indexOf('looked-up')).toBeGreaterThan(-1)
  expect(types.indexOf('looked-up')).toBeLessThan(types.indexOf('connected'))
  const found = events.filter((event) => event.type === 'looked-up')
  expect(found).toMatchObject([{ host: 'named.example', addresses: ['127.0.0.1'], ms: expect.any(Number) }])
})

/** The scheme with explicit TLS, which no built-in scheme has. */
function explicit(name: 'ftp'): Scheme {
  const builtin = findScheme(name)
  if (builtin === undefined) throw new Error(name)
  return {
    ...builtin,
    resolve(locator, place) {
      const plan = builtin.resolve(locator, place)
      return plan.mechanism === 'ftp' ? { ...plan, tls: 'explicit' } : plan
    },
  }
}

describe('the facts of TLS are an event', () => {
  const starts: Record<string, () => Promise<[TestServer, string, ClientOptions?]>> = {
    https: async () => {
      const server = await startHttpServer({ tls: true })
      return [server, `https://localhost:${server.port}/pub/hello.txt`]
    },
    ftps: async () => {
      const server = await startFtpServer({ tls: true })
      return [server, `ftps://localhost:${server.port}/pub/hello.txt`]
    },
    'ftp, AUTH TLS': async () => {
      const server = await startFtpServer({ tls: 'explicit' })
      return [server, `ftp://localhost:${server.port}/pub/hello.txt`, { schemes: [explicit('ftp')] }]
    },
    gophers: async () => {
      const server = await startGopherServer({ tls: true })
      return [server, `gophers://localhost:${server.port}/1/`]
    },
    'nntp, STARTTLS': async () => {
      const server = await startNntpServer({ tls: 'explicit' })
      return [server, `nntp://localhost:${server.port}/`, { defaults: { requireTls: true } }]
    },
  }

  test.each(Object.keys(starts))('%s', async (name) => {
    const [server, url, options] = (await starts[name]?.()) ?? []
    if (server === undefined || url === undefined) throw new Error(name)
    await using _server = server
    const events = await eventsOf(url, options)
    const types = events.map(({ type }) => type)
    expect(types.indexOf('secured')).toBeGreaterThan(types.indexOf('connected'))
    const secured = events.find((event) => event.type === 'secured')
    expect(secured).toEqual({
      type: 'secured',
      url,
      id: 1,
      attempt: 1,
      time: expect.any(Number),
      chain: [new X509Certificate(testCertificate).raw],
      host: 'localhost',
      version: 'TLSv1.3',
      cipher: expect.stringMatching(/^TLS_/),
      alpn: null,
      subject: expect.stringMatching(/CN=/),
      issuer: expect.stringMatching(/CN=/),
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      trusted: true,
      resumed: false,
    })
    // Each FTP connection has its own handshake; that of the data connection resumes the session of the other.
    const resumed = events.flatMap((event) => (event.type === 'secured' ? [event.resumed] : []))
    expect(resumed).toEqual(/ftp/.test(name) ? [false, true] : [false])
  })

  test('they tell the protocol that was agreed on within TLS', async () => {
    const server = createServer({ cert: testCertificate, key: testKey }, (_, response) => void response.end('x'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const events = await eventsOf(`https://localhost:${port}/`)
    expect(events.find(({ type }) => type === 'secured')).toMatchObject({ alpn: 'http/1.1' })
    server.close()
  })

  test('a certificate that only tls.insecure lets pass is not trusted', async () => {
    await using server = await startHttpServer({ tls: true })
    const events = await eventsOf(`${server.url}pub/hello.txt`, { tls: { insecure: true } })
    expect(events.find(({ type }) => type === 'secured')).toMatchObject({ trusted: false })
  })
})

describe('an async listener that rejects', () => {
  test.each(['resolved', 'progress'])('ends its retrieval alone: at "%s"', async (type) => {
    const cause = new TypeError('boom')
    await using client = createClient({
      fetchers: [fakeHttp(() => retrieved(slowly()))],
      onEvent: async (event) => {
        if (event.type === type && event.url === 'http://h/bad') throw cause
      },
    })
    const outcome = client.retrieve('http://h/bad').then((representation) => representation.text())
    expect(await failure(outcome)).toMatchObject({ code: 'aborted', cause, message: expect.stringContaining(type) })
    expect(await (await client.retrieve('http://h/good')).text()).toBe('ab')
  })

  test('changes nothing once the retrieval is over', async () => {
    let isTold = false
    await using client = createClient({
      fetchers: [fakeHttp(() => retrieved(chunks('a', 'b')))],
      onEvent: async (event) => {
        isTold ||= event.type === 'done'
        if (event.type === 'done') throw new TypeError('boom')
      },
    })
    expect(await (await client.retrieve('http://h/')).text()).toBe('ab')
    expect(isTold).toBe(true)
  })

  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a')
    await new Promise((resolve) => setImmediate(resolve))
    yield Buffer.from('b')
  }
})

test('a listener of the command gets only the events that it wants, and no others are made', async () => {
  const types: string[] = []
  const hasListener: (boolean | undefined)[] = []
  const onEvent = listeningTo(new Set(['resolved', 'done']), ({ type }) => types.push(type))
  await using client = createClient({
    fetchers: [
      fakeHttp((_plan, context) => {
        hasListener.push(context.hasListener)
        context.emit({ type: 'sent', url: context.url, octets: 'GET' })
        return retrieved(chunks('a'))
      }),
    ],
  })
  await (await client.retrieve('http://127.0.0.1/a', { onEvent })).bytes()
  expect(types).toEqual(['resolved', 'done'])
  expect(hasListener).toEqual([false])
})

test('a mirror makes only the events that its client or its call hears, and looks for redirects itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  try {
    const hasListener: (boolean | undefined)[] = []
    const types: string[] = []
    const entry = { name: 'a', kind: 'file', url: 'http://127.0.0.1/t/a' } as const
    await using client = createClient({
      fetchers: [
        fakeHttp(({ target }, context) => {
          hasListener.push(context.hasListener)
          if (target === '/t/a') return retrieved(chunks('a'))
          return retrieved(chunks(''), {
            kind: 'listing',
            entries: async function* () {
              yield entry
            },
          })
        }),
      ],
    })
    await client.mirror('http://127.0.0.1/t/', join(folder, '1'))
    expect(hasListener).toEqual([false, false])
    const onEvent = listeningTo(new Set(['done']), ({ type }) => types.push(type))
    await client.mirror('http://127.0.0.1/t/', join(folder, '2'), { onEvent })
    expect([hasListener, types]).toEqual([
      [false, false, false, false],
      ['done', 'done'],
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})
