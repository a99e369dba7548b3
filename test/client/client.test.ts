import { hostname } from 'node:os'
import type { RetrievalError } from '@retriever/core'
import { createClient, type Fetcher, type Representation, type RetrievalEvent } from '@retriever/fetchers'
import { describe, expect, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

describe('options are checked where they enter', () => {
  test.each([
    [{ limit: {} }, /`limit` to be one of .*limits/],
    [{ limits: { idleTimeout: '5' } }, /`limits.idleTimeout` to be a number of 0 or more, got "5" \(string\)/],
    [{ limits: { idle: 5 } }, /`limits.idle` to be one of/],
    [{ fetchers: [{}] }, /`fetchers` to be a list of objects with/],
    [{ fetchers: {} }, /`fetchers` to be an array, got an object/],
    [{ concurrency: 0 }, /`concurrency` to be a whole number of 1 or more, got 0 \(number\)/],
    [{ onEvent: 'x' }, /`onEvent` to be a function/],
    [{ policy: { allow: ['encoded-delimiter'] } }, /other than encoded-delimiter/],
    [{ policy: { allow: ['__proto__'] } }, /`policy.allow`/],
    [{ policy: { allow: 'foreign-port' } }, /`policy.allow` to be an array/],
    [{ policy: { allowPorts: '25' } }, /`policy.allowPorts` to be an array of port numbers, got "25" \(string\)/],
    [{ policy: { allowPorts: ['25'] } }, /`policy.allowPorts`/],
    [{ policy: { allowInward: 'no' } }, /`policy.allowInward` to be true or false/],
    [{ limits: { toString: 1 } }, /`limits.toString` to be one of/],
    [{ tls: { rejectUnauthorized: false } }, /`tls.rejectUnauthorized` to be one of ca, .*insecure/],
    [{ tls: { insecure: 1 } }, /`tls.insecure` to be true or false, got 1 \(number\)/],
    [{ defaults: { requireTLS: true } }, /`defaults.requireTLS` to be one of newsServer, .*requireTls/],
    [{ defaults: { requireTls: 'yes' } }, /`defaults.requireTls` to be true or false, got "yes" \(string\)/],
    [
      { defaults: { newsServer: 119 } },
      /`defaults.newsServer` to be a string of one line, without NUL, got 119 \(number\)/,
    ],
    ...['a@b\r\nDELE x', 'a\n', 'a\0'].flatMap((text): [object, RegExp][] => [
      [{ defaults: { anonymousPassword: text } }, /`defaults.anonymousPassword` to be a string of one line/],
      [{ defaults: { newsServer: text } }, /`defaults.newsServer` to be a string of one line/],
    ]),
    [{ defaults: { localHosts: 'h' } }, /`defaults.localHosts` to be an array of strings, got "h" \(string\)/],
    [{ defaults: { localHosts: [1] } }, /`defaults.localHosts` to be an array of strings/],
  ])('%j', (options, message) => {
    expect(() => createClient(options as never)).toThrow(message)
    expect(() => createClient(options as never)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  test.each([
    [{ range: [5, 4] }, /`range` to be \[first, last\]/],
    [{ range: 'x' }, /`range`/],
    [{ range: [0, '9\r\nX: y'] }, /`range`/],
    [{ accept: 'a\r\nX: y' }, /`accept` to be visible ASCII/],
    [{ accept: '\u010d\u010a' }, /`accept`/],
    [{ base: 5 }, /`base` to be a string, got 5 \(number\)/],
    [{ signal: {} }, /`signal` to be an AbortSignal/],
    [{ rnage: [0, 1] }, /`rnage` to be one of signal, base, .*range, .*accept/],
  ])('of one retrieval: %j', async (options, message) => {
    const retrieve = vi.fn()
    await using client = createClient({ fetchers: [{ mechanism: 'http', retrieve }] })
    const error = await failure(client.retrieve('http://h/', options as never))
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringMatching(message) })
    expect(retrieve).not.toHaveBeenCalled()
  })

  test('one that is undefined is absent', async () => {
    const options = { policy: { allowPorts: undefined }, tls: undefined, concurrency: undefined }
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('a')))], ...options } as never)
    expect(await failure(client.retrieve('http://h:25/'))).toMatchObject({ code: 'refused' })
    expect(await (await client.retrieve('http://h/', { base: undefined } as never)).text()).toBe('a')
  })

  test('defaults reach resolution, each with the others as they were', async () => {
    const plans: unknown[] = []
    const ftp: Fetcher<'ftp'> = {
      mechanism: 'ftp',
      retrieve: async (plan) => {
        plans.push([plan.tls, plan.password])
        return { ...retrieved(chunks()), metadata: { welcome: 'Hello.' } }
      },
    }
    const defaults = { requireTls: true, anonymousPassword: 'me@', localHosts: undefined }
    await using client = createClient({ fetchers: [ftp], defaults } as never)
    await (await client.retrieve('ftp://h/x')).bytes()
    expect(plans).toEqual([['explicit', 'me@']])
    expect(client.resolve(`file://${hostname()}/x`).findings).toEqual([])
  })

  test('two fetchers for one mechanism', () => {
    const fetcher = fakeHttp(() => retrieved(chunks()))
    expect(() => createClient({ fetchers: [fetcher, fetcher] })).toThrow(/one fetcher for "http"/)
  })
})

test('close disposes of every fetcher, also where one fails', async () => {
  const disposed: string[] = []
  const plugin = (mechanism: 'http' | 'gopher', dispose: () => Promise<void>): Fetcher => ({
    mechanism,
    retrieve: () => Promise.reject(new Error('not asked')),
    dispose,
  })
  const client = createClient({
    fetchers: [
      plugin('http', () => Promise.reject(new Error('stuck'))),
      plugin('gopher', async () => void disposed.push('gopher')),
    ],
  })
  await expect(client.close()).rejects.toThrow('stuck')
  expect(disposed).toEqual(['gopher'])
})

test('a fetcher that several clients have is disposed of once the last of them is closed', async () => {
  const dispose = vi.fn(async () => {})
  const shared: Fetcher = { mechanism: 'http', retrieve: () => Promise.reject(new Error('not asked')), dispose }
  const [one, other] = [createClient({ fetchers: [shared] }), createClient({ fetchers: [shared] })]
  expect(() => createClient({ fetchers: [shared], limits: { maxSize: -1 } })).toThrow('maxSize')
  expect(() => createClient({ fetchers: [shared, shared] })).toThrow('one fetcher')
  await Promise.all([one.close(), one.close()])
  await one.close()
  expect(dispose).not.toHaveBeenCalled()
  await other.close()
  expect(dispose).toHaveBeenCalledOnce()
})

describe('before any connection', () => {
  test.each([
    ['http://h:25/', 'refused', 'policy', /`policy\.allowPorts: \[25\]` permits it\.$/],
    ['gopher://h/1a%0D%0Ab', 'refused', 'policy', /cannot be allowed/],
    ['http://a b/', 'malformed-url', 'resolve', /character 9/],
    ['nosuch:x', 'unknown-scheme', 'resolve', /"nosuch" is not known/],
    ['relative/path', 'malformed-url', 'resolve', /base/],
  ])('%s is %s', async (url, code, phase, message) => {
    const retrieve = vi.fn()
    await using client = createClient({
      fetchers: [
        { mechanism: 'http', retrieve },
        { mechanism: 'gopher', retrieve },
      ],
    })
    const error = await failure(client.retrieve(url))
    expect(error).toMatchObject({ code, phase })
    expect(error.message).toMatch(message)
    expect(retrieve).not.toHaveBeenCalled()
  })

  test('a foreign port passes where it is allowed', async () => {
    await using client = createClient({
      fetchers: [fakeHttp(() => retrieved(chunks('ok')))],
      policy: { allowPorts: [25] },
    })
    expect(await (await client.retrieve('http://h:25/')).text()).toBe('ok')
  })
})

describe('redirects', () => {
  const to = (location: string, first = 'http://a.example/x') =>
    createClient({
      fetchers: [
        fakeHttp((plan, context) =>
          context.url === first
            ? { outcome: 'redirect', location, status: 302 }
            : retrieved(chunks(JSON.stringify([plan.host, plan.target, plan.user, plan.password]))),
        ),
      ],
    })

  test('a relative one is followed, and kept', async () => {
    await using client = to('../y?z')
    const representation = await client.retrieve('http://a.example/x')
    expect(representation.url).toBe('http://a.example/y?z')
    expect(representation.redirects).toEqual([{ url: 'http://a.example/x', status: 302, location: '../y?z' }])
    expect(await representation.json()).toEqual(['a.example', '/y?z', null, null])
  })

  test.each([
    ['/y', ['a.example', '/y', 'u', 'p']],
    ['http://x:y@a.example:80/y', ['a.example', '/y', 'u', 'p']],
    ['http://a.example:8080/y', ['a.example', '/y', null, null]],
    ['https://a.example/y', ['a.example', '/y', null, null]],
    ['http://a.example.org/y', ['a.example.org', '/y', null, null]],
  ])('the login of the URL stays with its origin: %s', async (location, plan) => {
    await using client = to(location, 'http://u@a.example/x')
    expect(await (await client.retrieve('http://u:p@a.example/x')).json()).toEqual(plan)
  })

  test.each([
    ['nosuch://b.example/', 'refused', /to "nosuch:\/\/b.example\/" was not followed: only http and https/],
    ['javascript:alert(1)', 'refused', /only http and https/],
    ['http://u:s3cr3t@[b/', 'protocol-violation', /it is not a valid URL/],
    ['http://b.example:99999/', 'protocol-violation', /it is not a valid URL/],
  ])('%s is no place to go to', async (location, code, message) => {
    await using client = to(location)
    const error = await failure(client.retrieve('http://a.example/x'))
    expect(error).toMatchObject({ code, url: 'http://a.example/x', status: 302 })
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('s3cr3t')
  })

  test.each(['http://feature.example/', 'http://febo.example/', 'http://0.example/'])(
    '%s is outward',
    async (location) => {
      await using client = to(location)
      expect((await client.retrieve('http://a.example/x')).url).toBe(location)
    },
  )

  test('userinfo of the server is dropped (case 48)', async () => {
    await using client = to('http://u:p@b.example/')
    expect(await (await client.retrieve('http://a.example/x')).json()).toEqual(['b.example', '/', null, null])
  })

  test.each([
    'file:///etc/passwd',
    'gopher://b.example/1x',
    'telnet://b.example/',
    'ldap://b.example/',
    'mailto:a@b.example',
    'man:ls',
    'data:,x',
    'ftp://b.example/',
    'http://127.0.0.1:8080/',
    'http://[::1]/',
    'http://0x7f.1/',
    'http://169.254.169.254/latest',
    'http://[::ffff:127.0.0.1]/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    '//0.0.0.0/',
  ])('%s is not followed (cases 10, 11, 19)', async (location) => {
    await using client = to(location)
    expect(await failure(client.retrieve('http://a.example/x'))).toMatchObject({ code: 'refused', phase: 'policy' })
  })

  test('https never leads to http (case 49)', async () => {
    await using client = to('http://a.example/', 'https://a.example/')
    const error = await failure(client.retrieve('https://a.example/'))
    expect(error.message).toMatch(/leave TLS/)
  })

  test('a loop ends', async () => {
    let hops = 0
    const fetchers = [
      fakeHttp((_, context) => {
        hops++
        return { outcome: 'redirect', location: `${context.url}x`, status: 301 }
      }),
    ]
    await using client = createClient({ fetchers, limits: { maxRedirects: 5 } })
    expect(await failure(client.retrieve('http://h/'))).toMatchObject({ code: 'too-many-redirects' })
    expect(hops).toBe(6)
  })
})

describe('time and cancellation', () => {
  const silent = (context: {
    deadline: { within: <T>(phase: 'greeting', operation: () => Promise<T>) => Promise<T> }
  }) => context.deadline.within('greeting', () => new Promise<never>(() => {}))

  test('silence names its phase', async () => {
    await using client = createClient({
      fetchers: [fakeHttp((_, context) => silent(context))],
      limits: { idleTimeout: 20, maxRetries: 0 },
    })
    expect(await failure(client.retrieve('http://h/'))).toMatchObject({ code: 'timeout', phase: 'greeting' })
  })

  test('the total runs over everything', async () => {
    await using client = createClient({
      fetchers: [fakeHttp((_, context) => silent(context))],
      limits: { totalTimeout: 20 },
    })
    const error = await failure(client.retrieve('http://h/'))
    expect(error.message).toMatch(/did not end within 0.02 s while waiting for the server's greeting/)
  })

  test('a pause of the consumer is no silence of the server', async () => {
    await using client = createClient({
      fetchers: [fakeHttp((_, context) => retrieved(timed(context)))],
      limits: { idleTimeout: 30 },
    })
    const representation = await client.retrieve('http://h/')
    const texts: string[] = []
    for await (const chunk of representation) {
      texts.push(Buffer.from(chunk).toString())
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    expect(texts).toEqual(['a', 'b'])
  })

  async function* timed(context: { deadline: { within: <T>(phase: 'body', o: () => Promise<T>) => Promise<T> } }) {
    for (const text of ['a', 'b']) yield await context.deadline.within('body', async () => Buffer.from(text))
  }

  test('the signal ends what waits, before and during', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const fetchers = [
      fakeHttp((_, context) => {
        const answer = silent(context)
        controller.abort()
        return answer
      }),
    ]
    await using client = createClient({ fetchers })
    const during = await failure(client.retrieve('http://h/', { signal }))
    expect(during).toMatchObject({ code: 'aborted', phase: 'greeting' })
    const before = await failure(client.retrieve('http://h/', { signal }))
    expect(before).toMatchObject({ code: 'aborted', phase: 'resolve' })
  })

  test('close ends what is under way', async () => {
    const client = createClient({ fetchers: [fakeHttp((_, context) => silent(context))] })
    const waiting = failure(client.retrieve('http://h/'))
    await client.close()
    expect(await waiting).toMatchObject({ code: 'aborted' })
  })

  test('a closed client retrieves nothing more', async () => {
    const retrieve = vi.fn()
    const client = createClient({ fetchers: [{ mechanism: 'http', retrieve }] })
    await client.close()
    expect(await failure(client.retrieve('http://h/'))).toMatchObject({
      code: 'aborted',
      message: expect.stringMatching('closed'),
    })
    expect(retrieve).not.toHaveBeenCalled()
    await client.close()
  })

  test.each(['the signal', 'close', 'the total'])('%s ends what nobody reads', async (what) => {
    const controller = new AbortController()
    const events: RetrievalEvent[] = []
    const client = createClient({
      fetchers: [fakeHttp(() => retrieved(endless().body))],
      limits: { totalTimeout: what === 'the total' ? 10 : 60_000 },
      onEvent: (event) => events.push(event),
    })
    const representation = await client.retrieve('http://h/', { signal: controller.signal })
    if (what === 'the signal') controller.abort()
    if (what === 'close') await client.close()
    await representation.finished
    const code = what === 'the total' ? 'timeout' : 'aborted'
    expect(events.at(-1)).toMatchObject({ type: 'done', error: { code } })
    expect(await failure(representation.text())).toMatchObject({ code })
    await client.close()
  })
})

test('events tell the story in order, without the password', async () => {
  const events: RetrievalEvent[] = []
  await using client = createClient({
    fetchers: [fakeHttp(() => retrieved(chunks('abc', 'de'), { size: 5 }))],
    onEvent: (event) => events.push(event),
  })
  await (await client.retrieve('http://u:s3cr3t@localhost/')).text()
  expect(events.map((event) => event.type)).toEqual(['resolved', 'progress', 'progress', 'done'])
  expect(events.at(-1)).toMatchObject({ type: 'done', url: 'http://u@localhost/', received: 5, error: null })
  expect(JSON.stringify(events)).not.toContain('s3cr3t')
})

test.each(['resolved', 'progress', 'done'])('a listener that throws at "%s" ends its retrieval alone', async (type) => {
  const onEvent = vi.fn((event: RetrievalEvent) => {
    if (event.type === type && event.url === 'http://h/bad') throw new TypeError('boom')
  })
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('a', 'b')))], onEvent })
  const codes: string[] = []
  for await (const { url, representation, error } of client.retrieveAll(['http://h/bad', 'http://h/good'])) {
    const read = representation?.text().catch((reason: RetrievalError) => reason.code)
    codes.push(`${url} ${error?.code ?? (await read)}`)
  }
  // At "done" nothing is left to end.
  expect(codes.sort()).toEqual([`http://h/bad ${type === 'done' ? 'ab' : 'aborted'}`, 'http://h/good ab'])
})

test.each(['/refused', '/late', '/body'])('an error after redirects has them: %s', async (last) => {
  await using client = createClient({
    limits: { idleTimeout: 50 },
    fetchers: [
      fakeHttp(({ target }, { error, deadline }) => {
        if (target === '/') return { outcome: 'redirect', location: '/next?token=s3cr3t', status: 302 }
        if (target.startsWith('/next')) return { outcome: 'redirect', location: last, status: 301 }
        if (target === '/refused') throw error('access-denied', 'No.')
        const never = (): Promise<never> => deadline.within('body', () => new Promise(() => {}))
        return target === '/late' ? never() : retrieved({ read: never, cancel: async () => {} })
      }),
    ],
  })
  const error = await failure(client.retrieve('http://h/').then((representation) => representation.text()))
  expect(error.toJSON().redirects).toEqual([
    { url: 'http://h/', status: 302, location: '/next?token=***' },
    { url: 'http://h/next?token=***', status: 301, location: last },
  ])
})

describe('client.retrieveAll', () => {
  test('caps a host, and one failure harms no other', async () => {
    const running = new Map<string, number>()
    const most = new Map<string, number>()
    const fetchers = [
      fakeHttp(async ({ host, target }, context) => {
        const now = (running.get(host) ?? 0) + 1
        running.set(host, now)
        most.set(host, Math.max(most.get(host) ?? 0, now))
        await new Promise((resolve) => setImmediate(resolve))
        running.set(host, (running.get(host) ?? 0) - 1)
        if (target === '/3') throw context.error('not-found', 'No.')
        return retrieved(chunks(target))
      }),
    ]
    await using client = createClient({ fetchers, perHost: 2, concurrency: 3 })
    const urls = ['a', 'b'].flatMap((host) => [1, 2, 3, 4, 5].map((n) => `http://${host}/${n}`))
    const seen: string[] = []
    for await (const { url, representation, error } of client.retrieveAll(urls)) {
      seen.push(`${url} ${representation === null ? error.code : await representation.text()}`)
    }
    expect(seen.sort()).toEqual(
      ['a', 'b'].flatMap((host) =>
        [1, 2, 3, 4, 5].map((n) => `http://${host}/${n} ${n === 3 ? 'not-found' : `/${n}`}`),
      ),
    )
    expect([...most.values()].every((count) => count <= 2)).toBe(true)
  })

  test.each([
    ['many hosts: each takes a place, however little of it', 8, 3, 3],
    ['one host: several share a place', 1, 1, 4],
    ['two hosts, by turns', 2, 2, 8],
  ])('what shares connections, of %s', async (_, hosts, concurrency, expected) => {
    const running = new Map<string, number>()
    let most = 0
    let mostHosts = 0
    const shared: Fetcher<'http'> = {
      ...fakeHttp(async ({ host }) => {
        running.set(host, (running.get(host) ?? 0) + 1)
        most = Math.max(
          most,
          [...running.values()].reduce((sum, each) => sum + each),
        )
        mostHosts = Math.max(mostHosts, [...running.values()].filter((each) => each > 0).length)
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
        running.set(host, (running.get(host) ?? 0) - 1)
        return retrieved(chunks('x'))
      }),
      inFlight: 4,
    }
    await using client = createClient({ fetchers: [shared], concurrency })
    const urls = Array.from({ length: 40 }, (_, n) => `http://h${n % hosts}/${n}`)
    let count = 0
    for await (const { representation } of client.retrieveAll(urls))
      count += (await representation?.text())?.length ?? 0
    expect(count).toBe(40)
    expect(mostHosts).toBeLessThanOrEqual(concurrency)
    expect(most).toBeGreaterThanOrEqual(expected)
  })

  test('stopping early ends the rest', async () => {
    let started = 0
    const fetchers = [
      fakeHttp(() => {
        started++
        return retrieved(chunks('x'))
      }),
    ]
    await using client = createClient({ fetchers, concurrency: 1 })
    const urls = Array.from({ length: 50 }, (_, n) => `http://h/${n}`)
    for await (const { representation } of client.retrieveAll(urls)) {
      await representation?.text()
      break
    }
    expect(started).toBeLessThan(5)
  })

  test('what has been handed over can be read after the loop', async () => {
    await using client = createClient({ fetchers: [fakeHttp(({ target }) => retrieved(chunks(target)))] })
    const kept: Representation[] = []
    for await (const { representation } of client.retrieveAll(['http://h/1', 'http://h/2'])) {
      if (representation) kept.push(representation)
    }
    for await (const { representation } of client.retrieveAll(['http://h/3', 'http://h/4'])) {
      if (representation) kept.push(representation)
      break
    }
    const texts = await Promise.all(kept.map((representation) => representation.text()))
    expect(texts.slice(0, 2).sort()).toEqual(['/1', '/2'])
    expect(['/3', '/4']).toContain(texts[2])
  })

  test('stopping early ends what has come and was not handed over', async () => {
    let ended = 0
    const onEvent = (event: RetrievalEvent): void => {
      if (event.type === 'done' && event.error?.code === 'aborted') ended++
    }
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(endless().body))], onEvent })
    for await (const { representation } of client.retrieveAll(['http://h/1', 'http://h/2', 'http://h/3'])) {
      // All three have come when the next turn of the event loop begins.
      await new Promise((resolve) => setImmediate(resolve))
      await representation?.cancel()
      break
    }
    expect(ended).toBe(2)
  })

  test('the signal frees the places of what nobody reads', async () => {
    const controller = new AbortController()
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(endless().body))], concurrency: 1 })
    const codes: string[] = []
    for await (const { error } of client.retrieveAll(['http://h/1', 'http://h/2'], { signal: controller.signal })) {
      codes.push(error?.code ?? 'came')
      controller.abort()
    }
    expect(codes).toEqual(['came', 'aborted'])
  })
})
