/** What client.fetch does beside giving the results of Node's fetch, which node.test.ts compares. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { RetrievalError } from '@retriever/core'
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import { startFtpServer, startHttpServer } from '@retriever/servers'
import { describe, expect, test, vi } from 'vitest'
import { cacheable, reply } from '../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { remarks } from '../../support/events.ts'
import { chunks, fakeHttp, retrieved } from '../../support/fake-fetcher.ts'

const hi = () => createClient({ fetchers: [fakeHttp(() => retrieved(chunks('hi'), { charset: 'utf-8', size: 2 }))] })

/** The error that a promise rejects with. */
async function rejection(promise: Promise<unknown>): Promise<Error & { readonly cause?: unknown }> {
  const error = await promise.then(
    () => expect.fail('It did not reject.'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  return error as Error
}

test('it needs no `this`, never calls the global fetch, and its type is that of fetch()', async () => {
  await using client = hi()
  const { fetch } = client
  const typed: typeof globalThis.fetch = client.fetch
  const real = globalThis.fetch
  globalThis.fetch = () => expect.fail('The global fetch was called.')
  try {
    expect(await (await fetch('http://h/')).text()).toBe('hi')
    expect(await (await typed('data:,x')).text()).toBe('x')
  } finally {
    globalThis.fetch = real
  }
})

describe('a failure', () => {
  const failing = (code: RetrievalError['code'], details = {}) =>
    createClient({
      fetchers: [
        fakeHttp((_, context) => {
          throw context.error(code, 'No.', details)
        }),
      ],
    })

  test('of the network is a TypeError with the words that programs look for; its cause says more', async () => {
    await using client = failing('receive-failed')
    const error = await rejection(client.fetch('http://h/'))
    expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'receive-failed' } })
    expect(RetrievalError.is(error.cause)).toBe(true)
  })

  test('at a closed port has the code of the system, as with the fetch of Node', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    await using client = createClient()
    const error = await rejection(client.fetch(`http://127.0.0.1:${port}/`))
    expect(error).toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED', syscall: 'connect', port, cause: { code: 'connect-failed', phase: 'connect' } },
    })
    const both = await rejection(client.fetch(`http://localhost:${port}/`))
    expect(both).toMatchObject({ cause: { code: 'ECONNREFUSED', cause: { code: 'connect-failed' } } })
  })

  test.each([
    ['http://127.0.0.1:25/', 'refused'],
    ['zork://h/', 'unknown-scheme'],
    ['/x', 'malformed-url'],
    ['http://h:x/', 'malformed-url'],
    ['telnet://h/', 'handoff'],
  ])('of %s is a TypeError with a sentence, since trying again is of no use', async (url, code) => {
    await using client = createClient()
    const error = await rejection(client.fetch(url))
    expect(error).toMatchObject({ name: 'TypeError', cause: { code } })
    expect(error.message).toBe((error.cause as Error).message)
  })

  test('that is the answer of a server is a Response', async () => {
    await using client = failing('not-found')
    const response = await client.fetch('http://h/x')
    expect(response).toMatchObject({ status: 404, statusText: 'Not Found', type: 'basic', url: 'http://h/x' })
    expect(await response.text()).toBe('http://h/x: No.')
    expect((await client.fetch('http://h/x', { method: 'HEAD' })).body).toBeNull()
  })

  test('with a status that no Response can have rejects', async () => {
    await using client = failing('http-error', { status: 999 })
    expect(await rejection(client.fetch('http://h/'))).toMatchObject({ cause: { code: 'http-error', status: 999 } })
  })

  test('in the body is a TypeError, too', async () => {
    const broken = async function* () {
      yield Buffer.from('a')
      throw new Error('broken')
    }
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(broken()))] })
    const response = await client.fetch('http://h/')
    expect(await rejection(response.text())).toMatchObject({
      name: 'TypeError',
      message: 'terminated',
      cause: { code: 'receive-failed' },
    })
  })

  test('after close()', async () => {
    const client = hi()
    await client.close()
    expect(await rejection(client.fetch('http://h/'))).toMatchObject({ name: 'TypeError', cause: { code: 'aborted' } })
  })
})

describe('an abort rejects with the reason of the signal', () => {
  const reason = { mine: true }

  test('before the answer', async () => {
    await using server = await scriptedHttp(() => undefined)
    await using client = createClient()
    const controller = new AbortController()
    const promise = client.fetch(server.url, { signal: controller.signal })
    server.script = () => {
      controller.abort(reason)
      return undefined
    }
    await expect(promise).rejects.toBe(reason)
    await client.close()
    await server.closed()
  })

  test.each(['fetch(url, { signal })', 'fetch(new Request(url, { signal }))'])('in the body: %s', async (way) => {
    await using server = await scriptedHttp(() => 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi')
    await using client = createClient()
    const controller = new AbortController()
    const init = { signal: controller.signal }
    const response = await (way.includes('Request')
      ? client.fetch(new Request(server.url, init))
      : client.fetch(server.url, init))
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value).toEqual(new Uint8Array(Buffer.from('hi')))
    const waiting = reader?.read()
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(reader?.closed).rejects.toBe(reason)
    await server.closed()
  })

  test('in a body that nobody is reading', async () => {
    await using server = await scriptedHttp(() => 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi')
    await using client = createClient()
    const controller = new AbortController()
    const response = await client.fetch(server.url, { signal: controller.signal })
    controller.abort(reason)
    await expect(response.body?.getReader().closed).rejects.toBe(reason)
    await expect(response.text()).rejects.toThrow()
    await server.closed()
  })

  test('of a Request, unless init has another signal, or null', async () => {
    await using client = hi()
    const request = new Request('http://h/', { signal: AbortSignal.abort(reason) })
    await expect(client.fetch(request)).rejects.toBe(reason)
    await expect(client.fetch(request, { signal: AbortSignal.abort('other') })).rejects.toBe('other')
    expect((await client.fetch(request, { signal: null })).status).toBe(200)
  })

  test('after the body, nothing', async () => {
    await using client = hi()
    const controller = new AbortController()
    const response = await client.fetch('http://h/', { signal: controller.signal })
    expect(await response.text()).toBe('hi')
    controller.abort(reason)
    expect(response.bodyUsed).toBe(true)
  })
})

describe('the body', () => {
  const big = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))

  test('is a byte stream: a reader brings its own memory', async () => {
    await using server = await scriptedHttp(() => reply(200, {}, big))
    await using client = createClient()
    const reader = (await client.fetch(server.url)).body?.getReader({ mode: 'byob' })
    if (reader === undefined) expect.fail('There is no body.')
    const read: Buffer[] = []
    let memory = new Uint8Array(1000)
    for (;;) {
      const { done, value } = await reader.read(memory)
      if (value === undefined) break
      read.push(Buffer.from(value))
      memory = new Uint8Array(value.buffer)
      if (done) break
    }
    expect(Buffer.concat(read).equals(big)).toBe(true)
    expect(await reader.closed).toBeUndefined()
  })

  test.each<[name: string, read: (response: Response) => Promise<unknown>, expected: unknown]>([
    ['text', (response) => response.text(), '[1]'],
    ['json', (response) => response.json(), [1]],
    ['arrayBuffer', async (response) => Buffer.from(await response.arrayBuffer()).toString(), '[1]'],
    ['blob', async (response) => (await response.blob()).type, 'text/plain;charset=utf-8'],
    ['bytes', async (response) => Buffer.from(await Reflect.get(response, 'bytes').call(response)).toString(), '[1]'],
  ])('is read by %s() once, before or after its stream was looked at', async (_name, read, expected) => {
    const fetchers = [fakeHttp(() => retrieved(chunks('\uFEFF', '[1', ']'), { charset: 'utf-8' }))]
    await using client = createClient({ fetchers })
    for (const isLookedAt of [false, true]) {
      const response = await client.fetch('http://h/')
      expect(response.bodyUsed).toBe(false)
      const before = isLookedAt ? response.body : undefined
      const got = await read(response)
      expect(typeof got === 'string' ? got.replace(/^\uFEFF/, '') : got).toEqual(expected)
      expect(response.bodyUsed).toBe(true)
      expect(response.body).toBeInstanceOf(ReadableStream)
      if (before) expect(response.body).toBe(before)
      expect(() => response.clone()).toThrow(TypeError)
      for (const again of ['text', 'json', 'arrayBuffer', 'blob', 'bytes', 'formData']) {
        await expect(Reflect.get(response, again).call(response)).rejects.toThrow(TypeError)
      }
    }
  })

  test('that is no JSON, and one that is a form', async () => {
    await using client = createClient()
    await expect((await client.fetch('data:,{')).json()).rejects.toThrow(SyntaxError)
    const form = await (await client.fetch('data:application/x-www-form-urlencoded,a=b')).formData()
    expect(form.get('a')).toBe('b')
  })

  test('leaves the octets of others alone: a stream takes its memory away', async () => {
    const kept = new Uint8Array(Buffer.from('kept'))
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks(kept, '', 'x')))] })
    expect(await (await client.fetch('http://h/')).text()).toBe('keptx')
    expect(kept).toHaveLength(4)
  })

  test('is read twice by a clone, which keeps all else', async () => {
    await using server = await startHttpServer()
    await using client = createClient()
    const response = await client.fetch(`${server.url}redirect/302`)
    const copy = response.clone().clone()
    const facts = { url: `${server.url}readme.txt`, redirected: true, type: 'basic', status: 200, statusText: 'OK' }
    expect(copy).toMatchObject(facts)
    expect(copy.headers.get('etag')).toBe(response.headers.get('etag'))
    expect(await copy.text()).toBe(await response.text())
    expect(response).toMatchObject({ ...facts, bodyUsed: true })
    expect(() => response.clone()).toThrow(TypeError)
    expect(response).toBeInstanceOf(Response)
    expect(response.constructor).toBe(Response)
  })

  test('that is cancelled closes its connection', async () => {
    await using server = await scriptedHttp(() => 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi')
    await using client = createClient()
    await (await client.fetch(server.url)).body?.cancel()
    await server.closed()
  })

  test('of 204 is none, and of an FTP file by HEAD', async () => {
    await using http = await startHttpServer()
    await using ftp = await startFtpServer()
    await using client = createClient()
    expect((await client.fetch(`${http.url}status/204`)).body).toBeNull()
    const head = await client.fetch(`${ftp.url}pub/hello.txt`, { method: 'HEAD' })
    expect([head.body, head.status, head.headers.get('content-length')]).toEqual([null, 200, '14'])
  })
})

describe('integrity', () => {
  const hash = (name: string, text: string): string => `${name}-${createHash(name).update(text).digest('base64')}`

  test.each([
    ['sha256', hash('sha256', 'hi'), true],
    ['sha384', hash('sha384', 'hi'), true],
    ['sha512', hash('sha512', 'hi'), true],
    ['one of several', `${hash('sha256', 'ho')}\n${hash('sha256', 'hi')}?option`, true],
    ['an unknown hash beside a known one', `md5-AAAA ${hash('sha256', 'hi')}`, true],
    ['the alphabet of URLs', hash('sha512', 'hi').replaceAll('+', '-').replaceAll('/', '_'), true],
    ['another body', hash('sha256', 'ho'), false],
    ['only the strongest counts', `${hash('sha256', 'hi')} ${hash('sha512', 'ho')}`, false],
    ['a hash that is too short', 'sha256-AAAA', false],
  ])('%s', async (_what, integrity, isRight) => {
    await using client = hi()
    const response = client.fetch('http://h/', { integrity })
    if (isRight) expect(await (await response).text()).toBe('hi')
    else {
      const error = await rejection(response)
      expect(error).toMatchObject({ name: 'TypeError', cause: { code: 'receive-failed', phase: 'body' } })
      expect((error.cause as Error).message).toContain(`and \`integrity\` names another`)
    }
  })

  test('is held to limits.maxCollected, and without a hash nothing is sent', async () => {
    const fetchers = [fakeHttp(() => retrieved(chunks('hi')))]
    await using client = createClient({ fetchers, limits: { maxCollected: 1 } })
    const error = await rejection(client.fetch('http://h/', { integrity: hash('sha256', 'hi') }))
    expect(error).toMatchObject({ cause: { code: 'limit-exceeded' } })
    await using unasked = createClient({ fetchers: [fakeHttp(() => expect.fail('It was sent.'))] })
    expect(await rejection(unasked.fetch('http://h/', { integrity: 'md5-AAAA' }))).toMatchObject({
      message: expect.stringMatching(/^Expected `integrity` to be a list of hashes/),
      cause: { code: 'invalid-option' },
    })
  })

  test('of a blob and of no body', async () => {
    await using client = createClient()
    const url = URL.createObjectURL(new Blob(['hi'], { type: 'a/b' }))
    const response = await client.fetch(url, { integrity: hash('sha256', 'hi') })
    expect([response.url, response.headers.get('content-type'), await response.text()]).toEqual([url, 'a/b', 'hi'])
    await rejection(client.fetch(url, { integrity: hash('sha256', 'ho') }))
    await rejection(client.fetch('data:,hi', { method: 'HEAD', integrity: hash('sha256', 'hi') }))
  })
})

describe('cache', () => {
  test.each<[cache: string, asked: number, field: string | undefined]>([
    ['default', 0, undefined],
    ['no-store', 1, 'no-cache, no-store'],
    ['reload', 1, 'no-cache'],
    ['no-cache', 1, 'max-age=0'],
    ['force-cache', 0, undefined],
  ])('%s, of a fresh response', async (cache, asked, field) => {
    await using server = await scriptedHttp(cacheable('hi', { 'cache-control': 'max-age=60' }))
    await using client = createClient({ fetchers: [httpFetcher({ cache: 'memory' })] })
    await (await client.fetch(server.url)).text()
    const init: object = { cache }
    expect(await (await client.fetch(server.url, init)).text()).toBe('hi')
    expect(server.asked.slice(1)).toHaveLength(asked)
    if (asked === 1) expect(server.asked[1]?.fields['cache-control']).toBe(field)
  })

  test('no-cache asks the server even within the millisecond of the response', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await using server = await scriptedHttp(cacheable('hi', { 'cache-control': 'max-age=60' }))
      await using client = createClient({ fetchers: [httpFetcher({ cache: 'memory' })] })
      await (await client.fetch(server.url)).text()
      await (await client.fetch(server.url, { cache: 'no-cache' } as object)).text()
      expect(server.asked).toHaveLength(2)
    } finally {
      vi.useRealTimers()
    }
  })

  test('force-cache, of a stale response', async () => {
    await using server = await scriptedHttp(cacheable('hi', { 'cache-control': 'max-age=0', etag: '"x"' }))
    await using client = createClient({ fetchers: [httpFetcher({ cache: 'memory' })] })
    await (await client.fetch(server.url)).text()
    const init: object = { cache: 'force-cache' }
    expect(await (await client.fetch(server.url, init)).text()).toBe('hi')
    expect(server.asked).toHaveLength(1)
  })

  test("the caller's own Cache-Control counts, and other schemes are told nothing", async () => {
    await using server = await scriptedHttp(() => reply(200, {}))
    const events: RetrievalEvent[] = []
    await using client = createClient({ onEvent: (event) => events.push(event) })
    const init: object = { cache: 'reload', headers: { 'Cache-Control': 'max-age=7' }, referrer: 'http://h/a' }
    await (await client.fetch(server.url, init)).text()
    expect(server.asked[0]?.fields).toMatchObject({ 'cache-control': 'max-age=7', referer: 'http://h/' })
    await (await client.fetch('data:,x', { ...init, headers: {} })).text()
    expect(remarks(events)).toEqual([])
  })
})

test.each([
  [undefined, 'http://h/', undefined],
  ['', 'http://h/a?b#c', 'origin'],
  ['', 'SAME', 'whole'],
  ['', 'https://h/a', undefined],
  ['no-referrer', 'SAME', undefined],
  ['no-referrer-when-downgrade', 'http://h/a?b#c', 'whole'],
  ['no-referrer-when-downgrade', 'https://h/a', undefined],
  ['same-origin', 'http://h/a', undefined],
  ['same-origin', 'SAME', 'whole'],
  ['origin', 'SAME', 'origin'],
  ['strict-origin', 'https://h/a', undefined],
  ['strict-origin', 'http://h/a', 'origin'],
  ['origin-when-cross-origin', 'https://h/a', 'origin'],
  ['strict-origin-when-cross-origin', 'SAME', 'whole'],
  ['unsafe-url', 'https://u:p@h/a?b#c', 'whole'],
  ['unsafe-url', `http://h/${'a'.repeat(4096)}`, 'origin'],
  ['unsafe-url', 'data:,x', undefined],
])('the policy %j of a link from %.30s sends %s', async (referrerPolicy, page, sent) => {
  await using server = await scriptedHttp(() => reply(200, {}))
  await using client = createClient()
  const referrer = referrerPolicy === undefined ? '' : page === 'SAME' ? `${server.url}page?q#f` : page
  const init: object = { referrer, ...(referrerPolicy !== undefined && { referrerPolicy }) }
  await (await client.fetch(server.url, init)).text()
  const url = sent === undefined ? undefined : new URL(referrer)
  const whole = `${url?.origin}${url?.pathname}${url?.search}`
  expect(server.asked[0]?.fields.referer).toBe(sent === 'origin' ? `${url?.origin}/` : url && whole)
})

describe('credentials: omit', () => {
  const credentials = async () => ({ user: 'alice', password: 'secret' })

  test('asks for no login, and sends none that is remembered', async () => {
    await using server = await startHttpServer()
    await using client = createClient({ credentials })
    const url = `${server.url}auth/readme.txt`
    expect((await client.fetch(url, { credentials: 'omit' })).status).toBe(401)
    expect((await client.fetch(url)).status).toBe(200)
    expect((await client.fetch(url, { credentials: 'omit' })).status).toBe(401)
    expect((await client.fetch(url, { credentials: 'include' })).status).toBe(200)
  })

  test('does not go with a login in the URL', async () => {
    await using client = createClient()
    const error = await rejection(client.fetch('http://u:s3cr3t@h/', { credentials: 'omit' }))
    expect(error.message).toMatch(/^Expected `credentials` to be another word than "omit" for a URL with a login/)
    expect(error.message).not.toContain('s3cr3t')
  })
})

test.each<[object, RegExp]>([
  [{ body: 's3cr3t' }, /^Expected `body` to be absent, since GET sends no body, got one \(string\)/],
  [{ body: '', method: 'HEAD' }, /^Expected `body` to be absent, since HEAD/],
  [{ method: 'PUT' }, /^Expected `method` to be "GET" or "HEAD", .*, got "PUT"/],
  [{ cache: 'only-if-cached' }, /^Expected `cache` to be one of "default", /],
  [{ mode: 'navigate' }, /^Expected `mode` to be one of "cors", "no-cors", "same-origin", got "navigate"/],
  [{ dispatcher: {} }, /^Expected `dispatcher` to be absent, .* options are `proxy`, `tls` and `addresses`/],
  [{ limits: { maxSize: 1 } }, /^Expected `limits` to be absent, .* give it to createClient\(\) or to retrieve\(\)/],
  [{ policy: { publicOnly: true } }, /^Expected `policy` to be absent/],
  [{ resumeFrom: 5 }, /^Expected `resumeFrom` to be absent/],
  [{ proxy: null }, /^Expected `proxy` to be absent/],
  [
    { headers: { Host: 'other', a: 's3cr3t' } },
    /^Expected `headers` to be fields in ASCII, without Host, .*, got "host"/,
  ],
])('%j is refused with a sentence, and nothing is sent', async (init, message) => {
  await using client = createClient({ fetchers: [fakeHttp(() => expect.fail('It was sent.'))] })
  const error = await rejection(client.fetch('http://h/', init))
  expect(error).toMatchObject({ name: 'TypeError', cause: { code: 'invalid-option' } })
  expect(error.message).toMatch(message)
  expect(error.message).not.toContain('s3cr3t')
})

test('a Request of another copy of undici is read, too', async () => {
  await using server = await scriptedHttp(() => reply(200, {}, 'hi'))
  await using client = createClient()
  const { Request: Other } = await import('undici')
  const request: unknown = new Other(server.url, { headers: { 'x-a': 'b' } })
  expect(await (await client.fetch(request as Request)).text()).toBe('hi')
  expect(server.asked[0]?.fields['x-a']).toBe('b')
  const post: unknown = new Other(server.url, { method: 'POST', body: 'x' })
  expect(await rejection(client.fetch(post as Request))).toMatchObject({ cause: { code: 'invalid-option' } })
})

describe('a blob URL', () => {
  const url = URL.createObjectURL(new Blob(['hello'], { type: 'text/plain' }))

  test.each([
    ['bytes=1-2', 'el', 'bytes 1-2/5'],
    ['bytes=3-', 'lo', 'bytes 3-4/5'],
    ['bytes=-2', 'lo', 'bytes 3-4/5'],
    ['bytes=0-99', 'hello', 'bytes 0-4/5'],
  ])('by %s', async (Range, text, range) => {
    await using client = createClient()
    const response = await client.fetch(`${url}#x`, { headers: { Range } })
    expect(response).toMatchObject({ status: 206, statusText: 'Partial Content', url })
    expect([response.headers.get('content-range'), await response.text()]).toEqual([range, text])
  })

  test('may be revoked right after the call', async () => {
    await using client = createClient()
    const brief = URL.createObjectURL(new Blob(['brief']))
    const response = client.fetch(brief)
    URL.revokeObjectURL(brief)
    expect(await (await response).text()).toBe('brief')
  })

  test('ends by its signal, read in one piece or as a stream', async () => {
    await using client = createClient()
    const controller = new AbortController()
    const { signal } = controller
    const [whole, part, read] = await Promise.all([1, 2, 3].map(() => client.fetch(url, { signal })))
    expect(await read?.text()).toBe('hello')
    const reader = part?.body?.getReader()
    controller.abort('stop')
    await expect(whole?.text()).rejects.toBe('stop')
    await expect(reader?.read()).rejects.toBe('stop')
  })

  test('is refused where policy.schemes is a list, and then nothing local is reached', async () => {
    await using client = createClient({ policy: { schemes: ['https'] } })
    for (const each of [url, 'data:,x', 'file:///etc/hostname']) {
      const error = await rejection(client.fetch(each))
      expect(error).toMatchObject({ name: 'TypeError', cause: { code: 'refused' } })
      expect(error.message).toContain('policy.schemes')
    }
    await using open = createClient()
    expect(await rejection(open.fetch('file:///etc/hostname'))).toMatchObject({ cause: { code: 'refused' } })
  })

  test.each(['bytes=9-', 'bytes=-', 'bytes=3-2', 'zork'])('by %s', async (Range) => {
    await using client = createClient()
    expect(await rejection(client.fetch(url, { headers: { Range } }))).toMatchObject({
      cause: { code: 'range-refused' },
    })
  })
})

test('cookies come one by one, and toResponse() has them, too', async () => {
  const fields = 'Set-Cookie: a=1; Expires=Thu, 01 Jan 2032 00:00:00 GMT\r\nset-cookie: b=2\r\nContent-Length: 0'
  await using server = await scriptedHttp(() => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`)
  await using client = createClient()
  const cookies = ['a=1; Expires=Thu, 01 Jan 2032 00:00:00 GMT', 'b=2']
  expect((await client.fetch(server.url)).headers.getSetCookie()).toEqual(cookies)
  expect((await client.retrieve(server.url)).toResponse().headers.getSetCookie()).toEqual(cookies)
})
