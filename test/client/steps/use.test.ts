/** The caller's own steps (ClientOptions.use): signing, tracing, mocks, another try, with HTTP and FTP. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { RetrievalError } from '@retriever/core'
import { createClient, type Representation, type Step } from '@retriever/fetchers'
import { chunksOf } from '@retriever/fetchers/plugin'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'

let servers: TestServers<'http' | 'ftp'>
beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true, files: { '/a.txt': 'text of a', '/b.txt': 'text of b' } })
})
afterEach(() => servers.reset())
afterAll(() => servers.close())

const http = (path: string): string => `http://127.0.0.1:${servers.http.port}${path}`
const ftp = (path: string): string => `ftp://127.0.0.1:${servers.ftp.port}${path}`
const text = async (client: ReturnType<typeof createClient>, url: string): Promise<string> =>
  (await client.retrieve(url)).text()

describe('sign', () => {
  const sign: Step = (request, next) => {
    const { plan, headers } = request
    if (plan.mechanism !== 'http' || request.isOtherOrigin) return next(request)
    const signature = createHmac('sha256', 'key').update(plan.target).digest('hex')
    return next({ ...request, headers: { ...headers, 'X-Signature': signature } })
  }

  test('a field that depends on the URL goes with each request', async () => {
    await using client = createClient({ use: [sign] })
    expect(await text(client, http('/a.txt'))).toBe('text of a')
    expect(await text(client, http('/b.txt'))).toBe('text of b')
    const expected = ['/a.txt', '/b.txt'].map((path) => createHmac('sha256', 'key').update(path).digest('hex'))
    expect(servers.http.requests.map(({ headers }) => headers?.['x-signature'])).toEqual(expected)
  })

  test('a redirect to the same origin is signed anew, one to another origin is told apart', async () => {
    servers.http.route('/from', new Response(null, { status: 302, headers: { location: '/a.txt' } }))
    await using other = await startServers({ http: true, files: { '/c.txt': 'c' } })
    const elsewhere = `http://127.0.0.1:${other.http.port}/c.txt`
    servers.http.route('/away', new Response(null, { status: 302, headers: { location: elsewhere } }))
    await using client = createClient({ use: [sign] })
    expect(await text(client, http('/from'))).toBe('text of a')
    expect(await text(client, http('/away'))).toBe('c')
    expect(servers.http.requests.map(({ headers }) => typeof headers?.['x-signature'])).toEqual(
      servers.http.requests.map(() => 'string'),
    )
    expect(other.http.requests[0]?.headers).not.toHaveProperty('x-signature')
  })

  test('what a step changes holds for its attempt alone, and not for the redirect after it', async () => {
    servers.http.route('/from', new Response(null, { status: 302, headers: { location: '/a.txt' } }))
    const once: Step = (request, next) =>
      request.url.endsWith('/from') ? next({ ...request, headers: { 'X-Once': '1' } }) : next(request)
    await using client = createClient({ use: [once] })
    expect(await (await client.retrieve(http('/from'), { headers: { 'X-All': '1' } })).text()).toBe('text of a')
    const [first, second] = servers.http.requests.map(({ headers = {} }) => ['x-once' in headers, 'x-all' in headers])
    expect([first, second]).toEqual([
      [true, false],
      [false, true],
    ])
  })
})

async function* sourceOfOther(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('other octets')
}

describe('trace', () => {
  test('steps stand around every attempt of every protocol, the outermost first', async () => {
    const told: string[] = []
    const tracer =
      (name: string): Step =>
      async (request, next) => {
        told.push(`${name} > ${request.plan.mechanism} ${request.attempt}`)
        const result = await next(request)
        told.push(`${name} < ${result.outcome}`)
        return result
      }
    await using client = createClient({ use: [tracer('outer')] })
    const page = await client.retrieve(ftp('/a.txt'), { use: [tracer('inner')] })
    expect(await page.text()).toBe('text of a')
    expect(told).toEqual(['outer > ftp 1', 'inner > ftp 1', 'inner < retrieved', 'outer < retrieved'])
    told.length = 0
    expect(await text(client, http('/b.txt'))).toBe('text of b')
    expect(told).toEqual(['outer > http 1', 'outer < retrieved'])
  })

  test('a further try after an error that may pass passes the steps again', async () => {
    servers.http.route('/flaky', new Response('yes'))
    servers.http.route('/flaky', new Response('no', { status: 503 }), { once: true })
    const attempts: number[] = []
    const trace: Step = (request, next) => {
      attempts.push(request.attempt)
      return next(request)
    }
    await using client = createClient({ use: [trace], limits: { retryDelay: 1 } })
    expect(await text(client, http('/flaky'))).toBe('yes')
    expect(attempts).toEqual([1, 2])
  })

  test('a step may put another body around that of the server, and it is read chunk by chunk', async () => {
    const shout: Step = async (request, next) => {
      const result = await next(request)
      if (result.outcome !== 'retrieved') return result
      const { body } = result
      async function* upper(): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunksOf(body)) yield Buffer.from(Buffer.from(chunk).toString().toUpperCase())
      }
      return { ...result, body: upper() }
    }
    await using client = createClient({ use: [shout] })
    const page = await client.retrieve(ftp('/a.txt'))
    expect([page.mechanism, await page.text()]).toEqual(['ftp', 'TEXT OF A'])
    // The connection is free again.
    expect(await text(client, ftp('/b.txt'))).toBe('TEXT OF B')
    expect(new Set(servers.ftp.requests.map(({ connection }) => connection)).size).toBe(1)
  })

  test.each<[string, () => string | Uint8Array | AsyncIterable<Uint8Array>, number | null, string | null]>([
    ['a text', () => 'other octets', 12, '12'],
    ['octets', () => Buffer.from('other'), 5, '5'],
    ['an iterable', () => sourceOfOther(), null, null],
  ])('a copy with %s as its body does not keep the length of the old one', async (_, body, size, length) => {
    const replace: Step = async (request, next) => {
      const result = await next(request)
      return result.outcome === 'retrieved' ? { ...result, body: body() } : result
    }
    await using client = createClient({ use: [replace] })
    const page = await client.retrieve(http('/a.txt'))
    expect(page.size).toBe(size)
    expect(page.completeness).toBe(size === null ? 'terminated' : 'verified')
    expect(await page.text()).toMatch(/^other/)
    const response = await client.fetch(http('/a.txt'))
    expect(response.headers.get('content-length')).toBe(length)
    await response.body?.cancel()
  })

  test('fetch() and retrieveAll() pass the steps, and the URLs that fetchers retrieve', async () => {
    const urls: string[] = []
    const trace: Step = (request, next) => {
      urls.push(request.url)
      return next(request)
    }
    await using client = createClient({ use: [trace] })
    expect(await (await client.fetch(http('/a.txt'))).text()).toBe('text of a')
    for await (const { representation } of client.retrieveAll([ftp('/b.txt')])) await representation?.cancel()
    expect(urls).toEqual([http('/a.txt'), ftp('/b.txt')])
  })
})

describe('mock', () => {
  test('a step that does not call next answers, and nothing is contacted', async () => {
    const mock: Step = ({ url }) => ({ body: `mock of ${url}`, mediaType: 'text/plain' })
    await using client = createClient({ use: [mock] })
    // Nothing listens there.
    const page = await client.retrieve('ftp://127.0.0.1:4999/x')
    expect(page).toMatchObject({ mechanism: 'ftp', kind: 'object', mediaType: 'text/plain', size: 30, metadata: {} })
    expect(await page.text()).toBe('mock of ftp://127.0.0.1:4999/x')
    const response = await client.fetch('http://127.0.0.1:4999/y')
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain;charset=utf-8',
      'mock of http://127.0.0.1:4999/y',
    ])
    expect([...servers.http.requests, ...servers.ftp.requests]).toEqual([])
  })

  test('undefined counts as absent in an answer', async () => {
    const answer = { outcome: undefined, mediaType: undefined, size: undefined, kind: undefined, body: 'text' } as const
    await using client = createClient({ use: [() => answer as never] })
    const page = await client.retrieve('http://127.0.0.1:4999/')
    expect(page).toMatchObject({ kind: 'object', mediaType: null, size: 4, completeness: 'verified' })
    expect(await page.text()).toBe('text')
  })

  test('the metadata of HTTP may be given, as far as they are wanted', async () => {
    const mock: Step = () => ({ body: new Uint8Array(3), metadata: { status: 404, headers: { 'x-a': 'b' } } })
    await using client = createClient({ use: [mock] })
    const page = await client.retrieve('http://127.0.0.1:4999/')
    expect(page.metadata).toEqual({ status: 404, headers: { 'x-a': 'b' }, fields: [['x-a', 'b']] })
    expect((await page.bytes()).length).toBe(3)
    expect((await client.fetch('http://127.0.0.1:4999/')).status).toBe(404)
  })

  test('a redirect of a step is followed by the rules of the policy', async () => {
    const moved =
      (location: string): Step =>
      (request, next) =>
        request.url.includes('/old') ? { outcome: 'redirect', location, status: 301 } : next(request)
    await using client = createClient({ use: [moved('/a.txt')] })
    const page = await client.retrieve(http('/old'))
    expect([page.url, await page.text()]).toEqual([http('/a.txt'), 'text of a'])
    await using outward = createClient({ use: [moved('file:///etc/passwd')] })
    expect(await failure(outward.retrieve(http('/old')))).toMatchObject({ code: 'refused' })
  })

  test('the policy refuses before a step is called', async () => {
    let calls = 0
    const count: Step = (request, next) => {
      calls++
      return next(request)
    }
    await using client = createClient({ use: [count], policy: { schemes: ['https'] } })
    expect(await failure(client.retrieve(http('/a.txt')))).toMatchObject({ code: 'refused' })
    expect(calls).toBe(0)
  })

  test('publicOnly judges the addresses that a step lets through', async () => {
    const through: Step = (request, next) => next({ ...request, headers: { 'X-A': '1' } })
    await using client = createClient({ use: [through], policy: { publicOnly: true } })
    expect(await failure(client.retrieve(http('/a.txt')))).toMatchObject({ code: 'refused' })
    expect(servers.http.requests).toEqual([])
  })

  test('head: true and limits.maxSize hold for an answer of a step, too', async () => {
    await using client = createClient({ use: [() => ({ body: 'long' })] })
    const head = await client.retrieve('http://127.0.0.1:4999/', { head: true })
    expect([head.size, await head.text()]).toEqual([4, ''])
    const error = await failure(client.retrieve('http://127.0.0.1:4999/', { limits: { maxSize: 3 } }))
    expect(error).toMatchObject({ code: 'limit-exceeded' })
  })
})

describe('another try', () => {
  test('a step may call next again, and decides by the result', async () => {
    servers.http.route('/busy', new Response('done'))
    servers.http.route('/busy', new Response('busy', { headers: { 'x-state': 'busy' } }), { once: true })
    const untilDone: Step = async (request, next) => {
      for (;;) {
        const result = await next(request)
        const isBusy =
          result.outcome === 'retrieved' && result.mechanism === 'http' && result.metadata.headers['x-state'] === 'busy'
        if (!isBusy) return result
        await result.body.cancel()
      }
    }
    await using client = createClient({ use: [untilDone] })
    expect(await text(client, http('/busy'))).toBe('done')
    expect(servers.http.requests.length).toBe(2)
  })

  test('a copy of the first result is read under the limits of its own try', async () => {
    const first: Step = async (request, next) => {
      const result = await next(request)
      const other = await next({ ...request, limits: { ...request.limits, maxSize: 1 } }).catch(() => null)
      if (other?.outcome === 'retrieved') await other.body.cancel()
      return { ...result } as typeof result
    }
    await using client = createClient({ use: [first] })
    expect(await text(client, http('/a.txt'))).toBe('text of a')
  })

  test('by an error, with other options', async () => {
    const other: Step = (request, next) =>
      next({ ...request, range: [100, 200] }).catch((error: unknown) => {
        if (RetrievalError.is(error) && error.code === 'range-refused') return next(request)
        throw error
      })
    await using client = createClient({ use: [other] })
    expect(await text(client, http('/a.txt'))).toBe('text of a')
    expect(servers.http.requests.map(({ headers }) => headers?.range)).toEqual(['bytes=100-200', undefined])
  })

  test('after a timeout, on a connection of its own', async () => {
    servers.ftp.setFaults({ stall: 'greeting' })
    const again: Step = async (request, next) => {
      try {
        return await next({ ...request, limits: { ...request.limits, idleTimeout: 100 } })
      } catch (error) {
        expect(error).toMatchObject({ code: 'timeout' })
        servers.ftp.setFaults({})
        return next(request)
      }
    }
    await using client = createClient({ use: [again] })
    expect(await text(client, ftp('/a.txt'))).toBe('text of a')
  })

  test('a transient RetrievalError of a step is tried again, any other error ends the retrieval', async () => {
    const transient: Step = (request, next) => {
      if (request.attempt < 3)
        throw new RetrievalError('server-refused', 'Not yet.', { phase: 'request', transient: true })
      return next(request)
    }
    await using client = createClient({ use: [transient], limits: { retryDelay: 1 } })
    expect(await text(client, http('/a.txt'))).toBe('text of a')
    const cause = new Error('broken')
    const broken: Step = async () => Promise.reject(cause)
    await using other = createClient({ use: [(request, next) => next(request), broken] })
    const error = await failure(other.retrieve(http('/a.txt')))
    expect(error).toMatchObject({ code: 'aborted', message: expect.stringMatching(/use\[1\] threw \(Error: broken\)/) })
    expect(error.cause).toBe(cause)
  })

  test('the faster of two is given on, and the other connection ends', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let asked = 0
    servers.http.route('/race', async () => {
      if (++asked === 1) await held
      return new Response(`answer ${asked}`)
    })
    const hedge: Step = (request, next) => Promise.any([next(request), next(request)])
    await using client = createClient({ use: [hedge] })
    expect(await text(client, http('/race'))).toBe('answer 2')
    release()
  })

  test('a body that is not given on is released once the result is read', async () => {
    const own: Step = async (request, next) => {
      await next(request)
      return { body: 'own' }
    }
    await using client = createClient({ use: [own] })
    for (let times = 0; times < 6; times++) expect(await text(client, ftp('/a.txt'))).toBe('own')
  })

  test('next() after the result, and without waiting for it, retrieves nothing more', async () => {
    let late: unknown
    const early: Step = (request, next) => {
      setImmediate(() => {
        late = next(request).catch((error: unknown) => error)
      })
      void next(request)
      return { body: 'early' }
    }
    await using client = createClient({ use: [early] })
    expect(await text(client, http('/a.txt'))).toBe('early')
    await new Promise(setImmediate)
    expect(await late).toMatchObject({ code: 'aborted' })
  })
})

describe('a request', () => {
  test('tells its URL without the password, the plan with it, and the signal of the retrieval', async () => {
    const controller = new AbortController()
    const look: Step = (request) => {
      expect(request).toMatchObject({ url: http('/a.txt').replace('//', '//ann@'), attempt: 1, accept: 'text/html' })
      expect(request.plan).toMatchObject({ mechanism: 'http', user: 'ann', password: 'secret' })
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
        controller.abort()
      })
    }
    await using client = createClient({ use: [look] })
    const url = http('/a.txt').replace('//', '//ann:secret@')
    const error = await failure(client.retrieve(url, { accept: 'text/html', signal: controller.signal }))
    expect(error).toMatchObject({ code: 'aborted' })
  })

  test('an abort ends a step that does not listen to it', async () => {
    const controller = new AbortController()
    const deaf: Step = () => {
      queueMicrotask(() => controller.abort())
      return new Promise(() => {})
    }
    await using client = createClient({ use: [deaf] })
    const error = await failure(client.retrieve(http('/a.txt'), { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'aborted' })
  })

  test.each<[string, (body: Representation, controller: AbortController) => unknown]>([
    ['an abort', (_, controller) => controller.abort()],
    ['cancel()', (body) => body.cancel()],
  ])('%s ends a body of a step that does not listen to it', async (_, end) => {
    const started = new AbortController()
    const waiting = once(started.signal, 'abort')
    async function* deaf(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a')
      started.abort()
      await new Promise(() => {})
    }
    const controller = new AbortController()
    await using client = createClient({ use: [() => ({ body: deaf() })] })
    const body = await client.retrieve(http('/a.txt'), { signal: controller.signal })
    const reading = failure(body.text())
    await waiting
    await end(body, controller)
    expect(await reading).toMatchObject({ code: 'aborted', phase: 'body' })
  })

  test('close() closes a stream that a step gave and nobody has read', async () => {
    const stream = new Readable({ read() {} })
    const client = createClient({ use: [() => ({ body: stream })] })
    await client.retrieve(http('/a.txt'))
    await client.close()
    expect(stream.destroyed).toBe(true)
  })

  test('its plan cannot be written to', async () => {
    const mutate: Step = (request, next) => {
      Object.assign(request.plan, { host: 'other.example' })
      return next(request)
    }
    await using client = createClient({ use: [mutate] })
    const error = await failure(client.retrieve(http('/a.txt')))
    expect(error).toMatchObject({ code: 'aborted', message: expect.stringMatching(/read only/) })
  })

  test.each<[string, (request: Parameters<Step>[0]) => object | undefined, object]>([
    ['the request itself', (request) => request, { accept: 'text/x' }],
    ['the options of a protocol', ({ http }) => http, { fail: false }],
    ['its fields', ({ headers }) => headers, { 'X-Other': '1' }],
    ['its limits', ({ limits }) => limits, { maxSize: 1 }],
  ])('nor can %s, and what the caller gave stays', async (_, part, change) => {
    const mutate: Step = (request, next) => {
      Object.assign(part(request) ?? {}, change)
      return next(request)
    }
    const given = { http: { compressed: true }, headers: { 'X-Own': '1' }, limits: { maxRetries: 0 } }
    const options = structuredClone(given)
    await using client = createClient({ use: [mutate] })
    const error = await failure(client.retrieve(http('/a.txt'), options))
    expect(error).toMatchObject({ code: 'aborted', message: expect.stringMatching(/read only|not extensible/) })
    expect(options).toEqual(given)
  })

  test('nor can the parts of its plan', async () => {
    const mutate: Step = (request, next) => {
      if (request.plan.mechanism === 'mailto') Object.assign(request.plan.headers, { subject: 'changed' })
      return next(request)
    }
    await using client = createClient({ use: [mutate] })
    const error = await failure(client.retrieve('mailto:a@b.example?subject=kept'))
    expect(error).toMatchObject({ code: 'aborted', message: expect.stringMatching(/read only/) })
  })

  test.each<[string, (request: Parameters<Step>[0]) => object, RegExp]>([
    ['another plan', (request) => ({ plan: { ...request.plan } }), /`request.plan` to stay as it is/],
    ['another URL', () => ({ url: 'http://h/' }), /`request.url` to stay as it is/],
    ['another signal', () => ({ signal: AbortSignal.timeout(1000) }), /`request.signal` to stay/],
    ['an unknown option', () => ({ header: {} }), /`header` to be one of .*headers/],
    ['a field that frames the message', () => ({ headers: { Host: 'h' } }), /`headers` to be header fields/],
    ['both beginnings', () => ({ range: [0, 1], resumeFrom: 3 }), /`resumeFrom` to be absent/],
    ['a limit of the retrieval', (request) => ({ limits: { ...request.limits, maxRetries: 9 } }), /limits.maxRetries/],
    ['no limit', () => ({ limits: { maxSize: 'x' } }), /`limits.maxSize` to be a number/],
  ])('%s is invalid-option', async (_, change, message) => {
    const step: Step = (request, next) => next({ ...request, ...change(request) })
    await using client = createClient({ use: [step] })
    const error = await failure(client.retrieve(http('/a.txt')))
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringMatching(message) })
    expect(servers.http.requests).toEqual([])
  })

  test.each([undefined, null, 'GET', []])('next(%j) is invalid-option', async (given) => {
    await using client = createClient({ use: [(_, next) => next(given as never)] })
    expect(await failure(client.retrieve(http('/a.txt')))).toMatchObject({ code: 'invalid-option' })
  })

  test('the limits of an attempt hold for its body', async () => {
    const small: Step = (request, next) => next({ ...request, limits: { ...request.limits, maxSize: 4 } })
    await using client = createClient({ use: [small] })
    expect(await failure(client.retrieve(http('/a.txt')))).toMatchObject({ code: 'limit-exceeded' })
  })

  test('fields may be given as Headers', async () => {
    const step: Step = (request, next) => next({ ...request, headers: new Headers({ 'x-a': '1' }) as never })
    await using client = createClient({ use: [step] })
    expect(await text(client, http('/a.txt'))).toBe('text of a')
    expect(servers.http.requests[0]?.headers).toMatchObject({ 'x-a': '1' })
  })
})

describe('a wrong result is invalid-option', () => {
  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /`use\[0\]\(\)` to be what next\(\) gives, .*got undefined/],
    ['a text', 'secret', /`use\[0\]\(\)` to be what next\(\) gives/],
    ['a Response', new Response('x'), /`use\[0\]\(\)` to be what next\(\) gives, .*got an object/],
    ['no body', { mediaType: 'text/plain' }, /an object with a `body`/],
    ['a body of another kind', { body: 5 }, /`use\[0\]\(\).body` to be a string, octets/],
    ['a misspelt member', { body: '', mediatype: 'a/b' }, /`use\[0\]\(\).mediatype` to be one of .*mediaType/],
    ['a media type with a parameter', { body: '', mediaType: 'text/plain; a=b' }, /to be a media type/],
    ['no status', { body: '', metadata: { status: '200' } }, /metadata.status` to be a whole number/],
    ['a field name that is none', { body: '', metadata: { headers: { 'a b': 'c' } } }, /metadata.headers` to be an/],
    [
      'a field name in capitals',
      { body: '', metadata: { headers: { Age: '1' } } },
      /metadata.headers` to be an object/,
    ],
    ['header fields that are none', { body: '', metadata: { headers: [] } }, /metadata.headers` to be an object/],
    ['another outcome', { outcome: 'found', body: '' }, /`use\[0\]\(\).outcome` to be one of "retrieved"/],
    ['a redirect to nowhere', { outcome: 'redirect', status: 301 }, /a redirect with its `location`/],
    [
      'a redirect by a number',
      { outcome: 'redirect', status: 301, location: 5 },
      /location` to be a string of one line/,
    ],
  ])('%s', async (_, given, message) => {
    await using client = createClient({ use: [() => given as never] })
    const error = await failure(client.retrieve('http://127.0.0.1:4999/'))
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringMatching(message) })
    expect(error.message).not.toContain('secret')
  })

  test.each([{ use: () => {} }, { use: ['x'] }, { use: {} }])('createClient(%j)', (options) => {
    expect(() => createClient(options as never)).toThrow(/`use` to be an array of functions/)
  })
})
