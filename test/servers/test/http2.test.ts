import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { get } from 'node:https'
import { describe, expect, test } from 'vitest'
import { bigOctet, startHttpServer, startServers, testCa } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'

interface Answer {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly body: Buffer
}

/** Rejects where the stream closes before its end. */
function ask(session: ClientHttp2Session, headers: Record<string, string>, content?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: content === undefined })
    if (content !== undefined) stream.end(content)
    const chunks: Buffer[] = []
    let head: Pick<Answer, 'status' | 'type'> = { status: undefined, type: undefined }
    stream.on('response', (fields) => {
      head = { status: fields[':status'], type: fields['content-type'] }
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', reject)
    stream.on('aborted', () => reject(new Error('aborted')))
    stream.on('end', () => (head.status === undefined ? undefined : resolve({ ...head, body: Buffer.concat(chunks) })))
    stream.on('close', () => reject(new Error('closed')))
  })
}

async function withSession(url: string, use: (session: ClientHttp2Session) => Promise<void>): Promise<void> {
  const session = connect(url, { ca: testCa })
  session.on('error', () => {})
  try {
    await use(session)
  } finally {
    session.destroy()
  }
}

describe.each([true, false])('HTTP/2, with TLS: %s', (tls) => {
  test('files, routes and records are those of HTTP/1.1', async () => {
    await using server = await startHttpServer({ tls, http2: true })
    server.route('/items/:id', ({ body }, { id }) => Response.json({ id, body: Buffer.from(body).toString() }))
    await withSession(server.url, async (session) => {
      const [hello, item, missing, big] = await Promise.all([
        ask(session, { ':path': '/pub/hello.txt', 'x-test': 'yes' }),
        ask(session, { ':path': '/items/7', ':method': 'POST' }, 'content'),
        ask(session, { ':path': '/nope' }),
        ask(session, { ':path': '/big', range: 'bytes=1000000-1300000' }),
      ])
      expect(hello).toMatchObject({ status: 200, body: Buffer.from('Hello, world.\n') })
      expect(item).toMatchObject({ status: 200, type: 'application/json' })
      expect(JSON.parse(item.body.toString())).toEqual({ id: '7', body: 'content' })
      expect(missing.status).toBe(404)
      expect([big.status, big.body.length, big.body[299_999]]).toEqual([206, 300_001, bigOctet(1_299_999)])
    })
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      target: '/pub/hello.txt',
      line: 'GET /pub/hello.txt HTTP/2.0',
      headers: { host: `127.0.0.1:${server.port}`, 'x-test': 'yes' },
      connection: 1,
    })
    expect(server.requests[0]?.headers).not.toHaveProperty(':method')
    expect(server.accepted).toBe(1)
    await server.waitForConnections(0)
  })

  test('segments may be cut anywhere', async () => {
    await using server = await startHttpServer({ tls, http2: true, faults: { chunking: [1, 5] } })
    await withSession(server.url, async (session) => {
      expect((await ask(session, { ':path': '/pub/hello.txt' })).body.toString()).toBe('Hello, world.\n')
    })
  })

  test('the faults of bodies act', async () => {
    await using server = await startHttpServer({ tls, http2: true, faults: { resetAfter: 5, bodies: 1 } })
    await withSession(server.url, async (session) => {
      const closed = new Promise((resolve) => session.once('close', resolve))
      await expect(ask(session, { ':path': '/pub/a.bin' })).rejects.toThrow()
      await closed
    })
    server.setFaults({ replies: { '/x': '' } })
    await withSession(server.url, async (session) => {
      await expect(ask(session, { ':path': '/x' })).rejects.toThrow()
    })
    server.setFaults({ stall: 'body' })
    await withSession(server.url, async (session) => {
      const stream = session.request({ ':path': '/pub/hello.txt' })
      const [chunk] = await once(stream, 'data')
      expect(chunk).toHaveLength(7)
      // One stream that stalls holds up no other.
      server.setFaults({})
      expect((await ask(session, { ':path': '/readme.txt' })).status).toBe(200)
    })
    await server.waitForConnections(0)
  })
})

test('HTTP/1.1 stays: without TLS by its first octets, with TLS by ALPN', async () => {
  await using servers = await startServers({ http: { http2: true } })
  const request = 'GET /pub/hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  expect(await exchange(servers.http, request)).toMatch(/^HTTP\/1\.1 200 /)
  const dialogue = await Dialogue.to(servers.http)
  // The beginning may come in pieces, and be that of a method: PROPFIND.
  for (const piece of ['P', 'R', 'OPFIND / HTTP/1.1\r\nHost: localhost\r\n\r\n']) {
    dialogue.send(piece)
    await dialogue.within(5)
  }
  expect(await dialogue.line()).toMatch(/^HTTP\/1\.1 405 /)
  dialogue.close()
  await using secure = await startHttpServer({ tls: true, http2: true })
  const [response] = await once(get(`${secure.url}readme.txt`, { ca: testCa }), 'response')
  expect([response.httpVersion, response.statusCode]).toEqual(['1.1', 200])
  response.destroy()
})

test('without the option there is no HTTP/2', async () => {
  await using server = await startHttpServer({ tls: true })
  await withSession(server.url, async (session) => {
    await expect(ask(session, { ':path': '/' })).rejects.toThrow()
  })
})
