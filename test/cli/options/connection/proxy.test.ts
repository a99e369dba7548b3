import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proxyChooser, withLogin } from '../../../../packages/cli/src/options/connection/proxies.ts'
import { parseCommandLine } from '../../../../packages/cli/src/parse.ts'
import { ok } from '../../../protocols/http/support/http-answers.ts'
import { retrieve, useBundle } from '../../../support/cli/run.ts'
import { httpProxy, type ScriptedProxy, scriptedProxy, socks, socks4 } from '../../../support/wire/scripted-proxy.ts'

describe('the proxy of a host', () => {
  const choose = (words: string, env: Readonly<Record<string, string>> = {}, url = 'ftp://www.example.org/') => {
    const { protocol, hostname } = new URL(url)
    const line = parseCommandLine([...words.split(' ').filter((word) => word !== ''), url])
    const host = hostname.replace(/^\[|\]$/g, '')
    return proxyChooser(line, env)({ scheme: protocol.slice(0, -1), host, port: 21 })
  }

  test.each([
    ['', null],
    ['-x p:1', 'p:1'],
    ['--proxy https://u:p@p', 'https://u:p@p'],
    ['--socks4 p', 'socks4://p'],
    ['--socks4a p:9050', 'socks4a://p:9050'],
    ['--socks5 p', 'socks5://p'],
    ['--socks5-hostname p:9050', 'socks5h://p:9050'],
    ['--socks5 p -x q', 'q'],
    ['-x q --socks5 p', 'socks5://p'],
  ])('typed as "%s" is %s', (words, expected) => {
    expect(choose(words)).toBe(expected)
  })

  test.each([
    [{ ftp_proxy: 'a' }, 'ftp:', 'a'],
    [{ FTP_PROXY: 'a' }, 'ftp:', 'a'],
    [{ ftp_proxy: 'a', FTP_PROXY: 'b', all_proxy: 'c' }, 'ftp:', 'a'],
    [{ FTP_PROXY: 'b', all_proxy: 'c' }, 'ftp:', 'b'],
    [{ all_proxy: 'c', ALL_PROXY: 'd' }, 'ftp:', 'c'],
    [{ ALL_PROXY: 'd' }, 'gopher:', 'd'],
    [{ ftp_proxy: '', all_proxy: 'c' }, 'ftp:', null],
    [{ ftp_proxy: 'a' }, 'http:', null],
    [{ http_proxy: 'a' }, 'http:', 'a'],
    [{ https_proxy: 'a', http_proxy: 'b' }, 'https:', 'a'],
    [{ HTTPS_PROXY: 'a' }, 'https:', 'a'],
    [{ http_proxy: 'a' }, 'https:', null],
    // threats.md case 50, CVE-2016-5385: a CGI program's HTTP_PROXY is its client's.
    [{ HTTP_PROXY: 'evil' }, 'http:', null],
    [{ HTTP_PROXY: 'evil', REQUEST_METHOD: 'GET' }, 'http:', null],
    [{ HTTP_PROXY: 'evil', ALL_PROXY: 'd' }, 'http:', 'd'],
    [{ nntp_proxy: 'a' }, 'nntp:', 'a'],
  ])('in %j of %s is %s', (env, scheme, expected) => {
    expect(choose('', env, `${scheme}//www.example.org/`)).toBe(expected)
  })

  test('typed goes before the environment, as does "", which is none', () => {
    expect(choose('-x p', { ftp_proxy: 'a' })).toBe('p')
    expect(choose('--proxy=', { ftp_proxy: 'a' })).toBeNull()
  })

  test.each([
    ['www.example.org', 'www.example.org', true],
    ['WWW.Example.ORG', 'www.example.org', true],
    ['example.org', 'www.example.org', true],
    ['.example.org', 'www.example.org', true],
    ['.example.org', 'example.org', true],
    ['example.org.', 'www.example.org', true],
    ['ample.org', 'www.example.org', false],
    ['www.example.org', 'example.org', false],
    ['other.org, example.org', 'www.example.org', true],
    ['other.org example.org', 'www.example.org', true],
    ['*', 'www.example.org', true],
    ['*.org', 'www.example.org', false],
    ['a,*', 'www.example.org', false],
    ['', 'www.example.org', false],
    [',', 'www.example.org', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.10', false],
    ['0.0.1', '127.0.0.1', false],
    ['127.0.0.0/8', '127.1.2.3', true],
    ['127.0.0.0/8', '128.0.0.1', false],
    ['0.0.0.0/0', '10.1.2.3', true],
    ['10.0.0.0/33', '10.0.0.0', false],
    ['10.0.0.0/8x', '10.0.0.0', false],
    ['10.0.0.0/8', 'ten.example.org', false],
    ['::1', '[::1]', true],
    ['[::1]', '[::1]', true],
    ['2001:db8::/32', '[2001:db8:1::1]', true],
    ['2001:db8::/32', '[2001:db9::1]', false],
    ['10.0.0.0/8', '[2001:db8::1]', false],
    ['*', '[2001:db8::1]', true],
  ])('with --noproxy "%s": is %s without one: %s', (list, host, isExempt) => {
    const url = `ftp://${host}/`
    const expected = isExempt ? null : 'p'
    expect(proxyChooser(parseCommandLine(['-x', 'p', '--noproxy', list, url]), {})(targetOf(host))).toBe(expected)
    expect(choose('', { ftp_proxy: 'p', no_proxy: list }, url)).toBe(expected)
    expect(choose('-x p', { NO_PROXY: list }, url)).toBe(expected)
  })

  test('--noproxy goes before $no_proxy, if it is empty', () => {
    expect(choose('-x p --noproxy=', { no_proxy: '*' })).toBe('p')
  })

  test('has the login of -U in place of its own', () => {
    expect(withLogin('u:p@q@h:1', { user: 'a', password: 'b:@/' })).toBe('http://a:b%3A%40%2F@h:1')
    expect(withLogin('socks5h://h', { user: '\u00fc', password: '' })).toBe('socks5h://%C3%BC:@h')
  })
})

function targetOf(host: string) {
  return { scheme: 'ftp', host: host.replace(/^\[|\]$/g, ''), port: 21 }
}

describe('the command', () => {
  useBundle()
  let servers: TestServers<'http' | 'ftp'>
  let asking: ScriptedProxy
  let tunnelling: ScriptedProxy
  beforeAll(async () => {
    servers = await startServers({ http: { hosts: ['*'] }, ftp: true })
    asking = await scriptedProxy(httpProxy({ login: 'alice:s3cr3t' }))
    tunnelling = await scriptedProxy(socks({ login: 'alice:s3cr3t' }))
  })
  afterAll(async () => {
    await Promise.all([servers.close(), asking[Symbol.asyncDispose](), tunnelling[Symbol.asyncDispose]()])
  })

  const file = (protocol: 'http' | 'ftp'): string => `${servers[protocol].url}pub/hello.txt`
  const http = (login = 'alice:s3cr3t@'): string => `http://${login}127.0.0.1:${asking.port}`

  test.each([
    ['-x', () => ['-x', http()]],
    ['-U', () => ['-x', http(''), '-U', 'alice:s3cr3t']],
    ['-U in place of the URL\u2019s', () => ['-x', http('x:y@'), '--proxy-user', 'alice:s3cr3t']],
  ])('asks an HTTP proxy for URLs, by %s', async (_, options) => {
    for (const url of ['http://www.example/', 'ftp://ftp.example/x']) {
      const outcome = await retrieve([...options(), url])
      expect(outcome).toEqual({ status: 0, stdout: 'through the proxy\n', stderr: '' })
    }
  })

  test.each(['http', 'ftp'] as const)('goes through a tunnel for %s with -p, and through SOCKS', async (protocol) => {
    const hello = { status: 0, stdout: 'Hello, world.\n', stderr: '' }
    expect(await retrieve(['-p', '-x', http(), file(protocol)])).toEqual(hello)
    const port = `127.0.0.1:${tunnelling.port}`
    expect(await retrieve(['--socks5', port, '-U', 'alice:s3cr3t', file(protocol)])).toEqual(hello)
    expect(await retrieve(['--socks5-hostname', `alice:s3cr3t@${port}`, file(protocol)])).toEqual(hello)
    const env = { ALL_PROXY: `socks5://alice:s3cr3t@${port}` }
    const before = tunnelling.heard.length
    expect(await retrieve([file(protocol)], { env })).toEqual(hello)
    const used = tunnelling.heard.length
    expect(used).toBeGreaterThan(before)
    expect(await retrieve([file(protocol)], { env: { ...env, no_proxy: '127.0.0.0/8' } })).toEqual(hello)
    expect(tunnelling.heard).toHaveLength(used)
  })

  test('goes through SOCKS 4 and 4A, with the user of -U', async () => {
    await using proxy = await scriptedProxy(socks4())
    const place = `127.0.0.1:${proxy.port}`
    const named = file('http').replace('127.0.0.1', 'www.example')
    const hello = { status: 0, stdout: 'Hello, world.\n', stderr: '' }
    expect(await retrieve(['--socks4', place, '-U', 'alice:s3cr3t', file('ftp')])).toEqual(hello)
    expect(await retrieve(['--socks4a', place, named])).toEqual(hello)
    expect(await retrieve(['-x', `socks4a://${place}`, named])).toEqual(hello)
    expect(proxy.heard[0]).toMatch(/alice\0$/)
    expect(proxy.heard.at(-1)).toMatch(/\0www\.example\0$/)
  })

  test('--proxy-digest sends nothing before the proxy asks, and then a digest, to CONNECT too', async () => {
    const offer =
      'Proxy-Authenticate: Basic realm="x"\r\nProxy-Authenticate: Digest realm="x", nonce="n", qop="auth"\r\n'
    const logins: string[] = []
    await using proxy = await scriptedProxy(async (peer) => {
      const head = await peer.head()
      logins.push(/^Proxy-Authorization: (\w+)/m.exec(head)?.[1] ?? 'none')
      if (logins.at(-1) === 'none') {
        await peer.say(`HTTP/1.1 407 Who\r\n${offer}Content-Length: 0\r\nConnection: close\r\n\r\n`)
        peer.socket.end()
      } else if (head.startsWith('CONNECT')) await peer.relay('127.0.0.1', servers.http.port, 'HTTP/1.1 200 OK\r\n\r\n')
      else await peer.say(ok('by digest\n'))
    })
    const typed = ['--proxy-digest', '-U', 'alice:s3cr3t', '-x', `127.0.0.1:${proxy.port}`]
    expect(await retrieve([...typed, file('http')])).toMatchObject({ status: 0, stdout: 'by digest\n' })
    expect(await retrieve([...typed, '-p', file('http')])).toMatchObject({ status: 0, stdout: 'Hello, world.\n' })
    expect(logins).toEqual(['none', 'Digest', 'none', 'Digest'])
  })

  test('lists an FTP directory through a tunnel; of a page that the proxy makes, it says what to do', async () => {
    const listing = await retrieve(['ls', '-p', '-x', http(), `${servers.ftp.url}pub/`])
    expect(listing).toMatchObject({ status: 0, stdout: expect.stringMatching(/ hello\.txt +ftp:/), stderr: '' })
    const page = await retrieve(['-x', http(), 'ftp://ftp.example/pub/'])
    expect(page).toMatchObject({ status: 0, stdout: 'through the proxy\n' })
    expect(page.stderr).toMatch(
      /^retrieve: ftp:\/\/ftp\.example\/pub\/: The proxy \S+ turned the directory into a page.*: --proxytunnel\.\n$/,
    )
  })

  test('tells the way with -v, and no password', async () => {
    const { stderr, status } = await retrieve(['-v', '-p', '-x', http(), file('http')])
    expect(status).toBe(0)
    expect(stderr).toMatch(/^> CONNECT 127\.0\.0\.1:\d+ HTTP\/1\.1$/m)
    expect(stderr).toMatch(/^> Proxy-Authorization: Basic <password>$/m)
    expect(stderr).toMatch(
      new RegExp(`^\\* connected to 127\\.0\\.0\\.1, port \\d+, through http://127\\.0\\.0\\.1:${asking.port}$`, 'm'),
    )
    expect(stderr).not.toMatch(/s3cr3t|YWxpY2U/)
  })

  test('tells -U to the proxy of the typed URL, and to none that a redirect leads through (case 50)', async () => {
    const moved = 'HTTP/1.1 302 F\r\nLocation: https://other.example/\r\nContent-Length: 0\r\n\r\n'
    await using first = await scriptedProxy(httpProxy({ login: 'alice:s3cr3t', answer: () => moved }))
    await using second = await scriptedProxy(async (peer) => {
      await peer.head()
      await peer.say('HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n')
    })
    const env = { http_proxy: `127.0.0.1:${first.port}`, https_proxy: `127.0.0.1:${second.port}` }
    const outcome = await retrieve(['-U', 'alice:s3cr3t', 'http://www.example/'], { env })
    expect(outcome).toMatchObject({ status: 67, stdout: '' })
    expect(first.heard.join('')).toMatch(/^proxy-authorization: Basic /im)
    expect(second.heard).toEqual(['CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n'])
  })

  test.each([
    [67, () => ['-x', http('')], /wants a login; give --proxy-user\. \(407 /],
    [67, () => ['-x', http('alice:wr0ng@')], /refused its user or password; check them\. \(407 /],
    [
      67,
      () => ['--socks5-hostname', `127.0.0.1:${tunnelling.port}`, '-U', 'alice:wr0ng'],
      /refused its user or password/,
    ],
    [
      2,
      () => ['-U', 'alice', '-x', http()],
      /There is no terminal to ask for the password: give --proxy-user USER:PASSWORD\./,
    ],
    [
      2,
      () => ['-x', 'socks6://u:wr0ng@h'],
      /Expected the proxy \(--proxy, or a variable such as \$ftp_proxy\) to be socks4, /,
    ],
  ])('exits with %i where the proxy or its login is none', async (status, options, message) => {
    const outcome = await retrieve([...options(), 'http://www.example/'])
    expect(outcome).toMatchObject({ status, stdout: '' })
    expect(outcome.stderr).toMatch(message)
    expect(outcome.stderr).not.toMatch(/s3cr3t|wr0ng/)
  })
})
