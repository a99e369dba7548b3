/** Connections and addresses of the caller's (ClientOptions.connect and lookup), under the policy. */
import { once } from 'node:events'
import { connect as tcp } from 'node:net'
import { Duplex } from 'node:stream'
import { createClient } from '@retriever/fetchers'
import type { ConnectTarget } from '@retriever/fetchers/internal'
import { startFtpServer, startServers, type TestServers, testCa } from '@retriever/servers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { closedPort } from '../../support/closed-port.ts'
import { failure } from '../../support/failure.ts'

let servers: TestServers<'http' | 'ftp'>
beforeAll(async () => {
  const hosts = ['h', 'a', 'b', 'nowhere', 'pinned', 'public', 'other'].map((name) => `${name}.invalid`)
  servers = await startServers({ http: { hosts }, ftp: true, files: { '/a.txt': 'text of a' } })
})
afterEach(() => servers.reset())
afterAll(() => servers.close())

/** A connection to the same port of this machine, whichever host is meant. */
const here = ({ port }: ConnectTarget) => tcp(port, '127.0.0.1')

describe('connect', () => {
  test.each(['http', 'ftp'] as const)('makes the connections of %s', async (name) => {
    const targets: Omit<ConnectTarget, 'signal'>[] = []
    await using client = createClient({
      connect: ({ signal, ...target }) => {
        expect(signal.aborted).toBe(false)
        targets.push(target)
        return here({ signal, ...target })
      },
    })
    const { port } = servers[name]
    const page = await client.retrieve(`${name}://nowhere.invalid:${port}/a.txt`)
    expect(await page.text()).toBe('text of a')
    expect(targets[0]).toEqual({ host: 'nowhere.invalid', port, addresses: null })
    // FTP's data connection goes to the host, too, and not to the address at the other end.
    expect(targets.map(({ host }) => host)).toEqual(targets.map(() => 'nowhere.invalid'))
    expect(targets.length).toBe(name === 'ftp' ? 2 : 1)
  })

  test('TLS begins on a stream that is no socket, by the name of the URL', async () => {
    await using server = await startServers({ http: { tls: true }, files: { '/a.txt': 'text of a' } })
    await using client = createClient({
      tls: { ca: testCa },
      connect: async (target) => {
        const socket = here(target)
        await once(socket, 'connect')
        return Duplex.from({ readable: socket, writable: socket })
      },
    })
    const url = `https://localhost:${server.http.port}/a.txt`
    expect(await (await client.retrieve(url)).text()).toBe('text of a')
    expect(await (await client.retrieve(url)).text()).toBe('text of a')
  })

  test('a plain stream carries HTTP and FTP, again and again', async () => {
    let made = 0
    await using client = createClient({
      connect: async (target) => {
        made++
        const socket = here(target)
        await once(socket, 'connect')
        return Duplex.from({ readable: socket, writable: socket })
      },
    })
    for (let times = 0; times < 3; times++) {
      const page = await client.retrieve(`http://h.invalid:${servers.http.port}/a.txt`)
      expect(await page.text()).toBe('text of a')
      const file = await client.retrieve(`ftp://h.invalid:${servers.ftp.port}/a.txt`)
      expect(await file.text()).toBe('text of a')
    }
    // One for HTTP, one for commands, and three for data.
    expect(made).toBe(5)
  })

  test('the end of a plain stream ends an answer without a length', async () => {
    const stream = new Duplex({
      read() {},
      write(_octets, _encoding, done) {
        this.push('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ntext of a')
        done()
      },
    })
    await using client = createClient({
      limits: { idleTimeout: 2000, maxRetries: 0 },
      connect: () => stream,
      // The end comes while the client waits for more octets.
      onEvent: ({ type }) => {
        if (type === 'progress') setImmediate(() => stream.push(null))
      },
    })
    expect(await (await client.retrieve('http://h.invalid/')).text()).toBe('text of a')
  })

  test('null leaves the connection to the client', async () => {
    await using client = createClient({ connect: () => null })
    const page = await client.retrieve(`http://127.0.0.1:${servers.http.port}/a.txt`)
    expect(await page.text()).toBe('text of a')
  })

  test('network.connectTo moves the target before', async () => {
    const targets: string[] = []
    await using client = createClient({
      network: { connectTo: { 'h.invalid:80': `other.invalid:${servers.http.port}` } },
      connect: (target) => {
        targets.push(target.host)
        return here(target)
      },
    })
    expect(await (await client.retrieve('http://h.invalid/a.txt')).text()).toBe('text of a')
    expect(targets).toEqual(['other.invalid'])
  })

  test('its errors are those of a connection', async () => {
    const port = await closedPort()
    await using refused = createClient({ connect: () => tcp(port, '127.0.0.1') })
    expect(await failure(refused.retrieve('http://h.invalid/'))).toMatchObject({ code: 'connect-failed' })
    await using broken = createClient({ connect: async () => Promise.reject(new Error('no tunnel')) })
    const error = await failure(broken.retrieve('ftp://h.invalid/'))
    expect(error).toMatchObject({ code: 'connect-failed', message: expect.stringMatching(/no tunnel/) })
    // Its event `error` comes only after the function has given it.
    await using over = createClient({ connect: () => new Duplex().destroy(new Error('it broke')) })
    expect(await failure(over.retrieve('http://h.invalid/'))).toMatchObject({ code: 'connect-failed' })
    await using wrong = createClient({ connect: () => 'socket' as never })
    const message = expect.stringMatching(/`connect` to be a function that gives a stream/)
    expect(await failure(wrong.retrieve('http://h.invalid/'))).toMatchObject({ code: 'invalid-option', message })
  })

  test('an abort aborts its signal, and a stream that comes later is destroyed', async () => {
    const controller = new AbortController()
    const late = new Duplex({ read() {}, write() {} })
    await using client = createClient({
      connect: ({ signal }) => {
        const given = new Promise<Duplex>((resolve) => {
          signal.addEventListener('abort', () => setImmediate(resolve, late))
        })
        controller.abort()
        return given
      },
    })
    const closed = once(late, 'close')
    const error = await failure(client.retrieve('http://h.invalid/', { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'aborted' })
    await closed
  })

  test('publicOnly judges the addresses before, and the connection that is given', async () => {
    const targets: ConnectTarget[] = []
    await using client = createClient({
      policy: { publicOnly: true },
      lookup: (host) => (host === 'public.invalid' ? ['203.0.114.7', '127.0.0.1'] : ['10.0.0.1']),
      connect: (target) => {
        targets.push(target)
        return here(target)
      },
    })
    const { port } = servers.http
    expect(await failure(client.retrieve(`http://127.0.0.1:${port}/a.txt`))).toMatchObject({ code: 'refused' })
    expect(await failure(client.retrieve(`http://private.invalid:${port}/a.txt`))).toMatchObject({ code: 'refused' })
    expect(targets).toEqual([])
    const error = await failure(client.retrieve(`http://public.invalid:${port}/a.txt`))
    expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(/gave a connection to 127.0.0.1/) })
    expect(targets).toMatchObject([{ host: 'public.invalid', addresses: ['203.0.114.7'] }])
    expect(servers.http.requests).toEqual([])
  })

  test('a redirect is judged by the name, not by the address at the other end', async () => {
    // The connection ends at this machine, but the server is elsewhere: its redirect must not lead inward.
    servers.http.route('/from', new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:8080/x' } }))
    await using client = createClient({ connect: here })
    const error = await failure(client.retrieve(`http://h.invalid:${servers.http.port}/from`))
    expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(/points inward/) })
  })

  test('a redirect to a name that only the other end of a tunnel knows is followed', async () => {
    servers.http.route('/from', new Response(null, { status: 302, headers: { location: '/a.txt' } }))
    await using client = createClient({
      lookup: () => [],
      connect: async (target) => {
        const socket = here(target)
        await once(socket, 'connect')
        return Duplex.from({ readable: socket, writable: socket })
      },
    })
    expect(await (await client.retrieve(`http://h.invalid:${servers.http.port}/from`)).text()).toBe('text of a')
  })

  test('a kept connection serves no redirect to a name whose addresses were not judged', async () => {
    servers.http.route('/from', new Response(null, { status: 302, headers: { location: '/a.txt' } }))
    const targets: (readonly string[] | null)[] = []
    await using client = createClient({
      lookup: () => ['127.0.0.1'],
      connect: (target) => {
        targets.push(target.addresses)
        return here(target)
      },
    })
    const url = `http://h.invalid:${servers.http.port}`
    expect(await (await client.retrieve(`${url}/a.txt`)).text()).toBe('text of a')
    expect(await failure(client.retrieve(`${url}/from`))).toMatchObject({ code: 'refused' })
    expect(targets).toEqual([null])
  })

  test('UDP is refused, and options for local addresses are invalid', async () => {
    await using client = createClient({ connect: here })
    expect(await failure(client.retrieve('tftp://127.0.0.1/x'))).toMatchObject({ code: 'refused' })
    expect(() => createClient({ connect: here, network: { localAddress: '127.0.0.1' } })).toThrow(
      /`network.localAddress.*` to be absent if there is `connect`/,
    )
    expect(() => createClient({ connect: 'x' as never })).toThrow(/`connect` to be a function/)
  })

  test('two clients with one fetcher do not share connections of another function', async () => {
    const { httpFetcher } = await import('@retriever/fetchers/http')
    const fetcher = httpFetcher()
    await using one = createClient({ fetchers: [fetcher], connect: (target) => here(target) })
    await using two = createClient({ fetchers: [fetcher], connect: (target) => here(target) })
    const url = `http://h.invalid:${servers.http.port}/a.txt`
    for (const client of [one, two]) expect(await (await client.retrieve(url)).text()).toBe('text of a')
    expect(new Set(servers.http.requests.map(({ connection }) => connection)).size).toBe(2)
  })
})

describe('lookup', () => {
  test('gives the addresses of names, those of redirects too', async () => {
    const asked: (string | number)[][] = []
    await using client = createClient({
      policy: { allowInward: true },
      lookup: async (host, port) => {
        asked.push([host, port])
        return ['127.0.0.1']
      },
    })
    const { port } = servers.http
    servers.http.route(
      '/from',
      new Response(null, { status: 302, headers: { location: `http://b.invalid:${port}/a.txt` } }),
    )
    const page = await client.retrieve(`http://a.invalid:${port}/from`)
    expect(await page.text()).toBe('text of a')
    expect(await (await client.retrieve(`ftp://c.invalid:${servers.ftp.port}/a.txt`)).text()).toBe('text of a')
    expect(asked).toEqual([
      ['a.invalid', port],
      ['b.invalid', port],
      ['c.invalid', servers.ftp.port],
    ])
  })

  test('the policy judges what it gives', async () => {
    await using client = createClient({ policy: { publicOnly: true }, lookup: () => ['10.1.2.3', '::1'] })
    for (const scheme of ['http', 'ftp', 'gopher', 'tftp']) {
      expect(await failure(client.retrieve(`${scheme}://h.invalid/x`))).toMatchObject({ code: 'refused' })
    }
  })

  test('an address, localhost and what `addresses` names are not asked for; null asks the system', async () => {
    const asked: string[] = []
    const { port } = servers.http
    await using client = createClient({
      addresses: { [`pinned.invalid:${port}`]: ['127.0.0.1'] },
      lookup: (host) => {
        asked.push(host)
        return null
      },
    })
    for (const host of ['127.0.0.1', 'localhost', 'pinned.invalid']) {
      expect(await (await client.retrieve(`http://${host}:${port}/a.txt`)).text()).toBe('text of a')
    }
    expect(asked).toEqual([])
  })

  test('an empty list, an error and a wrong value are errors', async () => {
    await using none = createClient({ lookup: () => [] })
    expect(await failure(none.retrieve('http://h.invalid/'))).toMatchObject({ code: 'host-not-found' })
    await using broken = createClient({ lookup: async () => Promise.reject(new Error('no DNS over HTTPS')) })
    const error = await failure(broken.retrieve('http://h.invalid/'))
    expect(error).toMatchObject({ code: 'connect-failed', message: expect.stringMatching(/no DNS over HTTPS/) })
    for (const wrong of ['127.0.0.1', ['h.invalid'], [5]]) {
      await using client = createClient({ lookup: () => wrong as never })
      const message = expect.stringMatching(/`lookup` to be a function that gives a list of IPv4/)
      expect(await failure(client.retrieve('http://h.invalid/'))).toMatchObject({ code: 'invalid-option', message })
    }
  })

  test('sessions of another function are not shared', async () => {
    await using other = await startFtpServer({ files: { '/a.txt': 'other' } })
    expect(other.port).not.toBe(servers.ftp.port)
    const { ftpFetcher } = await import('@retriever/fetchers/ftp')
    const fetcher = ftpFetcher()
    await using one = createClient({ fetchers: [fetcher], lookup: () => ['127.0.0.1'] })
    await using two = createClient({ fetchers: [fetcher], lookup: () => ['127.0.0.1'] })
    const url = `ftp://h.invalid:${servers.ftp.port}/a.txt`
    for (const client of [one, two]) expect(await (await client.retrieve(url)).text()).toBe('text of a')
    // The QUIT of a client of another test may come late.
    const asked = servers.ftp.requests.filter(({ line }) => line === 'RETR a.txt')
    expect(new Set(asked.map(({ connection }) => connection)).size).toBe(2)
  })
})
