import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startFtpServer, startHttpServer, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'
import { httpProxy, type ProxyScript, type SocksOptions, scriptedProxy } from '../../support/wire/scripted-proxy.ts'
import { ok } from './support/http-answers.ts'

const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`

/** The outcome of one URL through a proxy that does this; nothing may be open after it. */
async function through(
  script: ProxyScript,
  url: string,
  { login = '', kind = 'http', ...options }: ClientOptions & { login?: string; kind?: string } = {},
) {
  await using proxy = await scriptedProxy(script, { tls: kind === 'https' })
  const events: RetrievalEvent[] = []
  await using client = createClient({
    proxy: `${kind}://${login}127.0.0.1:${proxy.port}`,
    limits: { maxRetries: 0 },
    onEvent: (event) => events.push(event),
    ...options,
  })
  const outcome = client.retrieve(url).then(async (representation) => ({
    representation,
    text: await representation.text(),
  }))
  await outcome.catch(() => {})
  await client.close()
  await proxy.closed()
  return { outcome, heard: proxy.heard, targets: proxy.targets, port: proxy.port, events }
}

const textThrough = async (...args: Parameters<typeof through>) => {
  const { outcome, ...rest } = await through(...args)
  return { ...(await outcome), ...rest }
}
const failureThrough = async (...args: Parameters<typeof through>) => failure((await through(...args)).outcome)

const answering =
  (answer: string): ProxyScript =>
  async (peer) => {
    await peer.head()
    await peer.say(answer)
  }

describe('a tunnel', () => {
  test.each<NonNullable<SocksOptions['how']>>(['whole', 'bytewise', 'glued'])(
    'brings FTP whole, for data too, however the proxy answers (%s)',
    async (how) => {
      await using server = await startFtpServer()
      // Data connections wait for no greeting, so theirs cannot be glued.
      const script: ProxyScript = (peer, proxy) =>
        httpProxy(how === 'glued' && proxy.targets.length > 0 ? {} : { how })(peer, proxy)
      const url = `ftp://ftp.example:${server.port}/pub/hello.txt`
      const { text, targets, heard, port, events } = await textThrough(script, url, { proxyTunnel: true })
      expect(text).toBe('Hello, world.\n')
      const ports = targets.map((target) => Number(/^ftp\.example:(\d+)$/.exec(target)?.[1]))
      expect(ports).toHaveLength(2)
      expect(ports[0]).toBe(server.port)
      const requests = targets.map((target) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
      expect(heard).toEqual(requests)
      const way = { url, address: 'ftp.example', tls: false, proxy: `http://127.0.0.1:${port}` }
      const connected = events.filter(({ type }) => type === 'connected')
      expect(connected).toMatchObject(ports.map((each) => ({ type: 'connected', port: each, ...way })))
      const octets = events.flatMap((event) => (event.type === 'sent' || event.type === 'received' ? event.octets : []))
      expect(octets.slice(0, 3)).toEqual([requests[0], 'HTTP/1.1 200 OK\r\n\r\n', expect.stringMatching(/^220 /)])
    },
  )

  test.each([
    ['http', 'https'],
    ['https', 'https'],
    ['http', 'ftps'],
    ['https', 'ftps'],
  ] as const)('through an %s proxy brings %s, by the certificate of the server', async (kind, scheme) => {
    const start = scheme === 'https' ? startHttpServer : startFtpServer
    await using server = await start({ tls: true })
    const tls = { ca: testCa }
    const url = (host: string): string => `${scheme}://${host}:${server.port}/pub/hello.txt`
    const { text, targets } = await textThrough(httpProxy(), url('localhost'), { kind, tls })
    expect(text).toBe('Hello, world.\n')
    expect(targets[0]).toBe(`localhost:${server.port}`)
    const error = await failureThrough(httpProxy(), url('other.example'), { kind, tls })
    expect(error).toMatchObject({ code: 'certificate', phase: 'tls' })
    expect(error.message).toContain(`The certificate of other.example:${server.port}`)
  })

  test('through an https proxy brings plain FTP', async () => {
    await using server = await startFtpServer()
    const options = { kind: 'https', tls: { ca: testCa }, proxyTunnel: true }
    const { text } = await textThrough(httpProxy(), `ftp://ftp.example:${server.port}/pub/hello.txt`, options)
    expect(text).toBe('Hello, world.\n')
  })

  test('is made in no TLS that the proxy has no certificate for, --insecure or not', async () => {
    const options = { kind: 'https', tls: { insecure: true } }
    const error = await failureThrough(httpProxy(), 'https://www.example/', options)
    expect(error).toMatchObject({ code: 'certificate', phase: 'tls' })
    expect(error.message).toMatch(/The certificate of the proxy https:\/\/127\.0\.0\.1:\d+ is not trusted/)
  })

  test.each([
    ['[2001:db8::1]', '[2001:db8::1]'],
    ['[fe80::1%25eth0]', '[fe80::1]'],
    ['B%C3%BCcher.example', 'xn--bcher-kva.example'],
  ])('to %s is to %s', async (host, expected) => {
    const { heard } = await through(answering('HTTP/1.1 403 No\r\n\r\n'), `https://${host}/`)
    expect(heard).toEqual([`CONNECT ${expected}:443 HTTP/1.1\r\nHost: ${expected}:443\r\n\r\n`])
  })

  test.each([
    [
      'of content, which there is none of (RFC 9110 9.3.6)',
      { fields: 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n' },
    ],
    ['of nobody', { fields: 'Connection: close\r\nProxy-agent: x\r\n' }],
  ])('begins after the header section, with fields %s', async (_, options) => {
    await using server = await startHttpServer({ hosts: ['*'] })
    const url = `http://www.example:${server.port}/pub/hello.txt`
    expect((await textThrough(httpProxy(options), url, { proxyTunnel: true })).text).toBe('Hello, world.\n')
  })

  test.each([
    'HTTP/1.0 200 Connection established\r\n\r\n',
    'HTTP/1.1 204\r\n\r\n',
    'HTTP/1.1 200 OK\n\n',
    'HTTP/1.1 100 x\r\n\r\nHTTP/1.1 200 y\r\n\r\n',
  ])('is what %j makes', async (answer) => {
    await using server = await startHttpServer({ hosts: ['*'] })
    const script: ProxyScript = async (peer) => {
      await peer.head()
      await peer.relay('127.0.0.1', server.port, answer)
    }
    const url = `http://www.example:${server.port}/pub/hello.txt`
    expect((await textThrough(script, url, { proxyTunnel: true })).text).toBe('Hello, world.\n')
  })

  test('is told from the same way without one: no connection is taken for another (case 38)', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using one = await scriptedProxy(httpProxy())
    await using other = await scriptedProxy(httpProxy())
    const ways: (string | null)[] = [
      `http://127.0.0.1:${one.port}`,
      `http://127.0.0.1:${other.port}`,
      `http://u:p@127.0.0.1:${one.port}`,
      null,
      `http://127.0.0.1:${one.port}`,
    ]
    let hop = 0
    await using client = createClient({ proxyTunnel: true, proxy: () => ways[hop++] })
    for (const _ of ways)
      expect(await (await client.retrieve(`${server.url}pub/hello.txt`)).text()).toBe('Hello, world.\n')
    expect({ one: one.heard.length, other: other.heard.length, all: server.accepted }).toEqual({
      one: 2,
      other: 1,
      all: 4,
    })
  })
})

describe('a proxy that makes none', () => {
  test.each([
    [403, /its rules forbid it/],
    [404, /makes no tunnels, or none to that target/],
    [405, /makes no tunnels/],
    [502, /it could not/],
    [504, /it could not/],
  ])('and answers %i, is connect-failed', async (status, message) => {
    const answer = `HTTP/1.1 ${status} Because \x1b[2J\r\nContent-Length: 3\r\n\r\nNo.`
    const error = await failureThrough(answering(answer), 'ftps://ftp.example/x')
    expect(error).toMatchObject({ code: 'connect-failed', phase: 'connect', status })
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/did not connect to ftp\.example:990: .* \(\d+ Because \\e\[2J\)$/)
  })

  test.each([407, 401])('until it is told who asks, wants a login (%i)', async (status) => {
    const script = answering(`HTTP/1.1 ${status} Who\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n`)
    const none = await failureThrough(script, 'ftps://ftp.example/x')
    expect(none).toMatchObject({
      code: 'auth-required',
      status,
      message: expect.stringMatching(/wants a login; give `proxy: "http:\/\/USER:\*\*\*@127\.0\.0\.1:\d+"`/),
    })
    const wrong = await through(script, 'ftps://ftp.example/x', { login: 'alice:s3cr3t@' })
    expect(await failure(wrong.outcome)).toMatchObject({ code: 'auth-failed', status })
    // Asked once, and not again with the same.
    expect(wrong.heard).toHaveLength(1)
    expect(wrong.heard[0]).toContain(`\r\nProxy-Authorization: ${basic('alice:s3cr3t')}\r\n\r\n`)
  })

  test.each([
    ['another protocol', 'SSH-2.0-x\r\n', /does not speak HTTP; its answer begins: SSH-2\.0-x/],
    ['SOCKS 5', '\x05\xff', /begins: \\x05/],
    ['a part of another protocol', '220 rea', /begins: 220 rea/],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n', /begins: HTTP\/2 200/],
    ['no status', 'HTTP/1.1 OK\r\n\r\n', /begins: HTTP\/1\.1 OK/],
    ['interim answers', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(12), /over 10 interim answers/],
  ])('but speaks %s, breaks the protocol', async (_, answer, message) => {
    const script: ProxyScript = async (peer) => {
      await peer.head()
      await peer.say(answer)
      peer.socket.end()
    }
    const error = await failureThrough(script, 'https://www.example/')
    expect(error).toMatchObject({ code: 'protocol-violation', phase: 'connect' })
    expect(error.message).toMatch(message)
  })

  test.each(['', 'HTTP/1.1 2', 'HTTP/1.1 200 OK\r\nA: b\r\n'])(
    'but closes after %j, gave no answer',
    async (answer) => {
      const script: ProxyScript = async (peer) => {
        await peer.head()
        await peer.say(answer)
        peer.socket.end()
      }
      expect(await failureThrough(script, 'https://www.example/')).toMatchObject({ code: 'receive-failed' })
    },
  )

  test.each(['', 'HTTP/1.1 2', 'HTTP/1.1 200 OK\r\nA: b\r\n'])(
    'but is silent after %j, is out of time',
    async (answer) => {
      const error = await failureThrough(answering(answer), 'https://www.example/', { limits: { connectTimeout: 50 } })
      expect(error).toMatchObject({ code: 'timeout', phase: 'connect' })
    },
  )

  test.each([
    ['lines', 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'],
    ['one line', '', 'x'],
  ])('but sends %s without end, is stopped at the limit', async (_, first, more) => {
    const script: ProxyScript = async (peer) => {
      await peer.head()
      await peer.say(first)
      while (!peer.socket.destroyed) await peer.say(more.repeat(20), true)
    }
    const error = await failureThrough(script, 'https://www.example/', { limits: { maxReply: 2000 } })
    expect(error).toMatchObject({ code: 'limit-exceeded', phase: 'connect' })
  })

  test.each([
    [98, 'connect-failed'],
    [97, 'limit-exceeded'],
  ])('is heard to the limit of %i octets, and no further', async (maxReply, code) => {
    // 98 octets with their line ends, which count as all others.
    const answer = `HTTP/1.1 403 No\r\nX: ${'y'.repeat(74)}\r\n\r\n`
    expect(answer).toHaveLength(98)
    const error = await failureThrough(answering(answer), 'https://www.example/', { limits: { maxReply } })
    expect(error).toMatchObject({ code })
  })

  test('is left at once by an abort', async () => {
    const abort = new AbortController()
    await using proxy = await scriptedProxy(async (peer) => {
      await peer.head()
      abort.abort('enough')
    })
    await using client = createClient({ proxy: `http://127.0.0.1:${proxy.port}` })
    const error = await failure(client.retrieve('https://www.example/', { signal: abort.signal }))
    expect(error).toMatchObject({ code: 'aborted', cause: 'enough' })
    await proxy.closed()
  })

  test('but speaks before TLS, is found out (threats.md case 81)', async () => {
    const script = answering('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')
    const error = await failureThrough(script, 'https://www.example/', { tls: { insecure: true } })
    expect(error).toMatchObject({ code: 'protocol-violation', message: expect.stringMatching(/before TLS had begun/) })
  })

  test('but answers for the server, is not believed', async () => {
    const script = answering(`HTTP/1.1 200 OK\r\n\r\n${ok('forged')}`)
    const error = await failureThrough(script, 'http://www.example/', { proxyTunnel: true })
    expect(error.code).toBe('protocol-violation')
  })
})

describe('a URL asked of the proxy', () => {
  test('is asked in absolute form, with the login of the proxy and that of the server', async () => {
    const { text, heard, port, events } = await textThrough(httpProxy(), 'http://bob:pw@www.example:81/a?b', {
      login: 'alice:s3cr3t@',
    })
    expect(text).toBe('through the proxy\n')
    expect(heard).toEqual([
      [
        'GET http://www.example:81/a?b HTTP/1.1',
        'Host: www.example:81',
        'Connection: keep-alive',
        'User-Agent: Retriever/0.2',
        'Accept: */*',
        'Accept-Encoding: identity',
        `Proxy-Authorization: ${basic('alice:s3cr3t')}`,
        `Authorization: ${basic('bob:pw')}`,
        '\r\n',
      ].join('\r\n'),
    ])
    const shown = heard[0]?.replace(/Basic \S+/g, 'Basic <password>')
    expect(events.find((event) => event.type === 'sent')).toMatchObject({ octets: shown })
    expect(events.find((event) => event.type === 'connected')).toMatchObject({
      address: '127.0.0.1',
      port,
      tls: false,
      proxy: `http://127.0.0.1:${port}`,
    })
  })

  test('comes from an https proxy too, within its TLS', async () => {
    const { text, heard } = await textThrough(httpProxy(), 'http://www.example/', {
      kind: 'https',
      tls: { ca: testCa },
    })
    expect(text).toBe('through the proxy\n')
    expect(heard[0]).toMatch(/^GET http:\/\/www\.example\/ HTTP\/1\.1\r\nHost: www\.example\r\n/)
  })

  test('is asked over one connection as long as that lasts', async () => {
    await using proxy = await scriptedProxy(httpProxy())
    await using client = createClient({ proxy: `http://127.0.0.1:${proxy.port}` })
    for (const path of ['a', 'b']) await (await client.retrieve(`http://www.example/${path}`)).text()
    expect(proxy.heard.join('').match(/^GET \S+/gm)).toEqual(['GET http://www.example/a', 'GET http://www.example/b'])
    expect(proxy.heard).toHaveLength(1)
  })

  test('by a redirect to TLS goes through a tunnel, in which the proxy has no login (threats.md case 50)', async () => {
    await using server = await startHttpServer({ tls: true })
    const answer = (): string =>
      `HTTP/1.1 301 See\r\nLocation: https://localhost:${server.port}/echo\r\nContent-Length: 0\r\n\r\n`
    const { text, heard } = await textThrough(httpProxy({ login: 'alice:s3cr3t', answer }), 'http://www.example/', {
      login: 'alice:s3cr3t@',
      tls: { ca: testCa },
      policy: { allowInward: true },
    })
    expect(heard.map((request) => request.split(' ')[0])).toEqual(['GET', 'CONNECT'])
    for (const request of heard) expect(request).toContain(basic('alice:s3cr3t'))
    expect(text).toMatch(/^GET \/echo HTTP\/1\.1\r\n/)
    expect(text).not.toMatch(/authorization/i)
  })

  test.each([
    ['', 'auth-required', /wants a login/],
    ['alice:wrong@', 'auth-failed', /refused its user or password/],
  ])('of one that wants a login, with "%s"', async (login, code, message) => {
    const { outcome, heard } = await through(httpProxy({ login: 'alice:s3cr3t' }), 'http://www.example/', { login })
    const error = await failure(outcome)
    expect(error).toMatchObject({ code, status: 407, message: expect.stringMatching(message) })
    expect(heard.join('').match(/^GET/gm)).toHaveLength(1)
  })

  test('is refused by the proxy or the server: the error names both', async () => {
    const script = httpProxy({ answer: () => 'HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n' })
    const error = await failureThrough(script, 'http://www.example/')
    expect(error).toMatchObject({ code: 'http-error', status: 503 })
    expect(error.message).toMatch(
      /The proxy http:\/\/127\.0\.0\.1:\d+, or the server behind it, refused or failed\. \(503 x\)/,
    )
  })

  test.each([
    ['\x05\xff', /The proxy http:\S+ does not speak HTTP/],
    ['', /The proxy http:\S+ closed the connection without an answer/],
  ])('of something else that says %j', async (answer, message) => {
    const script: ProxyScript = async (peer) => {
      await peer.head()
      await peer.say(answer)
      peer.socket.end()
    }
    expect((await failureThrough(script, 'http://www.example/')).message).toMatch(message)
  })
})

describe('an ftp URL asked of the proxy', () => {
  const answer = (_target: string, head: string): string => {
    if (!head.includes('alice@')) return ok('anonymous', ['Content-Type: application/octet-stream'])
    if (head.includes(`\r\nAuthorization: ${basic('alice:s3cr3t')}\r\n`)) return ok('for alice')
    return 'HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm="FTP alice"\r\nContent-Length: 0\r\n\r\n'
  }

  test('is what the proxy makes of it', async () => {
    const { text, representation, heard, events } = await textThrough(
      httpProxy({ answer }),
      'ftp://ftp.example/pub/a%20b',
    )
    expect(text).toBe('anonymous')
    expect(heard[0]).toMatch(/^GET ftp:\/\/ftp\.example\/pub\/a%20b;type=i HTTP\/1\.1\r\nHost: ftp\.example\r\n/)
    expect(heard[0]).not.toMatch(/authorization/i)
    expect(representation).toMatchObject({ url: 'ftp://ftp.example/pub/a%20b', kind: 'object', size: 9 })
    expect(events.filter(({ type }) => type === 'remark')).toEqual([])
    // The plan is what the URL means, not how it is reached.
    expect(events[0]).toMatchObject({ type: 'resolved', plan: { mechanism: 'ftp', name: 'a b' } })
  })

  test('has its user in it, and the password where no log of the proxy has it', async () => {
    const { text, heard, events } = await textThrough(httpProxy({ answer }), 'ftp://alice:s3cr3t@ftp.example:2121/x')
    expect(text).toBe('for alice')
    expect(heard).toHaveLength(1)
    expect(heard[0]).toMatch(/^GET ftp:\/\/alice@ftp\.example:2121\/x;type=i HTTP\/1\.1\r\nHost: ftp\.example:2121\r\n/)
    expect(heard[0]).not.toContain('s3cr3t')
    expect(JSON.stringify(events)).not.toMatch(/s3cr3t|YWxpY2U/)
  })

  test('has the password asked for, of the FTP server, where the proxy asks', async () => {
    const asked: unknown[] = []
    const { text } = await textThrough(httpProxy({ answer }), 'ftp://alice@ftp.example/x', {
      credentials: (challenge) => {
        asked.push(challenge)
        return { user: 'alice', password: 's3cr3t' }
      },
    })
    expect(text).toBe('for alice')
    expect(asked).toEqual([{ realm: 'FTP alice', host: 'ftp.example', port: 21, user: 'alice' }])
  })

  test.each(['ftp://ftp.example/pub/', 'ftp://ftp.example/pub;type=d'])('%s is a page, and says so', async (url) => {
    const page = ok('<a href="x">x</a>', ['Content-Type: text/html'])
    const { representation, events } = await textThrough(httpProxy({ answer: () => page }), url)
    expect(representation).toMatchObject({ kind: 'object', mediaType: 'text/html' })
    const remarks = events.flatMap((event) => (event.type === 'remark' ? event.message : []))
    expect(remarks).toEqual([
      expect.stringMatching(/The proxy \S+ turned the directory into a page\..* tunnel: `proxyTunnel`\.$/),
    ])
  })

  test.each([400, 503])('that it does not know (%i) may go through a tunnel', async (status) => {
    const script = httpProxy({ answer: () => `HTTP/1.1 ${status} x\r\nContent-Length: 0\r\n\r\n` })
    const error = await failureThrough(script, 'ftp://ftp.example/x')
    expect(error).toMatchObject({ code: 'http-error', status })
    expect(error.message).toMatch(/If it knows no FTP, go through a tunnel: `proxyTunnel`\./)
  })

  test('is not where a redirect of the proxy leads', async () => {
    const script = httpProxy({
      answer: () => 'HTTP/1.1 301 x\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n',
    })
    const { outcome, heard } = await through(script, 'ftp://ftp.example/x')
    expect(await failure(outcome)).toMatchObject({ code: 'refused' })
    expect(heard).toHaveLength(1)
  })
})

test('the password of a proxy stands in no error and no event, even if the proxy repeats it', async () => {
  const echo: ProxyScript = async (peer) => {
    const secret = basic('alice:s3cr3t').replace('Basic ', '')
    await peer.head()
    await peer.say(`HTTP/1.1 403 s3cr3t ${secret}\r\nX: s3cr3t ${secret}\r\n\r\n`)
  }
  const { outcome, events } = await through(echo, 'https://www.example/', { login: 'alice:s3cr3t@' })
  const { message, stack, reply, cause } = await failure(outcome)
  expect(message).toContain('<password>')
  expect(JSON.stringify([message, stack, reply, String(cause), events])).not.toMatch(/s3cr3t|YWxpY2U/)
})
