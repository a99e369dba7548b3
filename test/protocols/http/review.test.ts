import { once } from 'node:events'
import { type Client, type ClientOptions, createClient } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { afterEach, describe, expect, test } from 'vitest'
import { RetrievalDeadline } from '../../../packages/fetchers/src/kit/deadline.ts'
import { defaultLimits } from '../../../packages/fetchers/src/kit/limits.ts'
import { silence, withoutWaiting } from '../../servers/src/contract/long-timers.ts'
import { httpMetadata } from '../../support/metadata.ts'
import { ok } from './support/http-answers.ts'
import { endHeaders, endStream, type Frame, headers200, type OnStream, rawHttp2, uint32 } from './support/raw-http2.ts'
import { scriptedHttp } from './support/scripted-http.ts'

let clients: Client[] = []

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  clients = []
})

function clientWith(limits: ClientOptions['limits'] = {}): Client {
  const client = createClient({ tls: { ca: testCa }, limits: { maxRetries: 0, idleTimeout: 5000, ...limits } })
  clients.push(client)
  return client
}

/** The body, or the error. */
async function result(client: Client, url: string): Promise<unknown> {
  try {
    return await (await client.retrieve(url)).text()
  } catch (error) {
    return error
  }
}

function head(stream: number, fields: Readonly<Record<string, string>> = {}): Frame {
  return { type: 'headers', flags: endHeaders, stream, payload: headers200(fields) }
}

const hello: OnStream = (stream, send) =>
  send(head(stream), { type: 'data', flags: endStream, stream, payload: 'hello' })

describe('HTTP/1.1', () => {
  test('fields are what was sent where the header section is larger than the memory that it comes in', async () => {
    // Below maxReply and 1,000 fields; over 64 KiB as octets.
    const fields = Array.from({ length: 900 }, (_, at) => [`a${at}`, `${at}`.padEnd(65, 'x')] as const)
    const lines = fields.map(([name, value]) => `${name}:  ${value}  `)
    await using server = await scriptedHttp(() => ok('', lines), { segments: [3000] })
    const representation = await clientWith().retrieve(server.url)
    expect(lines.join('\r\n').length).toBeGreaterThan(65_536)
    expect(httpMetadata(representation).headers).toEqual({ ...Object.fromEntries(fields), 'content-length': '0' })
  })

  test('a reason that comes octet by octet is whole', async () => {
    const octets = 'HTTP/1.1 404 Not Here\r\nContent-Length: 0\r\n\r\n'
    await using server = await scriptedHttp(() => octets, { segments: 'bytes' })
    expect(await result(clientWith(), server.url)).toMatchObject({ reply: '404 Not Here' })
  })

  test('spaces behind a value are none of it', async () => {
    await using server = await scriptedHttp(({ index }) =>
      index > 0
        ? 'HTTP/1.1 200 OK\r\nContent-Length: 2 \r\nETag: "1"\t\r\nX-A: a  b \r\nX-B:  \r\n\r\nok'
        : `HTTP/1.1 302 x\r\nLocation: /there \r\nContent-Length: 0\r\n\r\n`,
    )
    const representation = await clientWith().retrieve(server.url)
    const { url, size, etag } = representation
    expect({ url, size, etag }).toEqual({ url: `${server.url}there`, size: 2, etag: '"1"' })
    expect(httpMetadata(representation).headers).toMatchObject({ 'x-a': 'a  b', 'x-b': '' })
  })

  test('octets behind a large body end its connection', async () => {
    const forged = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'
    await using server = await scriptedHttp(({ index }) =>
      index === 0 ? ok('x'.repeat(400_000)) + forged : ok('good'),
    )
    const client = clientWith()
    await result(client, server.url)
    expect(await result(client, server.url)).toBe('good')
    expect(server.sockets).toHaveLength(2)
  })

  const waits = ['9999999', '9'.repeat(20), '9'.repeat(400)]
  test.each(waits)('Retry-After: %s is a wait of more than 2^31 ms', async (s) => {
    await using server = await scriptedHttp(() => `HTTP/1.1 503 x\r\nRetry-After: ${s}\r\nContent-Length: 0\r\n\r\n`)
    const limits = { maxRetries: 1, maxRetryDelay: Number.POSITIVE_INFINITY, totalTimeout: silence }
    const given = await withoutWaiting(() => result(clientWith(limits), server.url))
    expect(given).toMatchObject({ code: 'timeout' })
    expect(server.asked).toHaveLength(1)
  })
})

test('a token that an answer holds is in no event and no error', async () => {
  await using server = await scriptedHttp(
    () => 'HTTP/1.1 403 No\r\nX-Auth-Token: s3cr3t\r\nLocation: /?token=s3cr3t\r\nContent-Length: 0\r\n\r\n',
  )
  const told: unknown[] = []
  await using client = createClient({ onEvent: (event) => told.push(event) })
  const error = await result(client, server.url)
  expect(error).toMatchObject({ code: 'access-denied', response: { headers: { 'x-auth-token': '***' } } })
  expect(JSON.stringify([told, { ...(error as object) }])).not.toContain('s3cr3t')
})

describe('a secret in a field of any name is in no event and no error', () => {
  const names = [
    ...[
      'X-Auth',
      'X-Auth-User',
      'X-OAuth',
      'X-Password',
      'X-Passwd',
      'X-Pwd',
      'X-Session-Id',
      'X-Session',
      'PHPSESSID',
    ],
    ...['X-Sid', 'X-JWT-Assertion', 'X-Credential', 'X-Amz-Signature', 'X-Hub-Sig', 'X-OTP', 'X-Login', 'Cookie2'],
    ...['X-CSRF', 'X-Vault-Token', 'Ocp-Apim-Subscription-Key', 'Authentication', 'X-Pass', 'Bearer', 'X-Ticket'],
  ]
  test.each(names)('%s', async (name) => {
    const answer = `HTTP/1.1 403 No\r\n${name}: s3cr3t\r\nContent-Length: 0\r\n\r\n`
    await using server = await scriptedHttp(() => answer)
    const told: unknown[] = []
    await using client = createClient({ onEvent: (event) => told.push(event) })
    const error = await client.retrieve(server.url, { headers: { [name]: 's3cr3t' } }).catch((error) => error)
    expect(JSON.stringify([told, { ...error }])).not.toContain('s3cr3t')
    expect(server.asked[0]?.fields[name.toLowerCase()]).toBe('s3cr3t')
  })

  const harmless = [
    'X-Author',
    'Authors',
    'X-Authority',
    'X-Bypass-Cache',
    'Compass',
    'Access-Control-Allow-Credentials',
  ]
  test.each([...harmless, 'X-Spin', 'WWW-Authenticate', 'X-Designation'])('but %s is no such name', async (name) => {
    await using server = await scriptedHttp(() => `HTTP/1.1 403 No\r\n${name}: plain\r\nContent-Length: 0\r\n\r\n`)
    await using client = createClient()
    const error = await result(client, server.url)
    expect(error).toMatchObject({ response: { headers: { [name.toLowerCase()]: 'plain' } } })
  })
})

describe('HTTP/2', () => {
  test('a stream that is reset without an error is no whole body', async () => {
    await using server = await rawHttp2((stream, send) =>
      send(head(stream), { type: 'data', stream, payload: 'hel' }, { type: 'reset', stream, payload: uint32(0) }),
    )
    expect(await result(clientWith(), server.url)).toMatchObject({ code: 'partial' })
  })

  test('nor is one of a connection that ends in order', async () => {
    await using server = await rawHttp2((stream, send, { socket }) => {
      send(head(stream), { type: 'data', stream, payload: 'hel' }, { type: 'goaway', payload: uint32(stream, 0) })
      socket.end()
    })
    expect(await result(clientWith(), server.url)).toMatchObject({ code: 'partial' })
  })

  test.each([
    ['a HEADERS frame', [{ type: 'headers', flags: endHeaders | endStream, payload: headers200().subarray(0, 1) }], ''],
    [
      'an empty DATA frame',
      [
        { type: 'headers', flags: endHeaders, payload: headers200() },
        { type: 'data', flags: endStream },
      ],
      '',
    ],
    [
      'padding and trailers',
      [
        { type: 'headers', flags: endHeaders, payload: headers200() },
        { type: 'data', flags: 8, payload: '\x04hello\0\0\0\0' },
        { type: 'headers', flags: endHeaders | endStream, payload: headers200({ 'x-late': '1' }).subarray(1) },
      ],
      'hello',
    ],
  ] as const)('ends by %s', async (_name, frames, body) => {
    await using server = await rawHttp2((stream, send) => send(...frames.map((frame) => ({ ...frame, stream }))))
    expect(await result(clientWith(), server.url)).toBe(body)
  })

  // INTERNAL_ERROR; and REFUSED_STREAM, which is sent again once.
  test.each([
    [2, 2],
    [7, 3],
  ])('a server that resets each stream (%i) is not asked for ever once it has served', async (code, streams) => {
    await using server = await rawHttp2((stream, send, of) => {
      if (of.count === 0) hello(stream, send, of)
      else send({ type: 'reset', stream, payload: uint32(code) })
    })
    const client = clientWith()
    expect(await result(client, server.url)).toBe('hello')
    expect(await result(client, server.url)).toMatchObject({ code: 'receive-failed', transient: true })
    expect(server.streams()).toBe(streams)
  })

  test('nor is one that sends away each connection with two streams', async () => {
    await using server = await rawHttp2((stream, send) => {
      if (stream > 1) send({ type: 'goaway', payload: uint32(0, 0) })
    })
    const client = clientWith()
    const results = await Promise.all([result(client, server.url), result(client, server.url)])
    expect(results).toMatchObject([{ code: 'receive-failed' }, { code: 'receive-failed' }])
    // Each was not looked at, so it is sent once more (RFC 9113 6.8).
    expect(server.streams()).toBe(4)
  })

  test('a request that a connection no longer takes goes to another one at once', async () => {
    await using server = await rawHttp2((stream, send, of) => {
      if (of.connection === 0 && stream > 1) send({ type: 'goaway', payload: uint32(1, 0) })
      else hello(stream, send, of)
    })
    const client = clientWith()
    expect(await result(client, server.url)).toBe('hello')
    expect(await result(client, server.url)).toBe('hello')
    expect(server.connections).toHaveLength(2)
  })

  test('a refused stream is sent again at once (RFC 9113 8.7)', async () => {
    await using server = await rawHttp2((stream, send, of) => {
      if (of.count > 0) hello(stream, send, of)
      else send({ type: 'reset', stream, payload: uint32(7) })
    })
    expect(await result(clientWith({ maxRetries: 0 }), server.url)).toBe('hello')
  })

  test('a server that wants HTTP/1.1 for a resource is not asked again, and the sentence says what helps', async () => {
    await using server = await rawHttp2((stream, send) => send({ type: 'reset', stream, payload: uint32(13) }))
    const outcome = await result(clientWith(), server.url)
    expect(outcome).toMatchObject({ code: 'receive-failed', transient: false })
    expect(outcome).toMatchObject({ message: expect.stringMatching(/wants HTTP\/1\.1 .*http2: false/) })
    expect(server.streams()).toBe(1)
  })

  test('a body whose stream is reset is taken up again', async () => {
    const fields = { etag: '"1"', 'accept-ranges': 'bytes' }
    let cut: () => void = () => {}
    await using server = await rawHttp2((stream, send, { count }) => {
      if (count > 0) {
        const part = headers200({ ...fields, 'content-range': 'bytes 4-9/10' })
        // :status: 206 is the tenth of the static table.
        part[0] = 0x8a
        const rest = { type: 'data', flags: endStream, stream, payload: 'efghij' } as const
        send({ type: 'headers', flags: endHeaders, stream, payload: part }, rest)
        return
      }
      send(head(stream, { ...fields, 'content-length': '10' }), { type: 'data', stream, payload: 'abcd' })
      cut = () => send({ type: 'reset', stream, payload: uint32(2) })
    })
    const chunks: string[] = []
    for await (const chunk of await clientWith({ maxRetries: 1 }).retrieve(server.url)) {
      chunks.push(Buffer.from(chunk).toString())
      cut()
    }
    expect(chunks).toEqual(['abcd', 'efghij'])
  })

  test('a header section over maxReply is refused, and one of many fields is not', async () => {
    const fields = (count: number, length: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 'v'.repeat(length)]))
    await using server = await rawHttp2((stream, send, { count }) =>
      send({ ...head(stream, count === 0 ? fields(200, 1) : fields(100, 100)), flags: endHeaders | endStream }),
    )
    const client = clientWith({ maxReply: 8192 })
    expect(await result(client, server.url)).toBe('')
    expect(await result(client, server.url)).toMatchObject({ code: 'limit-exceeded' })
  })
})

describe('a batch', () => {
  test('of metadata alone need not be read', async () => {
    await using server = await scriptedHttp(() => 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')
    const urls = Array.from({ length: 9 }, (_, at) => `${server.url}${at}`)
    const bodies: string[] = []
    for await (const { representation } of clientWith().retrieveAll(urls, { head: true })) {
      expect(representation?.size).toBe(5)
      // It can be, all the same.
      if (bodies.length < 2) bodies.push((await representation?.text()) ?? 'none')
    }
    expect(bodies).toEqual(['', ''])
    expect(server.asked).toHaveLength(9)
  })

  test('may have one signal for all, without a warning', async () => {
    const warnings: Error[] = []
    const listener = (warning: Error): void => void warnings.push(warning)
    process.on('warning', listener)
    await using server = await scriptedHttp(() => ok('x'))
    await using client = createClient({ perHost: 16 })
    const { signal } = new AbortController()
    const urls = Array.from({ length: 32 }, (_, at) => `${server.url}${at}`)
    for await (const { representation } of client.retrieveAll(urls, { signal })) await representation?.text()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listener)
    expect(warnings).toEqual([])
  })
})

describe.concurrent('a connection that lies idle is closed', () => {
  test('that has served a large body', async () => {
    await using server = await scriptedHttp(() => ok('x'.repeat(400_000)))
    await using client = createClient()
    await result(client, server.url)
    await server.closed()
  })

  test('of HTTP/2, on which nothing came for as long while a stream was open', async () => {
    await using server = await rawHttp2((stream, send, of) => {
      if (of.count === 0) return hello(stream, send, of)
      send(head(stream))
      // Longer than the timer of idle connections.
      setTimeout(() => send({ type: 'data', flags: endStream, stream, payload: 'late' }), 4500)
    })
    await using client = createClient({ tls: { ca: testCa } })
    await result(client, server.url)
    // The stream is closed a moment after its end; then the timer starts.
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(await result(client, server.url)).toBe('late')
    await once(server.connections[0] as NonNullable<(typeof server.connections)[0]>, 'close')
  })
})

describe('a deadline', () => {
  test('leaves no timer of an operation that never settles', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const deadline = new RetrievalDeadline('http://h/', { ...defaultLimits, totalTimeout: Number.POSITIVE_INFINITY })
    const before = timers()
    const waiting = deadline.within('body', () => new Promise(() => {}))
    expect(timers()).toBe(before + 1)
    const signal = AbortSignal.abort()
    deadline.fail(signal.reason)
    await expect(waiting).rejects.toBe(signal.reason)
    expect(timers()).toBe(before)
  })
})
