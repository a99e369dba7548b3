/** The options `network`: the family of addresses, the local end of connections, and other places to connect to. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type ClientOptions, createClient, type NetworkOptions, type RetrievalEvent } from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import { startHttpServer, startServers, type TestServers, testCa } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/cli/run.ts'
import { failure } from '../support/failure.ts'
import { httpProxy, scriptedProxy, socks } from '../support/wire/scripted-proxy.ts'

const folder = temporaryFolder()
const hello = 'Hello, world.\n'
let servers: TestServers<'http' | 'ftp' | 'gopher'>

beforeAll(async () => {
  servers = await startServers({ http: { hosts: ['*'] }, ftp: true, gopher: true })
})
afterAll(() => servers.close())

async function text(url: string, network: NetworkOptions, options: ClientOptions = {}): Promise<string> {
  await using client = createClient({ limits: { maxRetries: 0 }, ...options, network })
  return await (await client.retrieve(url)).text()
}

/** An HTTP server that answers with the address and the port that a request came from. */
async function mirror(path?: string, listener?: RequestListener) {
  const answer: RequestListener = ({ socket, headers }, response) =>
    response.end(`${socket.remoteAddress}|${socket.remotePort}|${headers.host}`)
  const server = createServer(listener ?? answer)
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(path, resolve)
  })
  const { port } = path === undefined ? (server.address() as AddressInfo) : { port: 0 }
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

describe('network.family', () => {
  test('leads to addresses of that family alone', async () => {
    const { port } = servers.http
    const addresses = { [`both.example:${port}`]: ['::1', '127.0.0.1'] }
    expect(await text(`http://both.example:${port}/pub/hello.txt`, { family: 4 }, { addresses })).toBe(hello)
  })

  test('a name without such an address is not found', async () => {
    const addresses = { 'six.example:80': ['::1'] }
    expect(await failure(text('http://six.example/', { family: 4 }, { addresses }))).toMatchObject({
      code: 'host-not-found',
      message: expect.stringMatching(/has an address that `network\.family: 4` allows/),
    })
  })

  test('an address of the other family is not connected to', async () => {
    for (const scheme of ['http', 'ftp', 'gopher'] as const) {
      const error = await failure(text(`${scheme}://127.0.0.1:${servers[scheme].port}/`, { family: 6 }))
      expect(error).toMatchObject({ code: 'connect-failed', advice: { option: 'network.family', value: 6 } })
    }
  })

  test('holds for names that are looked up for a SOCKS proxy', async () => {
    await using proxy = await scriptedProxy(socks())
    const { port } = servers.http
    const addresses = { [`both.example:${port}`]: ['::1', '127.0.0.1'] }
    const options = { addresses, proxy: `socks5://127.0.0.1:${proxy.port}` }
    expect(await text(`http://both.example:${port}/pub/hello.txt`, { family: 4 }, options)).toBe(hello)
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`])
  })
})

describe('the local end', () => {
  test('network.localAddress is where connections come from', async () => {
    await using server = await mirror()
    expect(await text(server.url, { localAddress: '127.0.0.7' })).toMatch(/^127\.0\.0\.7\|/)
    expect(await text(server.url, { localAddress: 'localhost' })).toMatch(/^127\.0\.0\.1\|/)
  })

  test('network.interface takes an address of the interface', async () => {
    await using server = await mirror()
    expect(await text(server.url, { interface: 'lo' })).toMatch(/^127\.0\.0\.1\|/)
  })

  test('network.localPort tries one port after the other', async () => {
    await using server = await mirror()
    await using taken = await mirror()
    const range = [taken.port, Math.min(65_535, taken.port + 40)] as const
    const came = await text(server.url, { localPort: range, localAddress: '127.0.0.1' })
    const port = Number(came.split('|')[1])
    expect(port).toBeGreaterThan(range[0])
    expect(port).toBeLessThanOrEqual(range[1])
    const error = await failure(text(server.url, { localPort: [taken.port, taken.port], localAddress: '127.0.0.1' }))
    expect(error).toMatchObject({ code: 'connect-failed', advice: { option: 'network.localPort' } })
  })

  test('holds for the data connections of FTP and within TLS', async () => {
    expect(await text(`${servers.ftp.url}pub/hello.txt`, { localAddress: '127.0.0.1' })).toBe(hello)
    await using secure = await startHttpServer({ tls: true })
    const tls = { ca: testCa }
    expect(await text(`${secure.url}pub/hello.txt`, { localAddress: '127.0.0.1' }, { tls })).toBe(hello)
  })

  test.each<[NetworkOptions, string, RegExp]>([
    [{ interface: 'nosuch0' }, 'network.interface', /`network\.interface: "nosuch0"`: this machine has no such/],
    [{ localAddress: '192.0.2.1' }, 'network.localAddress', /names: EADDRNOTAVAIL/],
  ])('%j cannot be used', async (network, option, message) => {
    expect(await failure(text(servers.http.url, network))).toMatchObject({
      code: 'connect-failed',
      phase: 'connect',
      message: expect.stringMatching(message),
      advice: { option },
    })
  })
})

test('a local address of the other family is no way to a host', async () => {
  const error = await failure(text(servers.http.url, { localAddress: '::1' }))
  expect(error).toMatchObject({
    code: 'connect-failed',
    message: expect.stringMatching(/is not of the same family/),
  })
  expect(error.advice).toBeUndefined()
})

describe('network.connectTo', () => {
  const to = (): string => `127.0.0.1:${servers.http.port}`

  test.each(['www.example:80', 'WWW.Example:80', 'www.example:', ':80', ':'])(
    '%s leads to another place, and Host stays',
    async (from) => {
      await using server = await mirror()
      const network = { connectTo: { 'other.example:80': '127.0.0.1:1', [from]: `127.0.0.1:${server.port}` } }
      expect(await text('http://www.example/', network)).toMatch(/\|www\.example$/)
    },
  )

  test('the first pair that fits counts, and an empty part stays that of the URL', async () => {
    const network = { connectTo: { 'www.example:': '127.0.0.1:', ':': '127.0.0.1:1' } }
    expect(await text(`http://www.example:${servers.http.port}/pub/hello.txt`, network)).toBe(hello)
  })

  test('TLS is with the name of the URL', async () => {
    await using secure = await startHttpServer({ tls: true })
    const connectTo = { ':': `127.0.0.1:${secure.port}` }
    const tls = { ca: testCa }
    expect(await text('https://localhost/pub/hello.txt', { connectTo }, { tls })).toBe(hello)
    expect(await failure(text('https://other.example/', { connectTo }, { tls }))).toMatchObject({ code: 'certificate' })
  })

  test('an HTTP proxy is asked for a tunnel there', async () => {
    await using proxy = await scriptedProxy(httpProxy())
    const options = { proxy: `http://127.0.0.1:${proxy.port}` }
    expect(await text('http://www.example/pub/hello.txt', { connectTo: { ':': to() } }, options)).toBe(hello)
    expect(proxy.targets).toEqual([to()])
  })

  test('leads only the control connection of FTP elsewhere', async () => {
    const network = { connectTo: { ':': `127.0.0.1:${servers.ftp.port}` } }
    expect(await text('ftp://ftp.example/pub/hello.txt', network)).toBe(hello)
  })

  test('obeys policy.publicOnly', async () => {
    const policy = { publicOnly: true }
    const error = await failure(text('http://192.0.32.10/', { connectTo: { ':': to() } }, { policy }))
    expect(error).toMatchObject({ code: 'refused' })
  })

  test('connections that other options made are not used', async () => {
    const fetcher = httpFetcher({ cache: 'memory' })
    await using one = await mirror(undefined, (_, response) =>
      response.setHeader('Cache-Control', 'max-age=9').end('1'),
    )
    await using two = await mirror(undefined, (_, response) =>
      response.setHeader('Cache-Control', 'max-age=9').end('2'),
    )
    await using first = createClient({ fetchers: [fetcher], network: { connectTo: { ':': `127.0.0.1:${one.port}` } } })
    await using second = createClient({ fetchers: [fetcher], network: { connectTo: { ':': `127.0.0.1:${two.port}` } } })
    for (const [client, expected] of [
      [first, '1'],
      [second, '2'],
      [first, '1'],
    ] as const) {
      expect(await (await client.retrieve('http://www.example/')).text()).toBe(expected)
    }
  })
})

describe('network.socketPath', () => {
  test('leads to a Unix domain socket, past a proxy, and says so', async () => {
    const path = join(folder(), 'http.sock')
    await using _server = await mirror(path)
    const addresses: string[] = []
    const onEvent = (event: RetrievalEvent): void => {
      if (event.type === 'connected') addresses.push(event.address)
    }
    const options = { proxy: 'http://127.0.0.1:1', onEvent }
    expect(await text('http://www.example/', { socketPath: path }, options)).toBe('undefined|undefined|www.example')
    expect(addresses).toEqual([path])
  })

  test('is refused under policy.publicOnly, and where a call asks for it', async () => {
    const path = join(folder(), 'refused.sock')
    let asked = 0
    await using _server = await mirror(path, (_, response) => {
      asked++
      response.end()
    })
    await using client = createClient({ network: { socketPath: path } })
    const policy = { publicOnly: true }
    for (const refusal of [
      text('http://www.example/', { socketPath: path }, { policy }),
      client.retrieve('http://www.example/', { policy }),
    ]) {
      expect(await failure(refusal)).toMatchObject({ code: 'refused', advice: { option: 'policy.publicOnly' } })
    }
    expect(asked).toBe(0)
  })

  test('a path without a socket is connect-failed', async () => {
    const error = await failure(text('http://www.example/', { socketPath: join(folder(), 'none') }))
    expect(error).toMatchObject({ code: 'connect-failed' })
  })
})

test.each<[object, string]>([
  [{ family: 5 }, '`network.family` to be 4 or 6'],
  [{ interface: '' }, '`network.interface` to be a string of one line'],
  [{ interface: 'lo', localAddress: '127.0.0.1' }, '`network.localAddress` to be absent'],
  [{ localPort: [0, 5] }, '`network.localPort` to be [first, last]'],
  [{ localPort: [9, 5] }, '`network.localPort` to be [first, last]'],
  [{ socketPath: 'a\0b' }, '`network.socketPath` to be a string'],
  [{ connectTo: { 'www.example': 'x:1' } }, '`network.connectTo["www.example"]` to be an object of `HOST:PORT`'],
  [{ connectTo: { ':0': 'x:1' } }, '`network.connectTo[":0"]` to be'],
  [{ connectTo: { ':': 'a/b:1' } }, '`network.connectTo[":"]` to be'],
  [{ route: 1 }, 'one of family, interface'],
])('%j is an invalid option', (network, message) => {
  expect(() => createClient({ network })).toThrow(message)
})
