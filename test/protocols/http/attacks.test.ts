/**
 * Cases of docs/internals/threats.md, section 1, by number: what hostile HTTP servers, and URLs, try and must not get.
 */
import { RetrievalError, resolve } from '@retriever/core'
import {
  type Client,
  type ClientOptions,
  createClient,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testKey } from '../../servers/src/certificate.ts'
import { everythingIn } from '../../support/contract/observe.ts'
import { type Victim, victim } from '../../support/wire/victim.ts'
import { badCertificates } from './support/bad-certificates.ts'
import { challenge, ok, redirectTo } from './support/http-answers.ts'
import { type Asked, type HttpScript, type ScriptedHttp, scriptedHttp } from './support/scripted-http.ts'

const secret = 's3cr3t-pl4nted'
const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`

interface Told {
  readonly text: string | null
  readonly error: RetrievalError | null
  readonly events: readonly RetrievalEvent[]
}

/** The outcome of one URL, by a client of its own unless one is given. */
async function told(url: string, options: ClientOptions = {}, request: RetrieveOptions = {}): Promise<Told> {
  const events: RetrievalEvent[] = []
  await using client = createClient({
    ...options,
    limits: { maxRetries: 0, ...options.limits },
    onEvent: (event) => events.push(event),
  })
  return { ...(await outcomeOf(client, url, request)), events }
}

async function outcomeOf(client: Client, url: string, request: RetrieveOptions = {}): Promise<Omit<Told, 'events'>> {
  try {
    return { text: await (await client.retrieve(url, request)).text(), error: null }
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return { text: null, error }
  }
}

let bystander: Victim
beforeEach(async () => {
  bystander = await victim()
})
afterEach(async () => {
  await bystander[Symbol.asyncDispose]()
})

describe('case 11, a redirect to any other scheme (CVE-2009-0037 for file, case 10: cli/attacks)', () => {
  test.each([
    'gopher://127.0.0.1:PORT/1x',
    'gophers://127.0.0.1:PORT/1x',
    'ldap://127.0.0.1:PORT/',
    'telnet://127.0.0.1:PORT/',
    'ftp://127.0.0.1:PORT/x',
    'ftps://127.0.0.1:PORT/x',
    'nntp://127.0.0.1:PORT/g/1',
    'sftp://127.0.0.1:PORT/x',
    'dict://127.0.0.1:PORT/d:x',
    'finger://127.0.0.1:PORT/x',
    'wais://127.0.0.1:PORT/x',
    'data:,x',
    'man:ls',
    'file:///etc/passwd',
    'file://127.0.0.1/etc/passwd',
    'javascript:alert(1)',
    'view-source:http://127.0.0.1:PORT/',
    'URL:http://127.0.0.1:PORT/',
    'HTTP+x://127.0.0.1:PORT/',
  ])('%s is not followed, and shown', async (target) => {
    const location = target.replace('PORT', String(bystander.port))
    await using server = await scriptedHttp(() => redirectTo(location))
    const { error, events } = await told(server.url, { policy: { allowInward: true, allowDowngrade: true } })
    expect(error?.code).toMatch(/^(refused|protocol-violation)$/)
    expect(error).toMatchObject({ phase: 'policy' })
    expect(error?.message).toContain(location.slice(0, location.indexOf(':')))
    expect(events.filter(({ type }) => type === 'redirected')).toEqual([])
    expect(server.lines).toEqual(['GET / HTTP/1.1'])
    expect(bystander.connections).toBe(0)
  })
})

describe('case 15, what is meant for one origin goes to no other', () => {
  const headers = {
    Authorization: `Bearer ${secret}`,
    Cookie: `id=${secret}`,
    'X-Api-Key': secret,
    Referer: `http://${secret}.example/`,
    'Accept-Language': 'de',
    'User-Agent': 'mine/1',
  }

  /** Two servers, of which the first points to the second, and that back again. */
  async function hops(
    to: (other: ScriptedHttp) => string,
    use: (first: ScriptedHttp, second: ScriptedHttp) => Promise<void>,
    tls = false,
  ): Promise<void> {
    let home = ''
    await using second = await scriptedHttp(() => redirectTo(`${home}back`), { tls })
    const script: HttpScript = ({ target }) => (target === '/back' ? ok('home') : redirectTo(to(second)))
    await using first = await scriptedHttp(script)
    home = first.url
    await use(first, second)
  }

  test('another port: neither there nor on the way back', () =>
    hops(
      (other) => `${other.url}x`,
      async (first, second) => {
        const { text } = await told(first.url.replace('//', `//alice:${secret}@`), {}, { headers })
        expect(text).toBe('home')
        expect(first.lines).toEqual(['GET / HTTP/1.1', 'GET /back HTTP/1.1'])
        expect(second.lines).toEqual(['GET /x HTTP/1.1'])
        expect(first.heads[0]).toContain(`Cookie: id=${secret}`)
        for (const { head, fields } of [second.asked[0], first.asked[1]] as Asked[]) {
          expect(head).not.toContain(secret)
          expect(head).not.toMatch(/^(authorization|cookie|x-api-key|referer|from|origin):/im)
          expect(fields['accept-language']).toBe('de')
          expect(fields['user-agent']).toBe('mine/1')
        }
      },
    ))

  test('another spelling of the host is another host', () =>
    hops(
      (other) => other.url.replace('127.0.0.1', 'localhost'),
      async (first, second) => {
        await told(first.url.replace('//', `//alice:${secret}@`), {}, { headers })
        expect(second.heads.join('')).not.toContain(secret)
        expect(second.heads.join('')).not.toContain(Buffer.from(`alice:${secret}`).toString('base64'))
      },
    ))

  test('another scheme', async () => {
    await using second = await scriptedHttp(() => ok('x'), { tls: true })
    await using first = await scriptedHttp(() => redirectTo(second.url))
    const url = first.url.replace('//', `//alice:${secret}@`)
    expect((await told(url, { tls: { ca: testCa } }, { headers })).text).toBe('x')
    expect(second.heads).toHaveLength(1)
    expect(second.heads[0]).not.toContain(secret)
    expect(second.heads[0]).not.toMatch(/^authorization:/im)
  })

  test('the same origin keeps it', async () => {
    await using server = await scriptedHttp(({ index }) => (index === 0 ? redirectTo('/y') : ok('x')))
    await told(server.url, {}, { headers })
    expect(server.heads[1]).toContain(`Cookie: id=${secret}`)
  })
})

describe('case 16, a login is for whom it was asked', () => {
  test('the callback learns who asks, after a redirect too, and of no user of another host', async () => {
    await using second = await scriptedHttp(({ fields }) =>
      fields.authorization ? ok('in') : challenge('Basic realm="b"'),
    )
    await using first = await scriptedHttp(() => redirectTo(second.url))
    const asked: unknown[] = []
    const credentials: ClientOptions['credentials'] = ({ host, port, user, realm }) => {
      asked.push({ host, port, user, realm })
      return { user: 'bob', password: secret }
    }
    const { text } = await told(first.url.replace('//', '//alice@'), { credentials })
    expect(text).toBe('in')
    expect(asked).toEqual([{ host: '127.0.0.1', port: second.port, user: null, realm: 'b' }])
    expect(first.heads.join('')).not.toMatch(/^authorization:/im)
    expect(second.asked[1]?.fields.authorization).toBe(basic(`bob:${secret}`))
  })

  test('a login that served one origin is not offered to the next', async () => {
    await using second = await scriptedHttp(() => challenge('Basic realm="a"'))
    await using first = await scriptedHttp(({ fields }) =>
      fields.authorization ? redirectTo(second.url) : challenge('Basic realm="a"'),
    )
    const credentials: ClientOptions['credentials'] = ({ port }) =>
      port === first.port ? { user: 'alice', password: secret } : null
    const { error } = await told(first.url, { credentials })
    expect(error).toMatchObject({ code: 'auth-required' })
    expect(second.asked).toHaveLength(1)
    expect(second.heads[0]).not.toMatch(/^authorization:/im)
  })
})

describe('case 19, a redirect of a public host inward (addresses of names: case 21)', () => {
  const inward = ['127.0.0.1', '0x7f.1', '2130706433', '0177.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']
  const far = ['169.254.169.254', '[fe80::1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]']

  test.each([...inward, ...far, 'localhost', 'localhost.', 'x.localhost', '127。0。0。1'])('%s', async (host) => {
    // A proxy makes the host public without a way to it.
    await using proxy = await scriptedHttp(() => redirectTo(`http://${encodeURI(host)}:${bystander.port}/latest`))
    const { error } = await told('http://www.example/', {
      proxy: ({ host }) => (host === 'www.example' ? `http://127.0.0.1:${proxy.port}` : null),
    })
    expect(error?.code).toMatch(/^(refused|protocol-violation)$/)
    expect(proxy.lines).toEqual(['GET http://www.example/ HTTP/1.1'])
    expect(bystander.connections).toBe(0)
    if (error?.code === 'refused') expect(error.message).toContain('allowInward')
  })
})

describe('cases 22 and 23, authorities that two parsers read as two hosts', () => {
  test.each([
    'http://127.0.0.1:A &@127.0.0.1:B# @127.0.0.1:C/',
    'http://a@127.0.0.1:A:80@127.0.0.1:B/',
    'http://127.0.0.1:A\\@127.0.0.1:B/',
    'http://127.0.0.1:A\t@127.0.0.1:B/',
    'http://127.0.0.1:A\n@127.0.0.1:B/',
    'http://127.0.0.1%2F@127.0.0.1%00:A/',
    'http://127.0.0.1%2F10.0.0.1:A/',
    'http://127.0.0.1%3AA/',
    'http://127.0.0.1%0d%0aHost:%20x:A/',
    'http://127.0.0.1:A%20/',
    'http://127.0.0.1:A\0/',
    'http:\\\\127.0.0.1:A/',
    'ht\ntp://127.0.0.1:A/',
    'gopher://127.0.0.1%00b:A/',
    'gopher://127.0.0.1%0d%0ab:A/0x',
    'gopher://127.0.0.1:A/0\tx',
  ])('%j is no URL: no server is asked', async (text) => {
    await using other = await victim()
    const url = text.replace(':A', `:${bystander.port}`).replace(':B', `:${other.port}`).replace(':C', `:${other.port}`)
    const { error } = await told(url)
    expect(error?.code).toMatch(/^(malformed-url|refused)$/)
    expect(bystander.connections + other.connections).toBe(0)
  })

  test.each([
    ['http://127.0.0.1:9%2F@127.0.0.1:A/', '/'],
    ['http://127.0.0.1:A/?@127.0.0.1:B/', '/?@127.0.0.1:B/'],
    ['http://127.0.0.1:A/@127.0.0.1:B/', '/@127.0.0.1:B/'],
    ['http://a;b@127.0.0.1:A/', '/'],
    ['http://127.0.0.1:A#@127.0.0.1:B/', '/'],
  ])('%j has the host that is shown, asked and named', async (text, target) => {
    await using server = await scriptedHttp(() => ok('x'))
    const url = text.replace(':A', `:${server.port}`).replaceAll(':B', `:${bystander.port}`)
    expect((await told(url)).text).toBe('x')
    expect(resolve(url).plan).toMatchObject({ host: '127.0.0.1', port: server.port })
    expect(server.lines).toEqual([`GET ${target.replace(':B', `:${bystander.port}`)} HTTP/1.1`])
    expect(server.asked[0]?.fields.host).toBe(`127.0.0.1:${server.port}`)
    expect(bystander.connections).toBe(0)
  })
})

describe('cases 6 and 27, HTTP splitting: one request, of the lines that were meant', () => {
  test.each([
    [{ headers: { X: 'a\r\nY: b' } }],
    [{ headers: { X: 'a\nY: b' } }],
    [{ headers: { X: 'a\0' } }],
    [{ headers: { X: '\u010d\u010aY: b' } }],
    [{ headers: { 'X\r\nY': 'b' } }],
    [{ headers: { 'X:': 'b' } }],
    [{ headers: { '': 'b' } }],
    [{ headers: { Host: 'other.example' } }],
    [{ headers: { 'content-length': '5' } }],
    [{ headers: { 'Transfer-Encoding': 'chunked' } }],
    [{ headers: { Connection: 'X' } }],
    [{ accept: 'a\r\nY: b' }],
    [{ http: { ifNoneMatch: '"a"\r\nY: b' } }],
  ])('%j is refused', async (request) => {
    await using server = await scriptedHttp(() => ok('x'))
    await using client = createClient()
    await expect(client.retrieve(server.url, request)).rejects.toMatchObject({ code: 'invalid-option' })
    expect(server.sockets).toEqual([])
  })

  test.each([
    ['\u010d\u010aX:y', '/%C4%8D%C4%8AX:y'],
    ['%0d%0aX:%20y', '/%0d%0aX:%20y'],
    ['a%00b', '/a%00b'],
    ['?q=\u560a\u560d', '/?q=%E5%98%8A%E5%98%8D'],
  ])('the path %j stays one', async (path, target) => {
    await using server = await scriptedHttp(() => ok('x'))
    const { text, error } = await told(server.url + path)
    // Refusing is right too; what is sent is one line.
    if (error === null) expect({ text, lines: server.lines }).toEqual({ text: 'x', lines: [`GET ${target} HTTP/1.1`] })
    else expect(server.sockets).toEqual([])
  })

  test.each([
    ['/%0d%0aX:%20y', 'GET /%0d%0aX:%20y HTTP/1.1'],
    ['/a b', null],
    ['/a\tb', null],
    ['/a\x7f', null],
    ['/\u010d\u010aX: y', null],
    ['/\xe5\x98\x8a', 'GET /%E5%98%8A HTTP/1.1'],
  ])('a Location of %j', async (location, line) => {
    const octets = Buffer.from(location, 'latin1').toString('latin1')
    await using server = await scriptedHttp(({ index }) => (index === 0 ? redirectTo(octets) : ok('x')))
    await told(server.url)
    for (const head of server.heads) expect(head).toMatch(/^GET \/[!-~]* HTTP\/1\.1\r\n([A-Za-z-]+: [ -~]*\r\n)+\r\n$/)
    for (const { fields } of server.asked) expect(fields).not.toHaveProperty('x')
    if (line !== null) expect(server.lines.at(-1)).toBe(line)
  })
})

describe('case 35, a certificate that proves nothing, even where it is trusted', () => {
  test.each(Object.entries(badCertificates))('%s', async (_, cert) => {
    await using server = await scriptedHttp(() => ok('x'), { tls: { cert, key: testKey } })
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    for (const env of [undefined, '0']) {
      try {
        if (env !== undefined) process.env.NODE_TLS_REJECT_UNAUTHORIZED = env
        const { error } = await told(server.url, { tls: { ca: cert } }, { headers: { Cookie: secret } })
        expect(error).toMatchObject({ code: 'certificate', phase: 'tls' })
      } finally {
        if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
        else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
      }
    }
    expect(server.heads).toEqual([])
  })
})

describe('case 38, a connection that was another’s (trust: http.test.ts; proxies: proxy.test.ts)', () => {
  test('serves another user with their own login alone, and nobody with none', async () => {
    await using server = await scriptedHttp(({ fields }) => ok(fields.authorization ?? 'nobody'))
    await using client = createClient()
    const as = (login: string) => outcomeOf(client, server.url.replace('//', login === '' ? '//' : `//${login}@`))
    expect((await as('alice:1')).text).toBe(basic('alice:1'))
    expect((await as('bob:2')).text).toBe(basic('bob:2'))
    expect((await as('')).text).toBe('nobody')
    expect((await as('alice:1')).text).toBe(basic('alice:1'))
  })

  test('has no fields of the retrieval before', async () => {
    await using server = await scriptedHttp(() => ok('x'))
    await using client = createClient()
    await outcomeOf(client, server.url, { headers: { Cookie: secret } })
    await outcomeOf(client, server.url)
    expect(server.heads).toHaveLength(2)
    expect(server.heads[1]).not.toContain(secret)
  })
})

describe('case 39, an answer that waits on an idle connection (right after a body: faults.test.ts, R5)', () => {
  test.each([
    ['a whole answer', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong'],
    ['408, as servers say it before they close', 'HTTP/1.1 408 T\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
    ['one octet', 'H'],
    ['a blank line', '\r\n'],
  ])('%s is no answer to what is asked later', async (_, queued) => {
    await using server = await scriptedHttp(({ index }) => ok(`right ${index}`))
    await using client = createClient()
    expect((await outcomeOf(client, server.url)).text).toBe('right 0')
    const [socket] = server.sockets
    socket?.write(queued)
    await server.closed()
    expect((await outcomeOf(client, server.url)).text).toBe('right 1')
    expect(server.sockets).toHaveLength(2)
  })
})

describe('case 47, secrets: in no message, cause, stack or event, wherever it fails', () => {
  const headers = {
    Authorization: `Token ${secret}`,
    Cookie: `id=${secret}`,
    'X-Api-Key': secret,
    'X-Auth-Token': secret,
  }
  const query = `?sig=${secret}&token=${secret}&X-Amz-Signature=${secret}`

  test.each<[string, HttpScript]>([
    ['no answer', () => ({ octets: '', end: 'fin' })],
    ['no HTTP', () => ({ octets: '220 mail\r\n', end: 'fin' })],
    ['401', () => challenge('Basic realm="r"')],
    ['404', () => 'HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n'],
    ['a cut body', () => ({ octets: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', end: 'fin' })],
    ['a redirect that repeats them', () => redirectTo(`ftp://u:${secret}@h/?token=${secret}`)],
    ['a redirect to itself', () => redirectTo(`/${query}`)],
    ['nothing: it serves', () => ok('x', [`Set-Cookie: id=${secret}`])],
  ])('%s', async (_, script) => {
    await using server = await scriptedHttp(script)
    const { error, events } = await told(
      `${server.url.replace('//', `//u:${secret}@`)}${query}`,
      { limits: { maxRedirects: 2 } },
      { headers },
    )
    const encoded = Buffer.from(`u:${secret}`).toString('base64')
    for (const form of [secret, encoded, encodeURIComponent(secret)]) {
      expect(everythingIn(error)).not.toContain(form)
      expect(JSON.stringify(events)).not.toContain(form)
    }
    expect(server.heads[0]).toContain(`Cookie: id=${secret}`)
  })
})

describe('case 48, userinfo in a Location (client.test.ts has the plans)', () => {
  test.each(['http://mallory:pw@HOST/y', '//mallory:pw@HOST/y', '//@HOST/y', 'http://:@HOST/y'])('%s', async (to) => {
    await using second = await scriptedHttp(() => ok('x'))
    const location = to.replace('HOST', `127.0.0.1:${second.port}`)
    await using first = await scriptedHttp(() => redirectTo(location))
    const { text, error } = await told(first.url)
    if (error !== null) expect(error.code).toBe('protocol-violation')
    else expect(text).toBe('x')
    for (const head of second.heads) expect(head).not.toMatch(/authorization|mallory/i)
  })

  test('of the same origin neither takes the place of ours', async () => {
    await using server = await scriptedHttp(({ index }) =>
      index === 0 ? redirectTo(`http://mallory:pw@127.0.0.1:${server.port}/y`) : ok('x'),
    )
    await told(server.url.replace('//', '//alice:1@'))
    expect(server.asked.map(({ fields }) => fields.authorization)).toEqual([basic('alice:1'), basic('alice:1')])
  })
})

describe('case 49, from https to http', () => {
  test('is refused, and the way is named; allowed, it is another origin', async () => {
    await using clear = await scriptedHttp(() => ok('clear'))
    await using secure = await scriptedHttp(() => redirectTo(clear.url), { tls: true })
    const options: ClientOptions = { tls: { ca: testCa } }
    const { error } = await told(secure.url, options)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('allowDowngrade') })
    expect(clear.sockets).toEqual([])
    const url = secure.url.replace('//', `//alice:${secret}@`)
    const allowed = await told(url, { ...options, policy: { allowDowngrade: true } }, { headers: { Cookie: secret } })
    expect(allowed.text).toBe('clear')
    expect(clear.heads.join('')).not.toMatch(/authorization|cookie/i)
  })

  test('nor by the way of an http redirect that comes from https', async () => {
    await using secure = await scriptedHttp(() => redirectTo(`http://127.0.0.1:${bystander.port}/`), { tls: true })
    await using clear = await scriptedHttp(() => redirectTo(secure.url))
    expect((await told(clear.url, { tls: { ca: testCa } })).error).toMatchObject({ code: 'refused' })
    expect(bystander.connections).toBe(0)
  })
})

describe('case 50, each proxy has its own login (proxy.test.ts: through a tunnel)', () => {
  test('also where a redirect leads from one to the other, and to none', async () => {
    await using last = await scriptedHttp(() => ok('x'))
    await using second = await scriptedHttp(() => redirectTo(last.url))
    await using first = await scriptedHttp(() => redirectTo('http://b.example/'))
    const proxies: Readonly<Record<string, string>> = {
      'a.example': `http://alice:1@127.0.0.1:${first.port}`,
      'b.example': `http://bob:2@127.0.0.1:${second.port}`,
    }
    const { text } = await told('http://a.example/', {
      proxy: ({ host }) => proxies[host] ?? null,
      policy: { allowInward: true },
    })
    expect(text).toBe('x')
    const logins = [first, second, last].map(({ asked }) => asked.map(({ fields }) => fields['proxy-authorization']))
    expect(logins).toEqual([[basic('alice:1')], [basic('bob:2')], [undefined]])
  })
})

describe('case 78, a path that looks like an origin', () => {
  test.each([
    ['//127.0.0.1:PORT/x', '//127.0.0.1:PORT/x'],
    ['/http://127.0.0.1:PORT/x', '/http://127.0.0.1:PORT/x'],
    ['/@127.0.0.1:PORT/x', '/@127.0.0.1:PORT/x'],
    ['/..//127.0.0.1:PORT/x', '//127.0.0.1:PORT/x'],
    ['/a/..//127.0.0.1:PORT/x', '//127.0.0.1:PORT/x'],
  ])('%s is asked of the server of the URL', async (path, target) => {
    const withPort = (text: string): string => text.replace('PORT', String(bystander.port))
    await using server = await scriptedHttp(() => ok('x'))
    expect((await told(server.url.replace(/\/$/, withPort(path)))).text).toBe('x')
    expect(server.lines).toEqual([`GET ${withPort(target)} HTTP/1.1`])
    expect(bystander.connections).toBe(0)
  })

  test('a redirect to such a path, too', async () => {
    const path = `/.//127.0.0.1:${bystander.port}/x`
    await using server = await scriptedHttp(({ index }) => (index === 0 ? redirectTo(path) : ok('x')))
    expect((await told(server.url)).text).toBe('x')
    expect(bystander.connections).toBe(0)
    expect(server.asked).toHaveLength(2)
  })
})

test('case 84, neither Referer nor From is ever sent (CVE-2021-22876)', async () => {
  await using last = await scriptedHttp(() => ok('x'))
  await using second = await scriptedHttp(({ index }) => redirectTo(index === 0 ? '/again' : last.url))
  await using first = await scriptedHttp(() => redirectTo(second.url))
  const { text } = await told(first.url.replace('//', `//alice:${secret}@`))
  expect(text).toBe('x')
  const heads = [first, second, last].flatMap((server) => server.heads)
  expect(heads).toHaveLength(4)
  for (const head of heads) expect(head).not.toMatch(/^(referer|from|origin|cookie):/im)
  expect(heads.slice(1).join('')).not.toMatch(new RegExp(`authorization|alice|${secret}`, 'i'))
})
