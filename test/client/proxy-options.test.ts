import { RetrievalError } from '@retriever/core'
import { createClient, type ProxyOption } from '@retriever/fetchers'
import type { ProxyTarget } from '@retriever/fetchers/internal'
import { describe, expect, test } from 'vitest'
import { readProxy } from '../../packages/fetchers/src/client/network/proxy.ts'
import { route } from '../../packages/fetchers/src/client/network/route.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const target: ProxyTarget = { scheme: 'ftp', host: 'h', port: 21 }
const parse = (text: string, tunnel = false) => readProxy(text, { tunnel })(target)

describe('the URL of a proxy', () => {
  test.each([
    ['socks5://h', { kind: 'socks5', host: 'h', port: 1080, user: null, password: null, url: 'socks5://h:1080' }],
    ['socks5h://h:9050/', { kind: 'socks5h', host: 'h', port: 9050, url: 'socks5h://h:9050' }],
    ['socks4://h', { kind: 'socks4', host: 'h', port: 1080, user: null, url: 'socks4://h:1080' }],
    ['socks4a://u:p@h:9050', { kind: 'socks4a', port: 9050, user: 'u', url: 'socks4a://h:9050' }],
    ['http://H.example', { kind: 'http', host: 'h.example', port: 1080, url: 'http://h.example:1080' }],
    ['https://h', { kind: 'https', port: 443, url: 'https://h:443' }],
    ['HTTP://h:80', { kind: 'http', port: 80 }],
    ['h', { kind: 'http', host: 'h', port: 1080, url: 'http://h:1080' }],
    ['h:3128', { kind: 'http', host: 'h', port: 3128 }],
    ['u:p@h:3128', { kind: 'http', user: 'u', password: 'p', url: 'http://h:3128' }],
    ['[::1]:3128', { kind: 'http', host: '::1', port: 3128, url: 'http://[::1]:3128' }],
    ['socks5://u@h', { user: 'u', password: null }],
    ['socks5://u:@h', { user: 'u', password: '' }],
    ['socks5://%C3%BC:p%40%3a%01@h', { user: '\xc3\xbc', password: 'p@:\x01' }],
    ['http://\u00fc:\u00fc@h', { user: '\xc3\xbc', password: '\xc3\xbc' }],
    ['http://b\u00fccher.example', { host: 'xn--bcher-kva.example' }],
    [`socks5://${'u'.repeat(255)}:${'p'.repeat(255)}@h`, { kind: 'socks5' }],
  ])('%s', async (text, expected) => {
    expect(await parse(text)).toMatchObject(expected)
  })

  test.each([
    '',
    'socks6://h',
    `socks4://${'u'.repeat(256)}@h`,
    'socks://h',
    'ftp://h',
    'http://',
    'http://h/path',
    'http://h/?q',
    'http://h#f',
    'http://h:0',
    'http://h:65536',
    'http://h:x',
    'http://[::1',
    'h h',
    'http://h\r\nX: y',
    'socks5://:p@h',
    `socks5://${'u'.repeat(256)}@h`,
    `socks5h://u:${'p'.repeat(256)}@h`,
    'http://a%3Ab:p@h',
  ])('%j is none', (text) => {
    expect(() => createClient({ proxy: text })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
    expect(() => createClient({ proxy: text })).toThrow(/`proxy`/)
  })

  test.each([
    'socks6://u:s3cr3t@h',
    'u:s3cr3t@h:x',
    'http://u:s3 cr3t@h',
    'http://u:a@s3cr3t@h/path',
    'http://u:a/s3cr3t@h',
    'socks5://:s3cr3t@h',
    'http://u:\ns3cr3t@h',
  ])('with a password, and broken, shows none: %j', (text) => {
    const thrown = () => createClient({ proxy: text })
    expect(thrown).toThrow()
    expect(thrown).not.toThrow(/s3|cr3t/)
  })

  test.each(['http://u%0d%0aX:s3cr3t@h', 'http://u:s3cr3t%0a@h', 'socks5://u%00:s3cr3t@h'])(
    'with a login that holds a line break or NUL is refused when the client is made: %s',
    (text) => {
      const thrown = () => createClient({ proxy: text })
      expect(thrown).toThrow(/`proxy` to be a URL with a user and a password of one line each, without NUL/)
      expect(thrown).not.toThrow(/s3cr3t/)
    },
  )

  test.each([[5], [{}], [['h']]])('%j is of no kind', (option) => {
    expect(() => createClient({ proxy: option as never })).toThrow(/`proxy` to be a URL, null, or a function/)
  })

  test('proxyTunnel is true or false', () => {
    expect(() => createClient({ proxyTunnel: 'yes' as never })).toThrow(/`proxyTunnel` to be true or false/)
  })

  test('is told from every other by its key, which shows nothing', async () => {
    const texts = ['http://h', 'http://h:1081', 'https://h:1080', 'http://u@h', 'http://u:@h', 'http://u:s3cr3t@h']
    const proxies = [...(await Promise.all(texts.map((text) => parse(text)))), await parse('http://h', true)]
    expect(new Set(proxies.map((proxy) => proxy?.key)).size).toBe(texts.length + 1)
    expect(JSON.stringify(proxies.map((proxy) => proxy?.key))).not.toContain('s3cr3t')
    expect((await parse('HTTP://h:1080/'))?.key).toBe(proxies[0]?.key)
  })
})

describe('a function that chooses', () => {
  const asked: ProxyTarget[] = []
  const through = (proxy: ProxyOption) => {
    const seen: (string | null)[] = []
    const fetcher = fakeHttp((plan, context) => {
      seen.push(context.proxy?.url ?? null)
      if (plan.host === 'a.example') return { outcome: 'redirect', location: 'https://b.example:444/', status: 301 }
      return retrieved(chunks('b'))
    })
    return { seen, client: createClient({ proxy, fetchers: [fetcher] }) }
  }

  test('is asked for each hop', async () => {
    const { client, seen } = through(async (hop) => {
      asked.push(hop)
      return hop.scheme === 'http' ? 'http://one' : 'http://two'
    })
    await (await client.retrieve('http://u:p@a.example/')).cancel()
    expect(asked).toEqual([
      { scheme: 'http', host: 'a.example', port: 80 },
      { scheme: 'https', host: 'b.example', port: 444 },
    ])
    expect(seen).toEqual(['http://one:1080', 'http://two:1080'])
  })

  test.each([null, undefined])('may know none: %s', async (none) => {
    const { client, seen } = through(() => none)
    await (await client.retrieve('http://b.example/')).cancel()
    expect(seen).toEqual([null])
  })

  test('is not asked for what is on no host, and not before the policy is', async () => {
    const { client } = through(() => {
      throw new Error('asked')
    })
    const error = await client.retrieve('http://h:25/').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'refused' })
    const file = await client.retrieve('file:///none').catch((reason: unknown) => reason)
    expect(file).toMatchObject({ code: 'not-found' })
  })

  test.each([
    ['gives no proxy', () => 'socks6://h', 'invalid-option'],
    ['gives something else', () => 5 as never, 'invalid-option'],
    [
      'throws what is to be told',
      () => {
        throw new RetrievalError('auth-required', 'Nobody knows.', { phase: 'login' })
      },
      'auth-required',
    ],
  ])('%s: nothing is contacted', async (_, choose, code) => {
    const { client, seen } = through(choose)
    const error = await client.retrieve('http://b.example/').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code })
    expect(seen).toEqual([])
  })
})

describe('the route through an HTTP proxy', () => {
  const targetOf = async (url: string, proxy: string, tunnel = false): Promise<string | null> => {
    await using client = createClient()
    const { plan } = client.resolve(url)
    const routed = route(plan, await parse(proxy, tunnel))
    if (routed === plan) return null
    return routed.mechanism === 'http' ? routed.target : expect.fail(routed.mechanism)
  }

  test.each([
    ['http://h/a/../b;c?d=%7e', 'http://h/b;c?d=%7e'],
    ['http://u:p@h:81', 'http://h:81/'],
    ['http://[fe80::1%25eth0]:8080/', 'http://[fe80::1]:8080/'],
    ['ftp://h/a/b', 'ftp://h/a/b;type=i'],
    ['ftp://h:2121/a/b;type=a', 'ftp://h:2121/a/b;type=a'],
    ['ftp://u:p%40@h/%2Fetc/mo%20td', 'ftp://u@h/%2Fetc/mo%20td;type=i'],
    ['ftp://u%40x@[::1]/a%3Btype=a', 'ftp://u%40x@[::1]/a%3Btype%3Da;type=i'],
    ['ftp://anonymous:me@h/x', 'ftp://h/x;type=i'],
    ['ftp://h//a//b', 'ftp://h//a//b;type=i'],
    ['ftp://h/', 'ftp://h/'],
    ['ftp://h/a/', 'ftp://h/a/'],
    ['ftp://h/a;type=d', 'ftp://h/a;type=d'],
    ['ftp://h/%FF%25', 'ftp://h/%FF%25;type=i'],
  ])('of %s is %s', async (url, expected) => {
    expect(await targetOf(url, 'http://proxy')).toBe(expected)
    expect(await targetOf(url, 'https://proxy')).toBe(expected)
    expect(await targetOf(url, 'http://proxy', true)).toBeNull()
    expect(await targetOf(url, 'socks5://proxy')).toBeNull()
  })

  test.each(['https://h/', 'ftps://h/a', 'gopher://h/', 'nntp://h/g', 'file:///a', 'telnet://h/'])(
    'of %s is a tunnel, or none',
    async (url) => {
      expect(await targetOf(url, 'http://proxy')).toBeNull()
    },
  )
})
