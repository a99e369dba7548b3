import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { RetrievalError } from '@retriever/core'
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { type CertificateStore, geminiFetcher, type KnownCertificate } from '@retriever/fetchers/gemini'
import type { RequestOptions } from '@retriever/fetchers/internal'
import { startGeminiServer, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testCertificate, testKey } from '../../servers/src/certificate.ts'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { entriesOf } from '../../support/entries.ts'
import { remarks } from '../../support/events.ts'
import { failure } from '../../support/failure.ts'
import { emptyList, revokedCertificate, revokedList, revokingCa } from '../http/support/revoked-certificate.ts'

testFetcher({
  mechanism: 'gemini',
  bytes: Uint8Array.from({ length: 4096 }, (_, at) => at % 256),
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  async start(faults = {}) {
    const server = await startGeminiServer({ faults })
    return { server, object: `${server.url}pub/a.bin`, missing: `${server.url}nope` }
  },
})

/** The outcome of a path: the text and the representation, or the error. */
async function outcome(path: string, request: RequestOptions = {}) {
  await using server = await startGeminiServer()
  const events: RetrievalEvent[] = []
  await using client = createClient({ limits: { maxRetries: 0 }, onEvent: (event) => void events.push(event) })
  try {
    const representation = await client.retrieve(server.url + path, request)
    return { representation, text: await representation.text(), received: [...server.received], events }
  } catch (error) {
    return { error, received: [...server.received], events }
  }
}

describe('successes', () => {
  test('gemtext is an object with an entry a line', async () => {
    await using server = await startGeminiServer()
    await using client = createClient()
    const page = await client.retrieve(server.url)
    expect(page).toMatchObject({
      kind: 'object',
      mediaType: 'text/gemini',
      charset: 'utf-8',
      completeness: 'terminated',
      metadata: { status: 20, contentType: 'text/gemini; lang=en', language: 'en' },
    })
    const entries = await entriesOf(page)
    expect(entries.filter(({ kind }) => kind !== 'info').map(({ name, url }) => [name, url])).toEqual([
      ['A text', `${server.url}pub/hello.txt`],
      ['pub/a.bin', `${server.url}pub/a.bin`],
      ['A prompt', `${server.url}input`],
      ['Another server', 'gopher://gopher.example.org/'],
      ['A broken link', null],
    ])
    expect(entries.filter(({ kind }) => kind === 'info').map(({ name, details }) => [details?.line, name])).toEqual([
      ['heading', 'The test server'],
      ['text', 'Grüße from a page of gemtext.'],
      ['text', ''],
      ['heading', 'A list'],
      ['item', 'one'],
      ['quote', 'quoted'],
      ['preformatted', '=> not a link'],
      ['heading', 'The end'],
    ])
  })

  test.each([
    ['pub/hello.txt', 'text/plain', 'utf-8', 'Hello, world.\n'],
    ['pub/latin1.txt', 'text/plain', 'iso-8859-1', 'grüß'],
    ['pub/empty', 'text/plain', 'utf-8', ''],
    ['untyped', 'text/gemini', 'utf-8', 'text\n'],
  ])('%s is %s in %s', async (path, mediaType, charset, text) => {
    const { representation, text: got } = await outcome(path)
    expect(representation).toMatchObject({ mediaType, charset })
    expect(got).toBe(text)
  })
})

describe('statuses', () => {
  test.each([
    ['status/10', 'form-required'],
    ['status/14', 'form-required'],
    ['status/40', 'server-refused'],
    ['status/44', 'server-refused'],
    ['status/49', 'server-refused'],
    ['status/50', 'server-refused'],
    ['status/51', 'not-found'],
    ['status/52', 'not-found'],
    ['status/59', 'server-refused'],
    ['status/60', 'auth-required'],
    ['status/61', 'access-denied'],
    ['status/62', 'auth-required'],
    ['status/00', 'protocol-violation'],
    ['status/70', 'protocol-violation'],
    ['redirect/empty', 'protocol-violation'],
    ['redirect/loop', 'too-many-redirects'],
    ['redirect/http', 'refused'],
  ])('%s is %s', async (path, code) => {
    expect((await outcome(path)).error).toMatchObject({ code })
  })

  test('a server that wants a certificate: the message says how to give one', async () => {
    expect((await outcome('status/60')).error).toMatchObject({
      message: expect.stringContaining('give one by `tls.cert`: 60 '),
      advice: { option: 'tls.cert' },
    })
  })

  test('case 61, a redirect is followed, at most five times', async () => {
    const { representation, text, received } = await outcome('redirect/31')
    expect(text).toBe('Hello, world.\n')
    expect(representation?.redirects.map(({ status }) => status)).toEqual([31, 30])
    expect(received).toHaveLength(3)
    expect((await outcome('redirect/loop')).received).toHaveLength(6)
  })
})

describe('prompts', () => {
  test.each([
    [{ 'Your name?': 'Ann Lee' }, 'Ann%20Lee\n'],
    [{ 1: 'größe & more' }, 'gr%C3%B6%C3%9Fe%20&%20more\n'],
    [() => ({ 1: 'x' }), 'x\n'],
  ])('%j answers a prompt', async (form, text) => {
    const { text: got, representation } = await outcome('input', { form })
    expect(got).toBe(text)
    expect(representation?.url).toMatch(/\/input$/)
  })

  test('one prompt after the other, but not the same one again', async () => {
    expect((await outcome('twice', { form: { 'First?': 'a', 'Second?': 'b' } })).text).toBe('b\n')
    const { error, received } = await outcome('again', { form: { 1: 'x' } })
    expect(error).toMatchObject({ code: 'form-required', message: expect.stringContaining('Again?') })
    expect(received).toHaveLength(2)
  })

  test('case 47, a secret shows nowhere, even if the server repeats it', async () => {
    for (const path of ['secret', 'echo', 'leak']) {
      const { error, text, events } = await outcome(path, { form: { 1: 'pl4nted s3cret' } })
      expect(JSON.stringify(events)).not.toContain('s3cret')
      expect(String(error)).not.toContain('s3cret')
      if (path === 'secret') expect(text).toBe('pl4nted%20s3cret\n')
    }
  })

  test.each(['41 Busy\r\n', '44 1\r\n'])('an answer is sent once, even if %j comes', async (reply) => {
    await using server = await startGeminiServer()
    server.setFaults({ replies: { [`${server.url}input?x`]: reply } })
    await using client = createClient({ limits: { maxRetries: 2, retryDelay: 1 } })
    const replies = () => server.received.filter((line) => line.endsWith('?x')).length
    await expect(client.retrieve(`${server.url}input`, { form: { 1: 'x' } })).rejects.toMatchObject({
      transient: false,
    })
    expect(replies()).toBe(1)
  })

  test('no answer is form-required', async () => {
    expect((await outcome('input', { form: () => null })).error).toMatchObject({
      code: 'form-required',
      message: expect.stringContaining('The server asks: "Your name?". Answer by'),
    })
    expect((await outcome('input', { form: { other: 'x' } })).error).toMatchObject({ code: 'form-required' })
    expect((await outcome('input', { form: { 1: ['x'] } })).error).toMatchObject({ code: 'invalid-option' })
  })

  test('a request has at most 1024 octets, of which the answer takes what the URL leaves', async () => {
    await using server = await startGeminiServer()
    await using client = createClient()
    const url = `${server.url}input`
    const longest = 'x'.repeat(1024 - `${url}?`.length)
    expect(await (await client.retrieve(url, { form: { 1: longest } })).text()).toBe(`${longest}\n`)
    const error = await failure(client.retrieve(url, { form: { 1: `${longest}x` } }))
    expect(error).toMatchObject({ code: 'invalid-option' })
  })
})

describe('trust on first use', () => {
  /** A store with one certificate, and what it was told to keep. */
  function storeWith(known: KnownCertificate | null) {
    const kept: [string, KnownCertificate][] = []
    const store: CertificateStore = { recall: () => known, keep: (place, it) => void kept.push([place, it]) }
    return { kept, store }
  }
  const other = 'ab'.repeat(32)

  /** A store that keeps what it is told. */
  function memory(): CertificateStore {
    const known = new Map<string, KnownCertificate>()
    return { recall: (place) => known.get(place), keep: (place, it) => void known.set(place, it) }
  }

  test('an unknown certificate is kept, with a remark; the same one is accepted in silence', async () => {
    await using server = await startGeminiServer()
    const { kept, store } = storeWith(null)
    const events: RetrievalEvent[] = []
    const onEvent = (event: RetrievalEvent) => void events.push(event)
    await using client = createClient({ fetchers: [geminiFetcher({ certificates: store })], onEvent })
    await (await client.retrieve(server.url)).cancel()
    const [place, certificate] = kept[0] ?? []
    expect(place).toBe(`127.0.0.1:${server.port}`)
    expect(certificate).toEqual({ fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/), expires: expect.any(Date) })
    expect(remarks(events)).toEqual([expect.stringContaining(`on first use: SHA-256 ${certificate?.fingerprint}`)])

    const again = storeWith(certificate ?? null)
    events.length = 0
    await using second = createClient({ fetchers: [geminiFetcher({ certificates: again.store })], onEvent })
    await (await second.retrieve(server.url)).cancel()
    expect([again.kept, remarks(events)]).toEqual([[], []])
  })

  test.each([
    ['before it expires', new Date('2100-01-01')],
    ['if it has no end that can be read', null],
  ])('case 35, a changed certificate is refused before anything is sent, %s', async (_, expires) => {
    await using server = await startGeminiServer()
    const { kept, store } = storeWith({ fingerprint: other, expires })
    await using client = createClient({ fetchers: [geminiFetcher({ certificates: store })] })
    await expect(client.retrieve(server.url)).rejects.toMatchObject({
      code: 'certificate',
      phase: 'tls',
      message: expect.stringContaining(other),
    })
    expect([kept, server.received]).toEqual([[], []])
    await server.waitForConnections(0)
  })

  test.each([
    ['the known one has expired', { known: new Date('2001-01-01') }, ['had before expired on 2001-01-01; the new one']],
    ['a trusted CA has signed it', { known: new Date('2100-01-01'), tls: { ca: testCa } }, []],
  ])('a changed certificate is kept where %s', async (_, { known, ...tls }, told) => {
    await using server = await startGeminiServer()
    const { kept, store } = storeWith({ fingerprint: other, expires: known })
    const events: RetrievalEvent[] = []
    const onEvent = (event: RetrievalEvent) => void events.push(event)
    await using client = createClient({ fetchers: [geminiFetcher({ certificates: store })], onEvent, ...tls })
    await (await client.retrieve(server.url)).cancel()
    expect(kept).toHaveLength(1)
    expect(remarks(events)).toEqual(told.map((text) => expect.stringContaining(text)))
  })

  test('a certificate that its CA has revoked is refused before anything is sent, even a known one', async () => {
    let sent = ''
    const server = createTlsServer({ cert: revokedCertificate, key: testKey }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', (octets) => {
        sent += octets
        socket.end('20 text/plain\r\nabc')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `gemini://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const certificates = memory()
    const read = async (crl: string): Promise<string> => {
      await using client = createClient({ fetchers: [geminiFetcher({ certificates })], tls: { ca: revokingCa, crl } })
      return await (await client.retrieve(url)).text()
    }
    expect(await read(emptyList)).toBe('abc')
    sent = ''
    expect(await failure(read(revokedList))).toMatchObject({
      code: 'certificate',
      phase: 'tls',
      message: expect.stringContaining('is revoked'),
    })
    expect(sent).toBe('')
    await new Promise((resolve) => server.close(resolve))
  })

  test('a client remembers certificates by itself; two clients share nothing', async () => {
    await using server = await startGeminiServer()
    for (const _ of [1, 2]) {
      const events: RetrievalEvent[] = []
      await using client = createClient({ onEvent: (event) => void events.push(event) })
      await (await client.retrieve(server.url)).cancel()
      await (await client.retrieve(server.url)).cancel()
      expect(remarks(events)).toHaveLength(1)
    }
  })

  test('a store without its functions is invalid', () => {
    expect(() => geminiFetcher({ certificates: new Map() as never })).toThrow('gemini.certificates')
  })
})

describe('the end of a body', () => {
  /** A server that answers one request, and ends TLS by close_notify, or TCP alone. */
  async function answering(isCut: boolean) {
    let under: Socket | undefined
    const server = createTlsServer({ cert: testCertificate, key: testKey }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('20 text/plain\r\nabc', () => (isCut ? under?.end() : socket.end()))
      })
    })
    server.on('connection', (socket: Socket) => {
      under = socket
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return {
      url: `gemini://127.0.0.1:${port}/`,
      async [Symbol.asyncDispose]() {
        under?.destroy()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }

  test.each([
    [false, 'abc'],
    [true, 'partial'],
  ])('case 34, properties 12 and 18: without close_notify it is partial (%s)', async (isCut, expected) => {
    await using server = await answering(isCut)
    await using client = createClient({ limits: { maxRetries: 0 } })
    const page = await client.retrieve(server.url)
    const seen = await page.text().catch((error: RetrievalError) => error.code)
    expect(seen).toBe(expected)
  })
})
