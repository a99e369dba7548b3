import { once } from 'node:events'
import { connect } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { startGopherServer, startHttpServer } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'

describe('HTTP', () => {
  test('a handler is given the request and what the path names', async () => {
    await using server = await startHttpServer()
    server.route('/items/:id', (request, { id }) => {
      const { body, method, headers } = request
      return Response.json(
        { id, method, type: headers['content-type'], body: Buffer.from(body).toString() },
        { status: 201 },
      )
    })
    const response = await fetch(`${server.url}items/a%20%C3%BC?x=1`, {
      method: 'PUT',
      body: 'content',
      headers: { 'content-type': 'text/x' },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([201, 'application/json'])
    expect(await response.json()).toEqual({ id: 'a ü', method: 'PUT', type: 'text/x', body: 'content' })
    expect((await fetch(`${server.url}items/a/b`)).status).toBe(404)
    expect((await fetch(`${server.url}items/`)).status).toBe(404)
  })

  test('texts and octets have a length; a final star takes the rest; the latest route comes first', async () => {
    await using server = await startHttpServer()
    server.route('/x/*', (_request, params) => params['*'] ?? '')
    server.route('/x/octets', Uint8Array.of(0, 255))
    const first = await fetch(`${server.url}x/a/b`)
    expect([await first.text(), first.headers.get('content-length')]).toEqual(['a/b', '3'])
    expect(new Uint8Array(await (await fetch(`${server.url}x/octets`)).arrayBuffer())).toEqual(Uint8Array.of(0, 255))
    const head = await fetch(`${server.url}x/octets`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '2'])
  })

  test('undefined leaves it to the next route, and to the files', async () => {
    await using server = await startHttpServer()
    server.route('/readme.txt', ({ headers }) => (headers['x-mine'] ? 'mine' : undefined))
    expect(await (await fetch(`${server.url}readme.txt`, { headers: { 'x-mine': '1' } })).text()).toBe('mine')
    expect(await (await fetch(`${server.url}readme.txt`)).text()).toMatch(/^Retriever/)
  })

  test('once: the next request has the answer of before; a Response serves many', async () => {
    await using server = await startHttpServer()
    server.route(
      '/r',
      new Response('each time', {
        headers: [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ],
      }),
    )
    server.route('/r', new Response(null, { status: 503, headers: { 'retry-after': '1' } }), { once: true })
    const first = await fetch(`${server.url}r`)
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
    for (let time = 0; time < 2; time++) {
      const next = await fetch(`${server.url}r`)
      expect([await next.text(), next.headers.getSetCookie()]).toEqual(['each time', ['a=1', 'b=2']])
    }
  })

  test('a Response is streamed', async () => {
    await using server = await startHttpServer()
    let more = (): void => {}
    const waited = new Promise<void>((resolve) => {
      more = resolve
    })
    async function* parts(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first')
      await waited
      yield Buffer.from('second')
    }
    server.route('/events', () => new Response(ReadableStream.from(parts())))
    const reader = (await fetch(`${server.url}events`)).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    more()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second')
  })

  test('faults act on routes, too', async () => {
    await using server = await startHttpServer({ faults: { shortBody: 2 } })
    server.route('/r', 'content')
    await expect(fetch(`${server.url}r`).then((response) => response.text())).rejects.toThrow()
  })

  test('a handler that throws, or gives nonsense, is a 500 with the reason', async () => {
    await using server = await startHttpServer()
    server.route('/throws', () => {
      throw new Error('no idea')
    })
    server.route('/nonsense', (() => 7) as unknown as () => string)
    const first = await fetch(`${server.url}throws`)
    expect([first.status, await first.text()]).toEqual([500, 'The route threw: Error: no idea\n'])
    expect((await fetch(`${server.url}nonsense`)).status).toBe(500)
  })

  test.each([
    ['items', {} as object, /expected an absolute path/],
    ['/items', { onse: true } as object, /route: expected one of once, got onse/],
  ])('route(%j, ..., %j) is an error', async (path, options, message) => {
    await using server = await startHttpServer()
    expect(() => server.route(path, '', options)).toThrow(message)
  })
})

describe('Gopher', () => {
  test('texts, octets, menus, words of a search', async () => {
    await using server = await startGopherServer()
    server.route('/text', 'Grüße\n.dot\n')
    server.route('/octets', Uint8Array.of(0, 255))
    server.route('/find/:what', ({ search }, { what = '' }) => [
      { type: '0', name: `${what} ${search}`, selector: '/text' },
      { type: '1', name: 'elsewhere', selector: '', host: 'h.example', port: 7070 },
    ])
    expect(await exchange(server, '/text\r\n')).toBe('Gr\xc3\xbc\xc3\x9fe\r\n..dot\r\n.\r\n')
    expect(await exchange(server, '/octets\r\n')).toBe('\0\xff')
    expect(await exchange(server, '/octets\t+\r\n')).toBe('+2\r\n\0\xff')
    expect(await exchange(server, '/find/a\ttwo words\r\n')).toBe(
      `0a two words\t/text\t127.0.0.1\t${server.port}\t+\r\n1elsewhere\t\th.example\t7070\r\n.\r\n`,
    )
  })

  test('undefined leaves it to the files; what is thrown is an error item; reset forgets', async () => {
    await using server = await startGopherServer()
    server.route('/pub/hello.txt', () => undefined)
    server.route('/throws', () => {
      throw new Error('no idea')
    })
    expect(await exchange(server, '/pub/hello.txt\r\n')).toBe('Hello, world.\r\n.\r\n')
    expect(await exchange(server, '/throws\r\n')).toMatch(/^3The route threw: Error: no idea\t/)
    server.reset()
    expect(await exchange(server, '/throws\r\n')).toMatch(/^3'\/throws' does not exist/)
  })
})

describe('what goes wrong in a route', () => {
  test.each([42, undefined, { status: 200 }])('route() takes no %s', async (handler) => {
    await using http = await startHttpServer()
    await using gopher = await startGopherServer()
    const route = (server: object, name: string): unknown => Reflect.get(server, 'route').call(server, name, handler)
    expect(() => route(http, '/x')).toThrow(/route \/x: expected a function, a Response, a string or a Uint8Array, got/)
    expect(() => route(gopher, '/x')).toThrow(/expected a function, a string, a Uint8Array or a list of menu items/)
  })

  describe('a Response that never ends is cancelled once its client has left', () => {
    /** A stream of events that has sent its first one; `cancelled` settles when nobody wants the others. */
    function events(): { readonly response: Response; readonly cancelled: Promise<void> } {
      let cancel = (): void => {}
      const cancelled = new Promise<void>((resolve) => {
        cancel = resolve
      })
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from('data: 1\n\n')),
        cancel,
      })
      return { response: new Response(stream, { headers: { 'content-type': 'text/event-stream' } }), cancelled }
    }

    test('by an abort behind the first event', async () => {
      await using server = await startHttpServer()
      const { response, cancelled } = events()
      server.route('/events', () => response)
      const abort = new AbortController()
      const { body } = await fetch(`${server.url}events`, { signal: abort.signal })
      const reader = body?.getReader()
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
      abort.abort()
      await cancelled
      await server.waitForConnections(0)
    })

    test('by an abort before the handler has answered', async () => {
      await using server = await startHttpServer()
      const { response, cancelled } = events()
      const abort = new AbortController()
      server.route('/events', () => {
        abort.abort()
        return response
      })
      await expect(fetch(`${server.url}events`, { signal: abort.signal })).rejects.toThrow(/abort/)
      await cancelled
    })

    test('by the end of the connection alone, without a handler', async () => {
      await using server = await startHttpServer()
      const { response, cancelled } = events()
      server.route('/events', response, { once: true })
      const dialogue = await Dialogue.to(server)
      dialogue.send('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await dialogue.until('data: 1\n\n')
      dialogue.socket.end()
      await cancelled
      await server.waitForConnections(0)
    })

    test('by HEAD, and by a stream of HTTP/2 that is given up', async () => {
      await using server = await startHttpServer({ http2: true })
      const [head, given] = [events(), events()]
      server.route('/head', () => head.response)
      server.route('/given', () => given.response)
      await fetch(`${server.url}head`, { method: 'HEAD' })
      await head.cancelled
      const session = connect(server.url)
      const stream = session.request({ ':path': '/given' })
      await once(stream, 'data')
      stream.close()
      await given.cancelled
      session.close()
    })

    test('a client that ends its side gets an answer that is there', async () => {
      await using server = await startHttpServer()
      server.route('/json', async () => Response.json({ a: 'x'.repeat(100_000) }))
      const dialogue = await Dialogue.to(server)
      dialogue.socket.end('GET /json HTTP/1.1\r\nHost: localhost\r\n\r\n')
      expect(await dialogue.rest()).toMatch(/x"\}\r\n0\r\n\r\n$/)
    })
  })

  test('a stream that fails breaks off, and the server goes on', async () => {
    await using server = await startHttpServer()
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one')
      throw new Error('the source is gone')
    }
    server.route('/s', () => new Response(ReadableStream.from(failing())))
    await expect(fetch(`${server.url}s`).then((response) => response.text())).rejects.toThrow()
    expect((await fetch(`${server.url}readme.txt`)).status).toBe(200)
  })

  test('a Gopher handler that returns something else is an error item', async () => {
    await using server = await startGopherServer()
    server.route('/x', (() => 42) as never)
    expect(await exchange(server, '/x\r\n')).toMatch(/^3The route threw: TypeError: its result: expected a string/)
  })
})
