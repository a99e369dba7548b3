import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startRtspServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { startScriptedServer } from '../../support/scripted-server.ts'

testFetcher({
  mechanism: 'rtsp',
  bytes: Uint8Array.from({ length: 4096 }, (_, at) => at % 256),
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  async start(faults = {}) {
    const server = await startRtspServer({ faults })
    return { server, object: `${server.url}bytes`, missing: `${server.url}nope` }
  },
})

interface Given {
  readonly login?: string
  readonly credentials?: { readonly user: string; readonly password: string } | null
}

/** The outcome of a path: the text and the representation, or the error. */
async function outcome(path: string, { login = '', credentials = null }: Given = {}, options = {}) {
  await using server = await startRtspServer(options)
  const events: RetrievalEvent[] = []
  await using client = createClient({
    limits: { maxRetries: 0 },
    credentials: () => credentials,
    onEvent: (event) => void events.push(event),
  })
  const url = `rtsp://${login}127.0.0.1:${server.port}/${path}`
  const requests = () => server.received.filter((line) => /^DESCRIBE/.test(line))
  try {
    const representation = await client.retrieve(url)
    return { representation, text: await representation.text(), requests: requests(), server, events }
  } catch (error) {
    return { error, requests: requests(), server, events }
  }
}

describe('descriptions', () => {
  test('a description is an object with the base of its URLs', async () => {
    const { representation, text, server } = await outcome('stream')
    expect(representation).toMatchObject({
      kind: 'object',
      mediaType: 'application/sdp',
      charset: 'utf-8',
      modified: new Date('2001-02-03T04:05:06Z'),
      completeness: 'verified',
      metadata: { status: 200, contentType: 'application/sdp', base: `${server.url}stream/` },
    })
    expect(text).toContain('s=Grüße\r\n')
    expect(server.received).toEqual([`DESCRIBE ${server.url}stream RTSP/1.0`, 'CSeq: 1', 'Accept: application/sdp', ''])
  })

  test('interim answers are passed over, and folded fields are joined', async () => {
    const { representation, text } = await outcome('interim')
    expect(representation).toMatchObject({
      charset: 'utf-8',
      metadata: { contentType: expect.stringContaining('; ch') },
    })
    expect(text).toMatch(/^v=0\r\n/)
  })

  test('the octet A0 that ends a header field stays, since it ends a letter', async () => {
    await using server = await startScriptedServer((socket, received) => {
      if (received.endsWith('\r\n\r\n'))
        socket.end('RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Base: rtsp://localhost/voilà\r\n\r\n')
    })
    await using client = createClient({ limits: { maxRetries: 0 } })
    const representation = await client.retrieve(`rtsp://127.0.0.1:${server.port}/`)
    await representation.cancel()
    expect(representation.metadata).toMatchObject({ base: 'rtsp://localhost/voilà' })
  })

  test('without Content-Length there is no body (RFC 2326 12.14)', async () => {
    const { representation, text, server } = await outcome('empty')
    expect(representation).toMatchObject({ mediaType: null, size: 0, metadata: { base: `${server.url}empty` } })
    expect(text).toBe('')
  })
})

describe('cases 42 and 61, answers', () => {
  test.each([
    ['status/304', 'http-error'],
    ['status/305', 'http-error'],
    ['status/400', 'http-error'],
    ['status/403', 'access-denied'],
    ['status/404', 'not-found'],
    ['status/407', 'auth-required'],
    ['status/410', 'not-found'],
    ['status/454', 'http-error'],
    ['status/505', 'http-error'],
    ['status/600', 'protocol-violation'],
    ['sequence', 'protocol-violation'],
    ['unnumbered', 'protocol-violation'],
    ['chunked', 'protocol-violation'],
    ['length', 'protocol-violation'],
    ['crowded', 'limit-exceeded'],
    ['long', 'limit-exceeded'],
    ['interims', 'protocol-violation'],
    ['lost', 'protocol-violation'],
    ['request', 'protocol-violation'],
    ['redirect/loop', 'too-many-redirects'],
    ['redirect/http', 'refused'],
    ['redirect/udp', 'refused'],
  ])('%s is %s', async (path, code) => {
    const { error, server } = await outcome(path)
    expect(error).toMatchObject({ code })
    await server.waitForConnections(0)
  })

  test('property 18: a description without Content-Length is no empty one', async () => {
    const replies = {
      '/stream': 'RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n',
    }
    const { error, server } = await outcome('stream', {}, { faults: { replies } })
    expect(error).toMatchObject({ code: 'protocol-violation', message: expect.stringContaining('Content-Length') })
    await server.waitForConnections(0)
  })

  test('503 says when to try again', async () => {
    expect((await outcome('status/503')).error).toMatchObject({ code: 'http-error', status: 503, retryAfter: 7000 })
  })

  test.each([301, 302, 303])('%i is followed', async (status) => {
    const { representation, requests } = await outcome(`redirect/${status}`)
    expect(representation?.redirects).toMatchObject([{ status }])
    expect(requests).toHaveLength(2)
  })
})

describe('logins', () => {
  const credentials = { user: 'alice', password: 'pl4nted' }
  const accounts = { alice: 'pl4nted' }

  test.each(['digest', 'basic', 'stale', 'fresh', 'stream'])('case 47, %s', async (path) => {
    const options = { accounts, ...(path === 'stream' && { auth: 'required' }) }
    for (const given of [{ credentials }, { login: 'alice:pl4nted@' }, { login: 'alice@', credentials }]) {
      const { error, text, requests, events, server } = await outcome(path, given, options)
      expect(error).toBeUndefined()
      expect(text).toContain('s=Grüße')
      expect(requests).toHaveLength(path === 'stale' ? 3 : 2)
      const secret = server.received.find((line) => /^Authorization/.test(line))?.slice('Authorization: '.length) ?? ''
      expect(secret).toMatch(path === 'basic' ? /^Basic / : /^Digest /)
      expect(JSON.stringify(events)).not.toContain('pl4nted')
      expect(JSON.stringify(events)).not.toContain(JSON.stringify(secret).slice(1, -1))
    }
  })

  test.each([
    ['a wrong password', { login: 'alice:wrong@' }, 'auth-failed', 2],
    ['wrong credentials', { credentials: { user: 'alice', password: 'wrong' } }, 'auth-failed', 2],
    ['no login', {}, 'auth-required', 1],
  ])('case 80, %s', async (_, given, code, count) => {
    for (const path of ['digest', 'basic']) {
      const { error, requests, server } = await outcome(path, given, { accounts })
      expect(error).toMatchObject({ code, status: 401 })
      expect(requests).toHaveLength(count)
      await server.waitForConnections(0)
    }
  })

  test('a challenge of another kind is auth-required', async () => {
    const replies = { '/stream': 'RTSP/1.0 401 No\r\nCSeq: 1\r\nWWW-Authenticate: Bearer\r\n\r\n' }
    const { error } = await outcome('stream', { credentials }, { faults: { replies } })
    expect(error).toMatchObject({ code: 'auth-required' })
  })
})

test('rtsps goes through TLS; rtspu is handed over', async () => {
  await using server = await startRtspServer({ tls: true })
  await using client = createClient({ tls: { insecure: true } })
  const url = `rtsps://127.0.0.1:${server.port}/stream`
  expect(await (await client.retrieve(url)).text()).toContain('v=0')
  expect(server.received[0]).toBe(`DESCRIBE ${url} RTSP/1.0`)
  await expect(client.retrieve('rtspu://127.0.0.1/x')).rejects.toMatchObject({ code: 'handoff' })
})
