/** context.retrieve: a fetcher retrieves other URLs under the rules of the retrieval that it serves. */
import type { RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient, type Fetcher, type RetrievalEvent } from '@retriever/fetchers'
import type { NestedOptions, NestedRepresentation, RetrievalContext } from '@retriever/fetchers/plugin'
import { startHttpServer, startServers, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { challenge, ok, redirectTo } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { scriptedProxy, socks } from '../support/wire/scripted-proxy.ts'

type Use = (context: RetrievalContext, query: string) => Promise<NestedRepresentation>

/** A fetcher for finger URLs that passes on what it retrieves elsewhere. */
function gateway(use: Use): Fetcher<'finger'> {
  return {
    mechanism: 'finger',
    async retrieve({ query }, context) {
      const body = await use(context, query)
      const { kind, mediaType, charset, size, modified, completeness } = body
      return { outcome: 'retrieved', kind, mediaType, charset, size, modified, completeness, metadata: {}, body }
    },
  }
}

/** The fetcher retrieves this URL; what the client gets for a finger URL. */
async function through(
  url: string,
  options: NestedOptions | undefined,
  { fetchers = [], ...clientOptions }: ClientOptions = {},
  from = 'finger://gate.example/x',
): Promise<string | RetrievalError> {
  const gate = gateway((context) => context.retrieve(url, options))
  await using client = createClient({ limits: { maxRetries: 0 }, ...clientOptions, fetchers: [gate, ...fetchers] })
  return await client.retrieve(from).then(
    (representation) => representation.text(),
    (error: RetrievalError) => error,
  )
}

const own: NestedOptions = { pointedTo: false }
const hello = 'Hello, world.\n'
const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'refused', phase: 'policy', message: expect.stringMatching(message) })

describe('what a fetcher retrieves', () => {
  test('is a representation, which may be read or passed on', async () => {
    await using servers = await startServers({ http: true, ftp: true })
    for (const { url } of [servers.http, servers.ftp]) expect(await through(`${url}pub/hello.txt`, own)).toBe(hello)
    const seen: unknown[] = []
    const gate = gateway(async (context) => {
      const listing = await context.retrieve(`${servers.ftp.url}pub/`, own)
      seen.push(listing.mechanism, listing.kind, listing.hasEntries)
      for await (const { name } of listing.entries()) seen.push(name)
      return context.retrieve(`${servers.http.url}pub/hello.txt`, own)
    })
    await using client = createClient({ fetchers: [gate] })
    expect(await (await client.retrieve('finger://gate.example/x')).text()).toBe(hello)
    expect(seen).toEqual(expect.arrayContaining(['ftp', 'listing', true, 'hello.txt']))
    await client.close()
    await Promise.all([servers.http.waitForConnections(0), servers.ftp.waitForConnections(0)])
  })

  test('may be relative to the URL of the fetcher', async () => {
    const seen: string[] = []
    const http = fakeHttp(async (plan, context) => {
      seen.push(plan.target)
      const body = plan.target === '/a/b' ? await context.retrieve('../c') : chunks('c')
      return retrieved(body)
    })
    await using client = createClient({ fetchers: [http] })
    expect(await (await client.retrieve('http://h.example/a/b')).text()).toBe('c')
    expect(seen).toEqual(['/a/b', '/c'])
  })

  test('has the listener, the limits and the proxy of the client', async () => {
    await using server = await startHttpServer()
    await using proxy = await scriptedProxy(socks())
    const events: RetrievalEvent[] = []
    const options = {
      proxy: `socks5h://127.0.0.1:${proxy.port}`,
      onEvent: (event: RetrievalEvent) => events.push(event),
    }
    const url = `${server.url}pub/hello.txt`
    expect(await through(url, own, options)).toBe(hello)
    expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`])
    expect(events.filter(({ type }) => type === 'done').map((event) => event.url)).toEqual([
      url,
      'finger://gate.example/x',
    ])
    const limits = { maxSize: 3 }
    expect(await through(url, own, { limits })).toMatchObject({ code: 'limit-exceeded' })
  })

  test('has the policy of the call', async () => {
    const gate = gateway((context) => context.retrieve('http://h.example/', own))
    await using client = createClient({ fetchers: [gate, fakeHttp(() => retrieved(chunks('a')))] })
    const url = 'finger://gate.example/x'
    expect(await (await client.retrieve(url)).text()).toBe('a')
    expect(await failure(client.retrieve(url, { policy: { schemes: ['finger'] } }))).toMatchObject({
      advice: { option: 'policy.schemes', value: 'http' },
    })
  })

  test.each<[string, ClientOptions, RegExp]>([
    ['http://h.example:25/', {}, /policy\.allowPorts/],
    ['gopher://h.example/0a%0D%0Ab', {}, /cannot be allowed/],
    ['http://10.0.0.1/', { policy: { publicOnly: true } }, /no public address/],
    ['http://h.example/', { policy: { schemes: ['finger', 'ftp'] } }, /policy\.schemes/],
  ])('%s is refused by the policy %j, whoever has named it', async (url, options, message) => {
    for (const request of [own, {}]) expect(await through(url, request, options)).toEqual(refused(message))
  })

  test('may be no service, and its options are checked', async () => {
    expect(await through('telnet://h.example/', own)).toMatchObject({ code: 'handoff' })
    expect(await through('http://h.example/', { nope: 1 } as NestedOptions)).toMatchObject({ code: 'invalid-option' })
    expect(await through('http://h.example/', { pointedTo: 'no' } as never)).toMatchObject({ code: 'invalid-option' })
    expect(await through('nosuch:x', own)).toMatchObject({ code: 'unknown-scheme' })
  })
})

describe('a URL that a server may have chosen', () => {
  const file = new URL(import.meta.url).href

  test('leads neither to files and other local things, nor to this machine', async () => {
    await using server = await startHttpServer()
    const url = `${server.url}pub/hello.txt`
    for (const options of [undefined, {}, { pointedTo: true }]) {
      expect(await through(file, options)).toEqual(refused(/this machine itself/))
      expect(await through('man:ls', options)).toEqual(refused(/this machine itself/))
      expect(await through(url, options)).toEqual(refused(/policy\.allowInward/))
    }
    expect(server.accepted).toBe(0)
    expect(await through(url, {}, { policy: { allowInward: true } })).toBe(hello)
    // A gateway on this machine may point to it.
    expect(await through(url, {}, {}, 'finger://localhost/x')).toBe(hello)
    expect(await through(file, own)).toContain('context.retrieve')
  })

  test('leads there by no name and no connection that is open already', async () => {
    await using server = await startServers({ ftp: true })
    const addresses = { [`inside.example:${server.ftp.port}`]: ['127.0.0.1'] }
    const url = `ftp://inside.example:${server.ftp.port}/pub/hello.txt`
    const gate = gateway((context) => context.retrieve(url))
    await using client = createClient({ fetchers: [gate], addresses })
    expect(await (await client.retrieve(url)).text()).toBe(hello)
    expect(await failure(client.retrieve('finger://gate.example/x'))).toEqual(refused(/allowInward/))
    expect(await (await client.retrieve(url)).text()).toBe(hello)
    expect(server.ftp.accepted).toBe(1)
  })

  test('does not leave TLS', async () => {
    const http = fakeHttp(async (plan, context) =>
      retrieved(plan.tls === 'none' ? chunks('clear') : await context.retrieve('http://h.example/')),
    )
    for (const [allowDowngrade, expected] of [
      [false, 'refused'],
      [true, 'clear'],
    ] as const) {
      await using client = createClient({ fetchers: [http], policy: { allowDowngrade } })
      const outcome = await client.retrieve('https://h.example/').then(
        (it) => it.text(),
        ({ code }: RetrievalError) => code,
      )
      expect(outcome).toBe(expected)
    }
  })

  test('stays one within further fetchers, whatever these say', async () => {
    await using server = await startHttpServer()
    const gate = gateway((context, query) =>
      query === 'x' ? context.retrieve('finger://gate.example/y') : context.retrieve(`${server.url}pub/hello.txt`, own),
    )
    await using client = createClient({ fetchers: [gate] })
    expect(await failure(client.retrieve('finger://gate.example/x'))).toEqual(refused(/points inward/))
    expect(await (await client.retrieve('finger://gate.example/y')).text()).toBe(hello)
  })
})

describe('another origin gets', () => {
  test('property 20: no login that stands in the URL, none of the caller, none of its fields', async () => {
    await using server = await scriptedHttp(() => ok('in'))
    const url = server.url.replace('//', '//eve:s3cr3t@')
    const options = { policy: { allowInward: true } }
    const gate = gateway((context) => context.retrieve(url))
    await using client = createClient({ fetchers: [gate], ...options })
    const request = {
      headers: { Authorization: 'Bearer t', Cookie: 'a=b', 'X-Api-Key': 'k' },
      login: { user: 'alice', password: 'pw' },
    }
    await (await client.retrieve('finger://alice@gate.example/', request)).text()
    const [asked] = server.asked
    expect(asked?.head).not.toMatch(/authorization|cookie|api-key/i)
  })

  test('no login that the caller’s own origin has accepted', async () => {
    await using first = await scriptedHttp(({ fields }) =>
      fields.authorization === undefined ? challenge('Basic realm="r"') : ok('in'),
    )
    await using second = await scriptedHttp(() => challenge('Basic realm="r"'))
    const asked: number[] = []
    const gate = gateway((context, query) => context.retrieve(query === 'x' ? first.url : second.url, own))
    await using client = createClient({
      fetchers: [gate],
      credentials: ({ port }) => {
        asked.push(port)
        return asked.length === 1 ? { user: 'alice', password: 's3cr3t' } : null
      },
    })
    await (await client.retrieve('finger://gate.example/x')).text()
    expect(await failure(client.retrieve('finger://gate.example/y'))).toMatchObject({ code: 'auth-required' })
    expect(asked).toHaveLength(2)
    expect(second.asked.flatMap(({ fields }) => fields.authorization ?? [])).toEqual([])
  })

  test('no client certificate', async () => {
    await using server = await startHttpServer({ tls: true })
    const seen: unknown[] = []
    const gate: Fetcher<'finger'> = gateway((context) => context.retrieve(`${server.url}pub/hello.txt`, own))
    const http = fakeHttp((_, { tls, isOtherOrigin }) => {
      seen.push([Object.keys(tls), isOtherOrigin])
      return retrieved(chunks('a'))
    })
    const { testCertificate, testKey } = await import('../servers/src/certificate.ts')
    const tls = { ca: testCa, cert: testCertificate, key: testKey }
    await using client = createClient({ fetchers: [gate, http], tls })
    await (await client.retrieve('finger://gate.example/x')).text()
    await (await client.retrieve(server.url)).text()
    expect(seen).toEqual([
      [['ca'], true],
      [['ca', 'cert', 'key'], false],
    ])
  })
})

describe('an end', () => {
  test('case 61, comes to a fetcher that retrieves itself for ever', async () => {
    let times = 0
    const gate = gateway((context) => {
      times++
      return context.retrieve(`finger://gate.example/${times}`)
    })
    await using client = createClient({ fetchers: [gate] })
    expect(await failure(client.retrieve('finger://gate.example/x'))).toMatchObject({
      code: 'too-many-redirects',
      message: expect.stringContaining('retrieve itself for ever'),
    })
    expect(times).toBe(21)
  })

  test('comes to one that does so by redirects, and to one that never stops', async () => {
    await using server = await scriptedHttp(() => redirectTo('/again'))
    expect(await through(server.url, own)).toMatchObject({ code: 'too-many-redirects' })
    let times = 0
    const gate = gateway(async (context) => {
      for (;;) {
        times++
        await (await context.retrieve('http://h.example/')).bytes()
      }
    })
    await using client = createClient({ fetchers: [gate, fakeHttp(() => retrieved(chunks('a')))] })
    expect(await failure(client.retrieve('finger://gate.example/x'))).toMatchObject({ code: 'too-many-redirects' })
    expect(times).toBe(1001)
  })

  test('of the outer retrieval ends the inner ones: by the caller’s signal, and where one was never read', async () => {
    const left = endless()
    const http = fakeHttp(() => retrieved(left.body))
    const abort = new AbortController()
    const gate = gateway(async (context) => {
      const inner = await context.retrieve('http://h.example/', own)
      abort.abort('enough')
      return inner
    })
    await using client = createClient({ fetchers: [gate, http] })
    const error = await failure(
      client.retrieve('finger://gate.example/x', { signal: abort.signal }).then((it) => it.text()),
    )
    expect(error).toMatchObject({ code: 'aborted', cause: 'enough' })
    const contexts: RetrievalContext[] = []
    const forgetful = gateway(async (context) => {
      await context.retrieve('http://h.example/never-read', own)
      return context.retrieve('http://h.example/', own)
    })
    const noting = fakeHttp((_, context) => {
      contexts.push(context)
      return retrieved(chunks('a'))
    })
    await using other = createClient({ fetchers: [forgetful, noting] })
    expect(await (await other.retrieve('finger://gate.example/x')).text()).toBe('a')
    expect(contexts.map(({ deadline }) => deadline.reason?.code)).toEqual(['aborted', undefined])
  })

  test('by the time limit of the whole holds within', async () => {
    await using server = await startHttpServer()
    server.setFaults({ stall: 'response' })
    const error = await through(server.url, own, { limits: { totalTimeout: 30, maxRetries: 0 } })
    expect(error).toMatchObject({ code: 'timeout', advice: { option: 'limits.totalTimeout' } })
    await server.waitForConnections(0)
  })

  test('of one of two tries leaves the retrievals of the other', async () => {
    let letGo = (): void => {}
    const failed = new Promise<void>((resolve) => (letGo = resolve))
    let tries = 0
    const gate = gateway(async (context) => {
      if (++tries === 2) throw context.error('not-found', 'The second try fails.')
      return context.retrieve('http://h.example/', own)
    })
    const http = fakeHttp(async (_, { deadline }) => {
      await deadline.unlimited(() => failed)
      return retrieved(chunks('a'))
    })
    await using client = createClient({
      fetchers: [gate, http],
      use: [
        async (request, next) => {
          if (!request.url.startsWith('finger:')) return next(request)
          const first = next(request)
          expect((await failure(next(request))).code).toBe('not-found')
          letGo()
          return first
        },
      ],
    })
    expect(await (await client.retrieve('finger://gate.example/x')).text()).toBe('a')
  })

  test('once it is over, a fetcher retrieves no more', async () => {
    const contexts: RetrievalContext[] = []
    const http = fakeHttp((_, context) => {
      contexts.push(context)
      return retrieved(chunks('a'))
    })
    await using client = createClient({ fetchers: [http] })
    const representation = await client.retrieve('http://h.example/')
    await representation.cancel()
    const [context] = contexts
    expect((await failure(Promise.resolve(context?.retrieve('/b')))).code).toBe('aborted')
  })
})
