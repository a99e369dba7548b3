import type { LookupAddress } from 'node:dns'
import { RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient, type Fetcher } from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import { startHttpServer, startServers, testCa } from '@retriever/servers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { AddressBook } from '../../packages/fetchers/src/client/network/addresses.ts'
import { scriptedProxy, socks } from '../support/wire/scripted-proxy.ts'

/** The answers to each lookup of a name, in turn; the last one is repeated. */
let names: Record<string, string[][]> = {}
const lookups: string[] = []
vi.mock('node:dns/promises', () => ({
  lookup: async (name: string): Promise<LookupAddress[]> => {
    lookups.push(name)
    const answers = names[name] ?? []
    const found = answers.length > 1 ? answers.shift() : answers[0]
    if (found === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  },
}))

beforeEach(() => {
  names = { localhost: [['127.0.0.1']] }
  lookups.length = 0
})

/** HTTP, but that `outside.example` redirects to where its query says, as a server on the Internet would. */
function withOutside(): Fetcher<'http'> {
  const { retrieve, ...http } = httpFetcher()
  return {
    ...http,
    retrieve: async (plan, context) => {
      if (plan.host !== 'outside.example') return retrieve(plan, context)
      return { outcome: 'redirect', location: decodeURIComponent(plan.target.slice(2)), status: 302 }
    },
  }
}

const outside = (to: string): string => `http://outside.example/?${encodeURIComponent(to)}`

async function outcomeOf(url: string, options: ClientOptions = {}): Promise<string | RetrievalError> {
  await using client = createClient({ fetchers: [withOutside()], ...options })
  try {
    return await (await client.retrieve(url)).text()
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
}

const hello = 'Hello, world.\n'
const refused = (hint: RegExp) =>
  expect.objectContaining({ code: 'refused', phase: 'policy', message: expect.stringMatching(hint) })

describe('localhost, and each name below it, is this machine without a look-up (RFC 6761 6.3)', () => {
  test.each([
    ['localhost', {}],
    ['localhost', { network: { family: 4 } }],
    ['LocalHost.', { network: { family: 4 } }],
    ['a.b.localhost', {}],
    ['a.localhost', { network: { localAddress: 'localhost' } }],
    ['localhost', { network: { connectTo: { '127.0.0.1:81': 'localhost:81' } } }],
  ] satisfies [string, ClientOptions][])('%s with %j', async (host, options) => {
    await using server = await startHttpServer({ hosts: ['*'] })
    names = {}
    expect(await outcomeOf(`http://${host}:${server.port}/pub/hello.txt`, options)).toBe(hello)
    expect(lookups).toEqual([])
  })

  test('of the proxy, too', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    names = {}
    const proxy = `http://proxy.localhost:${server.port}`
    expect(await outcomeOf('http://x.example/pub/hello.txt', { proxy })).toBe(hello)
    expect(server.accepted).toBe(1)
    expect(lookups).toEqual([])
  })

  test('by IPv6 alone', async () => {
    const book = AddressBook.read()
    expect(await book.asked.of('localhost', 80, { family: 6 })).toContainEqual({ address: '::1', family: 6 })
  })
})

describe('a redirect from elsewhere', () => {
  test.each([
    '127.0.0.1',
    '0177.0.0.1',
    '0x7f.1',
    '2130706433',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '127\u30020\u30020\u30021',
    'localhost',
    'localhost.',
    '0',
    '0.0.0.0',
    '[::]',
    '169.254.169.254',
    '[fe80::1]',
  ])('to %s is not followed (cases 19 and 20)', async (host) => {
    await using server = await startHttpServer({ hosts: ['*'] })
    const url = outside(`http://${host}:${server.port}/pub/hello.txt`)
    expect(await outcomeOf(url)).toEqual(refused(/policy\.allowInward/))
    expect(server.accepted).toBe(0)
    expect(lookups).toEqual([])
  })

  test.each([
    '127.0.0.1',
    '127.8.9.1',
    '0.0.0.0',
    '169.254.169.254',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fe80::1%lo',
  ])('to a name that leads to %s is not followed (cases 19 and 20)', async (address) => {
    await using server = await startHttpServer({ hosts: ['*'] })
    names['inside.example'] = [[address]]
    const url = outside(`http://inside.example:${server.port}/pub/hello.txt`)
    expect(await outcomeOf(url)).toEqual(refused(/inside\.example .*policy\.allowInward/))
    expect(server.accepted).toBe(0)
    expect(lookups).toEqual(['inside.example'])
  })

  test('is followed where the caller allows it', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    names['inside.example'] = [['127.0.0.1']]
    for (const host of ['inside.example', '127.0.0.1', 'localhost']) {
      const url = outside(`http://${host}:${server.port}/pub/hello.txt`)
      expect(await outcomeOf(url, { policy: { allowInward: true } })).toBe(hello)
    }
  })

  test('to a name with addresses of both kinds goes to the others alone (case 21)', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(socks())
    names['both.example'] = [['127.0.0.1', '192.0.2.1', '::1', '10.0.0.1']]
    const url = outside(`http://both.example:${server.port}/pub/hello.txt`)
    expect(await outcomeOf(url, { proxy: `socks5://127.0.0.1:${proxy.port}` })).toBe(hello)
    expect(proxy.targets).toEqual([`192.0.2.1:${server.port}`])
  })

  test('to a name whose next lookup leads inward is not followed (case 21)', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(socks())
    await using client = createClient({
      fetchers: [withOutside()],
      proxy: ({ port }) => (port === 80 ? `socks5://127.0.0.1:${proxy.port}` : null),
    })
    names['evil.example'] = [['192.0.2.1'], ['127.0.0.1']]
    const location = `http://evil.example:${server.port}/pub/hello.txt`
    proxy.targets.length = 0
    await client.retrieve('http://evil.example/').catch(() => {})
    expect(proxy.targets).toEqual(['192.0.2.1:80'])
    expect(await client.retrieve(outside(location)).catch((error: unknown) => error)).toEqual(refused(/evil\.example/))
    expect(server.accepted).toBe(0)
  })

  test('gets no connection that the caller’s own URL left open (case 38)', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    names['evil.example'] = [['127.0.0.1']]
    await using client = createClient({ fetchers: [withOutside()] })
    const url = `http://evil.example:${server.port}/pub/hello.txt`
    // A typed URL may go anywhere.
    expect(await (await client.retrieve(url)).text()).toBe(hello)
    expect(await client.retrieve(outside(url)).catch((error: unknown) => error)).toEqual(refused(/evil\.example/))
    expect(await (await client.retrieve(url)).text()).toBe(hello)
    expect(server.accepted).toBe(1)
    expect(server.received).toHaveLength(2)
  })

  test('to a private address is followed: names have different addresses at home', async () => {
    const book = AddressBook.read()
    for (const address of ['10.0.0.1', '192.168.1.1', 'fd00::1', '93.184.215.14']) {
      expect(await book.pointedTo.of(address, 80)).toHaveLength(1)
    }
  })

  test('leaves TLS for nothing (case 49)', async () => {
    await using server = await startServers({ http: { hosts: ['*'] } })
    const location = `http://elsewhere.example:${server.http.port}/`
    names['elsewhere.example'] = [['127.0.0.1']]
    const error = await outcomeOf(outside(location).replace('http:', 'https:'))
    expect(error).toEqual(refused(/policy\.allowDowngrade/))
    expect(server.http.accepted).toBe(0)
  })
})

describe('a redirect from this machine', () => {
  test.each(['localhost', '127.0.0.1', 'dev.example'])('by %s may lead to it', async (host) => {
    await using server = await startHttpServer({ hosts: ['*'] })
    names['dev.example'] = [['127.0.0.1']]
    const location = `http://127.0.0.1:${server.port}/pub/hello.txt`
    const moved = `HTTP/1.1 302 F\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
    server.setFaults({ replies: { '/to': moved } })
    await using client = createClient()
    // The second time by the connection that is open already.
    for (let time = 0; time < 2; time++) {
      expect(await (await client.retrieve(`http://${host}:${server.port}/to`)).text()).toBe(hello)
    }
  })

  test('is known by the address of its connection, not by what a lookup said (case 21)', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(socks())
    names['evil.example'] = [['127.0.0.1']]
    const location = `http://127.0.0.1:${server.port}/pub/hello.txt`
    const moved = `HTTP/1.1 302 F\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
    server.setFaults({ replies: { '/to': moved } })
    const url = `http://evil.example:${server.port}/to`
    // Where the proxy really went, nothing here can see.
    expect(await outcomeOf(url, { proxy: `socks5://127.0.0.1:${proxy.port}` })).toEqual(refused(/points inward/))
    expect(await outcomeOf(url)).toBe(hello)
  })

  test('is none by a lookup that was refused (case 21)', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(socks())
    await using client = createClient({
      fetchers: [withOutside()],
      proxy: ({ port }) => (port === server.port ? `socks5h://127.0.0.1:${proxy.port}` : null),
    })
    names['evil.example'] = [['127.0.0.1']]
    const failure = await client.retrieve(outside('http://evil.example/')).catch((error: unknown) => error)
    expect(failure).toEqual(refused(/evil\.example/))
    const moved = `HTTP/1.1 302 F\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n`
    server.setFaults({ replies: { '/to': moved } })
    const next = await client.retrieve(`http://evil.example:${server.port}/to`).catch((error: unknown) => error)
    expect(next).toEqual(refused(/points inward/))
  })

  test('may lead to the same machine through a proxy, where the URL itself says so', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(socks())
    const moved = 'HTTP/1.1 302 F\r\nLocation: /pub/hello.txt\r\nContent-Length: 0\r\n\r\n'
    server.setFaults({ replies: { '/to': moved } })
    const options = { proxy: `socks5h://127.0.0.1:${proxy.port}` }
    expect(await outcomeOf(`http://localhost:${server.port}/to`, options)).toBe(hello)
  })
})

describe('public addresses alone', () => {
  const publicOnly = { policy: { publicOnly: true } }

  test.each([
    ['93.184.215.14', true],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
    ['::ffff:93.184.215.14', true],
    ['0.0.0.0', false],
    ['10.255.255.255', false],
    ['11.0.0.0', true],
    ['100.64.0.1', false],
    ['100.128.0.0', true],
    ['127.0.0.1', false],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['172.32.0.0', true],
    ['192.0.0.1', false],
    ['192.0.2.1', false],
    ['192.168.0.1', false],
    ['198.19.255.255', false],
    ['198.51.100.1', false],
    ['203.0.113.1', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::7f00:1', false],
    ['::ffff:10.0.0.1', false],
    ['::ffff:a00:1', false],
    ['64:ff9b::a00:1', false],
    ['64:ff9b:1::1', false],
    ['100::1', false],
    ['2001::1', false],
    ['2001:db8::1', false],
    ['2001:4860:4860::8888', true],
    ['2002:7f00:1::', false],
    ['fc00::1', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['fec0::1', false],
    ['ff02::1', false],
  ])('%s is one: %s', async (address, isPublic) => {
    const book = AddressBook.read({}, { publicOnly: true })
    names['x.example'] = [[address]]
    for (const host of [address, 'x.example']) expect(await book.asked.of(host, 80)).toHaveLength(isPublic ? 1 : 0)
  })

  test('are gone to by every mechanism', async () => {
    await using servers = await startServers({ http: { hosts: ['*'] }, ftp: true, gopher: true, nntp: true })
    names['inside.example'] = [['127.0.0.1', '::1']]
    for (const { url, port } of [servers.http, servers.ftp, servers.gopher, servers.nntp]) {
      const paths = { ftp: 'pub/hello.txt', http: '', gopher: '', nntp: 'retriever.test/1' }
      const scheme = url.slice(0, url.indexOf(':')) as keyof typeof paths
      for (const host of ['127.0.0.1', 'localhost', 'inside.example']) {
        const error = await outcomeOf(`${scheme}://${host}:${port}/${paths[scheme]}`, publicOnly)
        expect(error).toEqual(refused(/no public address, and `policy\.publicOnly`/))
      }
    }
    const accepted = [servers.http, servers.ftp, servers.gopher, servers.nntp].map((server) => server.accepted)
    expect(accepted).toEqual([0, 0, 0, 0])
  })

  test('are neither files nor behind a proxy', async () => {
    expect(await outcomeOf('file:///etc/hostname', publicOnly)).toEqual(refused(/policy\.publicOnly/))
    await using proxy = await scriptedProxy(socks())
    const options = { ...publicOnly, proxy: `socks5h://u:s3cr3t@127.0.0.1:${proxy.port}` }
    const error = await outcomeOf('http://www.example/', options)
    expect(error).toEqual(
      refused(/through the proxy socks5h:\/\/127\.0\.0\.1:\d+, and `policy\.publicOnly` cannot check/),
    )
    expect(String(error)).not.toContain('s3cr3t')
    expect(proxy.heard).toEqual([])
  })

  test('are not behind a proxy whose name nobody knows', async () => {
    const policy = { publicOnly: true, allowAddresses: ['127.0.0.1'] }
    const error = await outcomeOf('http://www.example/', { policy, proxy: 'http://proxy.example:3128' })
    expect(error).toMatchObject({
      code: 'host-not-found',
      message: expect.stringContaining('the proxy http://proxy.example:3128'),
    })
    expect(lookups).toEqual(['proxy.example'])
  })
})

describe('addresses of the caller’s own', () => {
  test('are gone to in the order given, by every mechanism; the request is as it was', async () => {
    await using servers = await startServers({ http: { hosts: ['*'] }, ftp: true, gopher: true })
    const places = [servers.http, servers.ftp, servers.gopher].map(({ port }) => `www.example:${port}`)
    const [http = '', ftp = '', gopher = ''] = places
    // The first address has no listener.
    const options = { addresses: Object.fromEntries(places.map((place) => [place, ['127.0.0.9', '127.0.0.1']])) }
    expect(await outcomeOf(`http://${http}/echo`, options)).toContain(`Host: ${http}\r\n`)
    expect(await outcomeOf(`ftp://${ftp}/pub/hello.txt`, options)).toBe(hello)
    expect(await outcomeOf(`gopher://${gopher}/0/pub/hello.txt`, options)).toBe('Hello, world.\r\n')
    expect(lookups).toEqual([])
  })

  test('are for that host and port alone; in TLS the name stays', async () => {
    await using server = await startHttpServer({ tls: true })
    names = {}
    const addresses = { [`LOCALHOST:${server.port}`]: ['127.0.0.1'] }
    const options = { addresses, tls: { ca: testCa } }
    expect(await outcomeOf(`https://localhost:${server.port}/pub/hello.txt`, options)).toBe(hello)
    const pinned = { addresses: { 'x.example:80': ['127.0.0.1'] } }
    expect(await outcomeOf('http://x.example:81/', pinned)).toMatchObject({ code: 'host-not-found' })
  })

  test('for * are those of each host that has none of its own', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    const addresses = { [`*:${server.port}`]: ['127.0.0.1'], [`b.example:${server.port}`]: ['127.0.0.1'] }
    for (const host of ['a.example', 'b.example']) {
      expect(await outcomeOf(`http://${host}:${server.port}/pub/hello.txt`, { addresses })).toBe(hello)
    }
    expect(lookups).toEqual([])
    expect(await outcomeOf(outside(`http://a.example:${server.port}/`), { addresses })).toEqual(refused(/allowInward/))
  })

  test('are bound by the rules for others', async () => {
    const addresses = { 'x.example:80': ['127.0.0.1'] }
    expect(await outcomeOf(outside('http://x.example/'), { addresses })).toEqual(refused(/allowInward/))
    expect(await outcomeOf('http://x.example/', { addresses, policy: { publicOnly: true } })).toEqual(
      refused(/publicOnly/),
    )
  })

  test('may be IPv6, in brackets or not', async () => {
    const book = AddressBook.read({ 'h.example:80': ['[::1]', '::1', '127.0.0.1'] })
    expect(await book.asked.of('h.example', 80)).toEqual([
      { address: '::1', family: 6 },
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ])
  })

  test.each([
    [{ 'h.example': ['127.0.0.1'] }, /`addresses`.*got "h\.example"/],
    [{ 'h.example:x': ['127.0.0.1'] }, /`addresses`/],
    [{ 'h.example:99999': ['127.0.0.1'] }, /`addresses`/],
    [{ 'u@h.example:80': ['127.0.0.1'] }, /`addresses`/],
    [{ 'h.example/x:80': ['127.0.0.1'] }, /`addresses`/],
    [{ '*.example:80': ['127.0.0.1'] }, /`addresses`/],
    [{ '127.0.0.1:80': ['127.0.0.2'] }, /`addresses`.*the host a name/],
    [{ 'h.example:80': [] }, /`addresses\["h\.example:80"\]` to be an array of one address or more/],
    [{ 'h.example:80': '127.0.0.1' }, /an array of one address or more/],
    [{ 'h.example:80': ['localhost'] }, /a list of IPv4 and IPv6 addresses, got "localhost"/],
    [{ 'h.example:80': [1] }, /a list of IPv4 and IPv6 addresses/],
    [['127.0.0.1'], /`addresses` to be an object/],
  ])('are refused where they are none: %j', (addresses, message) => {
    const make = (): unknown => createClient({ addresses } as unknown as ClientOptions)
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option', message: expect.stringMatching(message) }))
  })
})
