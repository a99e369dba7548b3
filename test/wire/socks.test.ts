import type { RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startFtpServer, startGopherServer, startHttpServer, startNntpServer, testCa } from '@retriever/servers'
import { describe, expect, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import {
  type ProxyScript,
  type ScriptedProxy,
  type SocksOptions,
  scriptedProxy,
  socks,
} from '../support/wire/scripted-proxy.ts'

/** The answers of each lookup, in turn: no test asks a real resolver. */
let addresses: (readonly string[] | Error)[] = []
vi.mock('node:dns/promises', () => ({
  lookup: async () => {
    const found = addresses.shift() ?? []
    if (found instanceof Error) throw found
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  },
}))

/** The outcome of a URL through a proxy, and the events about the way. In the end all is closed. */
async function textThrough(
  url: string,
  script: ProxyScript,
  { kind = 'socks5h', ...options }: ClientOptions & { kind?: string } = {},
): Promise<{ text: string; proxy: ScriptedProxy; connected: RetrievalEvent[] }> {
  await using proxy = await scriptedProxy(script)
  const connected: RetrievalEvent[] = []
  await using client = createClient({
    proxy: `${kind}://127.0.0.1:${proxy.port}`,
    onEvent: (event) => {
      if (event.type === 'connected') connected.push(event)
    },
    ...options,
  })
  const outcome = client.retrieve(url).then((representation) => representation.text())
  await outcome.catch(() => {})
  await client.close()
  await proxy.closed()
  return { text: await outcome, proxy, connected }
}

/** The error for a proxy that does this. In the end all is closed. */
async function failureThrough(script: ProxyScript, options: ClientOptions = {}, login = ''): Promise<RetrievalError> {
  await using proxy = await scriptedProxy(script)
  await using client = createClient({ proxy: `socks5h://${login}127.0.0.1:${proxy.port}`, ...options })
  const error = await failure(client.retrieve('ftp://ftp.example/pub/hello.txt'))
  await proxy.closed()
  return error
}

describe('FTP through SOCKS 5', () => {
  test.each<SocksOptions['how']>(['whole', 'bytewise', 'glued'])(
    'comes whole, over the proxy alone, however it answers (%s)',
    async (how) => {
      await using server = await startFtpServer()
      // Data connections wait for no greeting, so theirs cannot be glued.
      const script: ProxyScript = (peer, proxy) =>
        socks(how === 'glued' && proxy.targets.length > 0 ? {} : { how: how ?? 'whole' })(peer, proxy)
      const url = `ftp://ftp.example:${server.port}/pub/hello.txt`
      const { text, proxy, connected } = await textThrough(url, script)
      expect(text).toBe('Hello, world.\n')
      expect(proxy.targets).toHaveLength(2)
      // The control connection and the one for data: to the server by its name, not to the proxy's address.
      const ports = proxy.targets.map((target) => Number(/^ftp\.example:(\d+)$/.exec(target)?.[1]))
      expect(ports[0]).toBe(server.port)
      const way = { url, address: 'ftp.example', tls: false, proxy: `socks5h://127.0.0.1:${proxy.port}` }
      expect(connected).toMatchObject(ports.map((port) => ({ type: 'connected', port, ...way })))
      await server.waitForConnections(0)
    },
  )

  test('a listing has its entries', async () => {
    await using server = await startFtpServer()
    await using proxy = await scriptedProxy(socks())
    await using client = createClient({ proxy: `socks5h://127.0.0.1:${proxy.port}` })
    const listing = await client.retrieve(`ftp://ftp.example:${server.port}/pub/`)
    const urls: (string | null)[] = []
    for await (const { url } of listing.entries()) urls.push(url)
    expect(urls).toContain(`ftp://ftp.example:${server.port}/pub/hello.txt`)
  })

  test('with TLS, by the certificate of the server and not the proxy', async () => {
    await using server = await startFtpServer({ tls: true })
    const url = `ftps://localhost:${server.port}/pub/hello.txt`
    const { text, connected } = await textThrough(url, socks(), { tls: { ca: testCa } })
    expect(text).toBe('Hello, world.\n')
    expect(connected).toMatchObject([{ tls: true }, { tls: true }])
    const other = textThrough(`ftps://other.example:${server.port}/pub/hello.txt`, socks(), { tls: { ca: testCa } })
    expect(await failure(other)).toMatchObject({ code: 'certificate', phase: 'tls' })
  })
})

test.each([
  ['gopher', startGopherServer, '0/readme.txt', "Retriever's test server."],
  ['nntp', startNntpServer, '', 'retriever.test 6 1 n'],
] as const)('%s goes through SOCKS like all others', async (scheme, start, path, expected) => {
  await using server = await start()
  const { text, proxy } = await textThrough(`${scheme}://www.example:${server.port}/${path}`, socks())
  expect(text).toContain(expected)
  expect(proxy.targets).toEqual([`www.example:${server.port}`])
})

describe('what is said', () => {
  const octets = (...values: number[]): string => String.fromCharCode(...values)
  const hex = (port: number): string => octets(port >> 8, port & 255)

  test.each([
    ['socks5h', 'http://127.0.0.1:PORT/', octets(1, 127, 0, 0, 1), '127.0.0.1'],
    ['socks5', 'http://127.0.0.1:PORT/', octets(1, 127, 0, 0, 1), '127.0.0.1'],
    ['socks5h', 'http://www.example:PORT/', `${octets(3, 11)}www.example`, 'www.example'],
    [
      'socks5h',
      'http://[2001:db8::1:0:ff]:PORT/',
      octets(4, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 255),
      '2001:db8::1:0:ff',
    ],
    ['socks5h', 'http://[::]:PORT/', octets(4, ...new Array(16).fill(0)), '::'],
    ['socks5h', 'http://[fe80::1%25eth0]:PORT/', octets(4, 0xfe, 0x80, ...new Array(13).fill(0), 1), 'fe80::1%eth0'],
    [
      'socks5',
      'http://[::ffff:1.2.3.4]:PORT/',
      octets(4, ...new Array(10).fill(0), 255, 255, 1, 2, 3, 4),
      '::ffff:102:304',
    ],
  ])('by %s for %s is what RFC 1928 has', async (kind, url, address, told) => {
    await using server = await startHttpServer({ hosts: ['*'] })
    const there = url.replace('PORT', String(server.port))

    const { proxy, connected } = await textThrough(`${there}pub/hello.txt`, socks(), { kind })
    expect(proxy.heard.at(-1)).toBe(`${octets(5, 1, 0)}${octets(5, 1, 0)}${address}${hex(server.port)}`)
    expect(connected.at(-1)).toMatchObject({ address: told, port: server.port })
  })

  test('with a login, too, and RFC 1929 has the rest', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(socks({ login: 'us\xe9r:p:\x01\xff' }))
    await using client = createClient({ proxy: `socks5h://us%E9r:p%3A%01%FF@127.0.0.1:${proxy.port}` })
    expect(await (await client.retrieve(`${server.url}pub/hello.txt`)).text()).toBe('Hello, world.\n')
    const greeting = `${octets(5, 2, 0, 2)}${octets(1, 4)}us\xe9r${octets(4)}p:\x01\xff`
    expect(proxy.heard[0]).toBe(`${greeting}${octets(5, 1, 0, 1, 127, 0, 0, 1)}${hex(server.port)}`)
  })

  test('is no password to a proxy that wants none', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(socks())
    await using client = createClient({ proxy: `socks5h://alice:s3cr3t@127.0.0.1:${proxy.port}` })
    await (await client.retrieve(`${server.url}pub/hello.txt`)).cancel()
    expect(proxy.heard[0]).not.toContain('s3cr3t')
  })
})

describe('addresses found here', () => {
  test('are tried one after the other', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    addresses = [['2001:db8::1', '192.0.2.1', '127.0.0.1']]
    const script: ProxyScript = async (peer, proxy) => {
      if (proxy.heard.length === 3) return socks()(peer, proxy)
      await peer.take(3)
      await peer.say('\x05\x00')
      await peer.take((await peer.take(4)).charCodeAt(3) === 4 ? 18 : 6)
      await peer.say('\x05\x03\x00\x01\x00\x00\x00\x00\x00\x00')
    }
    const url = `http://www.example:${server.port}/pub/hello.txt`
    const { text, proxy, connected } = await textThrough(url, script, { kind: 'socks5' })
    expect(text).toBe('Hello, world.\n')
    // Each over a connection of its own, since a refusal ends one.
    expect(proxy.heard.map((heard) => heard.charCodeAt(6))).toEqual([4, 1, 1])
    expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`])
    expect(connected).toMatchObject([{ address: '127.0.0.1', port: server.port }])
  })

  test('are the same for all connections of one retrieval', async () => {
    await using server = await startFtpServer()
    // Round robin: the data would be asked of another machine.
    addresses = [['127.0.0.1'], ['192.0.2.1'], ['192.0.2.2']]
    const url = `ftp://ftp.example:${server.port}/pub/hello.txt`
    const { text, proxy } = await textThrough(url, socks(), { kind: 'socks5' })
    expect(text).toBe('Hello, world.\n')
    expect(proxy.targets.map((target) => target.split(':')[0])).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  test.each([
    ['ENOTFOUND', /No host is named www\.example/],
    ['EAI_AGAIN', /www\.example could not be looked up/],
  ])('are none (%s): the proxy is not bothered', async (code, message) => {
    await using proxy = await scriptedProxy(socks())
    await using client = createClient({ limits: { maxRetries: 0 }, proxy: `socks5://127.0.0.1:${proxy.port}` })
    addresses = [Object.assign(new Error(code), { code })]
    const error = await failure(client.retrieve('http://www.example/'))
    expect(error).toMatchObject({ code: 'host-not-found', phase: 'lookup', message: expect.stringMatching(message) })
    expect(proxy.heard).toEqual([])
  })
})

describe('a refusal', () => {
  const answering =
    (reply: string): ProxyScript =>
    async (peer) => {
      await peer.take(3)
      await peer.say('\x05\x00')
      await peer.take(18)
      await peer.say(reply)
    }

  test.each([
    [1, /without a reason/],
    [2, /its rules forbid it/],
    [3, /no route to that network/],
    [4, /cannot reach that host/],
    [5, /refused; nothing listens there/],
    [6, /too far away/],
    [7, /does not support CONNECT/],
    [8, /socks5h:\/\//],
    [9, /an unknown reason/],
    [255, /\(SOCKS reply 255\)/],
  ])('%i is connect-failed, and says what to do', async (code, message) => {
    const error = await failureThrough(answering(`\x05${String.fromCharCode(code)}\x00\x01\x00\x00\x00\x00\x00\x00`))
    expect(error).toMatchObject({ code: 'connect-failed', phase: 'connect' })
    expect(error.message).toMatch(message)
    expect(error.message).toContain('did not connect to ftp.example:21')
  })

  test('of the code alone is one', async () => {
    expect(await failureThrough(answering('\x05\x02'))).toMatchObject({ code: 'connect-failed' })
  })

  test('of the login is auth-failed, and of none auth-required; neither tells the password', async () => {
    const told: unknown[] = []
    const options = { onEvent: (event: RetrievalEvent) => told.push(event) }
    const wrong = await failureThrough(socks({ login: 'alice:other' }), options, 'alice:s3cr3t@')
    expect(wrong).toMatchObject({ code: 'auth-failed', message: expect.stringMatching(/refused its user or password/) })
    const none = await failureThrough(socks({ login: 'alice:other' }), options)
    expect(none).toMatchObject({
      code: 'auth-required',
      message: expect.stringMatching(/wants a login; give `proxy: "socks5h?:\/\/USER:\*\*\*@/),
    })
    const unfit = await failureThrough(
      async (peer) => {
        await peer.take(4)
        await peer.say('\x05\xff')
      },
      options,
      'alice:s3cr3t@',
    )
    expect(unfit).toMatchObject({
      code: 'auth-failed',
      message: expect.stringMatching(/takes no user and password/),
    })
    const all = [wrong, none, unfit].flatMap((error) => [error.message, error.stack, String(error.cause)])
    expect(JSON.stringify([told, all])).not.toContain('s3cr3t')
  })

  test('to be connected to at all is one of the proxy', async () => {
    const proxy = await scriptedProxy(socks())
    await proxy[Symbol.asyncDispose]()
    await using client = createClient({ proxy: `socks5h://127.0.0.1:${proxy.port}` })
    const error = await failure(client.retrieve('ftp://ftp.example/x'))
    expect(error).toMatchObject({ code: 'connect-failed', phase: 'connect' })
    expect(error.message).toContain(`The proxy socks5h://127.0.0.1:${proxy.port} refused the connection`)
  })
})

describe('a hostile proxy', () => {
  test.each<[what: string, octets: string, message: RegExp]>([
    ['another version', '\x04\x00', /octet 4 where a 5 belongs; it does not speak SOCKS 5/],
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', /octet 72 where a 5 belongs/],
    ['a method not offered', '\x05\x02', /login method 2, which was not offered/],
    ['GSSAPI', '\x05\x01', /login method 1/],
  ])('that answers with %s breaks the protocol', async (_, octets, message) => {
    const error = await failureThrough(async (peer) => {
      await peer.take(3)
      await peer.say(octets)
    })
    expect(error).toMatchObject({ code: 'protocol-violation', phase: 'connect' })
    expect(error.message).toMatch(message)
  })

  test.each<[what: string, reply: string]>([
    ['of another version', '\x04\x00\x00\x01\x00\x00\x00\x00\x00\x00'],
    ['with no type of address', '\x05\x00\x00\x02\x00\x00\x00\x00\x00\x00'],
  ])('that replies %s, too', async (_, reply) => {
    const error = await failureThrough(async (peer) => {
      await peer.take(3)
      await peer.say('\x05\x00')
      await peer.take(18)
      await peer.say(reply)
    })
    expect(error).toMatchObject({ code: 'protocol-violation', phase: 'connect' })
  })

  const dialogue = ['\x05\x02', '\x01\x00', '\x05\x00\x00\x03\x04host\x00\x00']
  const taken = [4, 14, 18]
  const whole = dialogue.join('')
  const cutAt =
    (length: number, end: (peer: Parameters<ProxyScript>[0]) => void): ProxyScript =>
    async (peer) => {
      let left = length
      for (const [index, reply] of dialogue.entries()) {
        await peer.take(taken[index] ?? 0)
        await peer.say(reply.slice(0, left))
        left -= reply.length
        if (left <= 0) return end(peer)
      }
    }

  test.each(Array.from(whole, (_, index) => index))('that closes after %i octets gave no answer', async (length) => {
    const script = cutAt(length, ({ socket }) => void socket.end())
    const error = await failureThrough(script, {}, 'alice:s3cr3t@')
    expect(error).toMatchObject({ code: 'receive-failed', phase: 'connect' })
    expect(error.message).toMatch(/closed the connection without an answer/)
  })

  test.each([0, 3, 8])('that resets after %i octets, too', async (length) => {
    const script = cutAt(length, ({ socket }) => void socket.resetAndDestroy())
    expect(await failureThrough(script, {}, 'alice:s3cr3t@')).toMatchObject({ code: 'receive-failed' })
  })

  test.each([0, 1, 3, 8, 13])('that falls silent after %i octets is out of time', async (length) => {
    const script = cutAt(length, () => {})
    const error = await failureThrough(script, { limits: { connectTimeout: 50 } }, 'alice:s3cr3t@')
    expect(error).toMatchObject({ code: 'timeout', phase: 'connect' })
  })

  test('that drips is out of the same time: it is one for all', async () => {
    const error = await failureThrough(
      async (peer) => {
        await peer.take(3)
        await peer.say('\x05\x00\x05\x00\x00\x03\xff')
        const drip = setInterval(() => peer.socket.write('x'), 20)
        peer.socket.once('close', () => clearInterval(drip))
      },
      { limits: { connectTimeout: 150 } },
    )
    expect(error).toMatchObject({ code: 'timeout', phase: 'connect' })
  })

  test.each([0, 3, 8])('is left at once by an abort, after %i octets', async (length) => {
    const abort = new AbortController()
    await using proxy = await scriptedProxy(cutAt(length, () => abort.abort('enough')))
    await using client = createClient({ proxy: `socks5h://alice:s3cr3t@127.0.0.1:${proxy.port}` })
    const error = await failure(client.retrieve('ftp://ftp.example/x', { signal: abort.signal }))
    expect(error).toMatchObject({ code: 'aborted', cause: 'enough' })
    await proxy.closed()
  })

  test('that speaks before TLS is found out', async () => {
    await using proxy = await scriptedProxy(async (peer) => {
      await peer.take(3)
      await peer.say('\x05\x00')
      await peer.take(18)
      await peer.say('\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00HTTP/1.1 200 OK\r\n\r\n')
    })
    await using client = createClient({ proxy: `socks5h://127.0.0.1:${proxy.port}`, tls: { insecure: true } })
    const error = await failure(client.retrieve('https://www.example/'))
    expect(error).toMatchObject({ code: 'protocol-violation', message: expect.stringMatching(/before TLS had begun/) })
    await proxy.closed()
  })
})
