import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { logged } from './checks/http-checks.ts'
import { expectOctets, failure, retrieve, retrieveToFile, type ServerUnderTest, suiteOf } from './suite.ts'

interface Servers {
  readonly proftpd: ServerUnderTest
  readonly nginx: ServerUnderTest
}

/** Real FTP and HTTP, in the clear and in TLS, as if there were no proxy. */
function passesAll(way: string, { proftpd, nginx }: Servers, options: () => readonly string[]): void {
  test(`an FTP file, ${way}`, async () => {
    const octets = await retrieveToFile(proftpd.url('ftp', '/pub/big.bin'), ...options())
    expectOctets(octets, await proftpd.seed('root/pub/big.bin'))
  })

  test(`an FTP listing, ${way}`, async () => {
    const names = await listed(proftpd.url('ftp', '/pub/', { user: 'alice:secret' }), ...options())
    expect(names).toEqual(expect.arrayContaining(['big.bin', 'hello.txt', 'sub']))
  })

  test(`an FTP file in TLS, data and all, ${way}`, async () => {
    const url = proftpd.url('ftps', '/pub/bytes.bin', { offset: 1 })
    const octets = await retrieveToFile(url, '--cacert', proftpd.path('cert.pem'), ...options())
    expectOctets(octets, await proftpd.seed('root/pub/bytes.bin'))
  })

  test(`HTTP, ${way}`, async () => {
    const octets = await retrieveToFile(nginx.url('http', '/files/big.txt'), ...options())
    expectOctets(octets, await nginx.seed('root/files/big.txt'))
  })

  test(`HTTPS, ${way}`, async () => {
    for (const offset of [1, 4]) {
      const url = nginx.url('https', '/files/bytes.bin', { offset })
      const octets = await retrieveToFile(url, '--cacert', nginx.path('ca.pem'), ...options())
      expectOctets(octets, await nginx.seed('root/files/bytes.bin'))
    }
  })

  test(`HTTP/2, ${way}`, async () => {
    const word = `?h2-${way.replaceAll(' ', '-')}`
    const url = nginx.url('https', `/files/hello.txt${word}`, { offset: 1 })
    const octets = await retrieveToFile(url, '--cacert', nginx.path('ca.pem'), ...options())
    expectOctets(octets, await nginx.seed('root/files/hello.txt'))
    expect(await logged(nginx, word)).toEqual([expect.stringContaining(' HTTP/2.0 GET ')])
  })
}

async function listed(url: string, ...options: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await retrieve('ls', '--json', ...options, url)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const lines = stdout.toString().trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as { name: string }).name)
}

suiteOf(['microsocks', 'proftpd', 'nginx'], ({ microsocks, ...servers }) => {
  const { proftpd, nginx } = servers
  const place = (offset = 0): string => `127.0.0.1:${microsocks.port() + offset}`
  passesAll('by SOCKS', servers, () => ['--socks5', place()])
  passesAll('by SOCKS with a login', servers, () => ['-x', `socks5h://alice:secret@${place(1)}`])

  test('a name that the proxy looks up', async () => {
    const url = proftpd.url('ftp', '/pub/hello.txt').replace('127.0.0.1', 'localhost')
    const octets = await retrieveToFile(url, '--socks5-hostname', place())
    expectOctets(octets, await proftpd.seed('root/pub/hello.txt'))
  })

  test('a wrong login, and none', async () => {
    const url = proftpd.url('ftp', '/pub/hello.txt')
    const line = await failure(67, '-x', `socks5://alice:mistaken@${place(1)}`, url)
    expect(line).toContain('refused its user or password')
    expect(line).not.toContain('mistaken')
    expect(await failure(67, '-x', `socks5://${place(1)}`, url)).toContain('--proxy-user')
  })

  test('a port where nobody listens', async () => {
    expect(await failure(7, '--socks5', place(), nginx.url('http', '/', { offset: 3 }))).toContain('SOCKS reply 5')
  })
})

suiteOf(['tinyproxy', 'proftpd', 'nginx'], ({ tinyproxy, ...servers }) => {
  const { proftpd, nginx } = servers
  const url = (offset = 0, login = ''): string => `http://${login}127.0.0.1:${tinyproxy.port() + offset}`
  passesAll('by CONNECT', servers, () => ['-p', '-x', url()])
  passesAll('by CONNECT with a login', servers, () => ['-p', '-x', url(1), '-U', 'alice:secret'])

  test('HTTP, asked of the proxy', async () => {
    const octets = await retrieveToFile(nginx.url('http', '/files/bytes.bin'), '-x', url(1, 'alice:secret@'))
    expectOctets(octets, await nginx.seed('root/files/bytes.bin'))
    expect(await failure(22, '-x', url(), nginx.url('http', '/files/none'))).toContain('404')
  })

  test('FTP, of which it knows nothing: the way out is named', async () => {
    expect(await failure(22, '-x', url(), proftpd.url('ftp', '/pub/hello.txt'))).toContain('--proxytunnel')
  })

  test('a tunnel to a port that its rules forbid', async () => {
    const line = await failure(7, '-p', '-x', url(2), proftpd.url('ftp', '/pub/hello.txt'))
    expect(line).toMatch(/its rules forbid it\. .*\(403 /)
  })

  test('a wrong login, which is a 401 here, and none', async () => {
    const ftp = proftpd.url('ftp', '/pub/hello.txt')
    const line = await failure(67, '-p', '-x', url(1, 'alice:mistaken@'), ftp)
    expect(line).toMatch(/refused its user or password; check them\. \(401 /)
    expect(await failure(67, '-p', '-x', url(1), ftp)).toContain('--proxy-user')
  })
})

suiteOf(['squid', 'proftpd', 'nginx'], ({ squid, ...servers }) => {
  const { proftpd, nginx } = servers
  const url = (offset = 0, login = ''): string =>
    `${offset === 2 ? 'https' : 'http'}://${login}127.0.0.1:${squid.port() + offset}`
  passesAll('by CONNECT', servers, () => ['-p', '-x', url()])
  passesAll('by CONNECT with a login', servers, () => ['-p', '-x', url(1, 'alice:secret@')])

  test('HTTP, asked of the proxy, and of that in TLS', async () => {
    for (const proxy of [url(), url(1, 'alice:secret@'), url(2)]) {
      const cacert = ['--cacert', squid.path('cert.pem')]
      const octets = await retrieveToFile(nginx.url('http', '/files/bytes.bin'), '-x', proxy, ...cacert)
      expectOctets(octets, await nginx.seed('root/files/bytes.bin'))
    }
  })

  test('FTP by CONNECT within the TLS of the proxy', async () => {
    const options = ['-p', '-x', url(2), '--cacert', squid.path('cert.pem')]
    const octets = await retrieveToFile(proftpd.url('ftp', '/pub/big.bin'), ...options)
    expectOctets(octets, await proftpd.seed('root/pub/big.bin'))
  })

  test('a certificate of the proxy that nobody vouches for, with -k too', async () => {
    expect(await failure(60, '-k', '-x', url(2), nginx.url('http', '/'))).toContain(`of the proxy ${url(2)}`)
  })

  test('an FTP file, asked of the proxy: every octet, whatever its name', async () => {
    for (const name of ['bytes.bin', 'hello.txt', 'crlf.txt', 'name with spaces.txt', '100%25#?.txt']) {
      const octets = await retrieveToFile(proftpd.url('ftp', `/pub/${encodeURIComponent(name)}`), '-x', url())
      expectOctets(octets, await proftpd.seed(`root/pub/${name}`))
    }
    const rooted = proftpd.url('ftp', '/pub/%2Fpub/hello.txt', { user: 'alice:secret' })
    expectOctets(await retrieveToFile(rooted, '-x', url()), await proftpd.seed('root/pub/hello.txt'))
  })

  test('an FTP directory, asked of the proxy: its page, and a word on that', async () => {
    const { status, stdout, stderr } = await retrieve('-x', url(), proftpd.url('ftp', '/pub/'))
    expect(status).toBe(0)
    expect(stdout.toString()).toMatch(/<a href="[^"]*hello\.txt">/)
    expect(stderr).toMatch(/^retrieve: ftp:.* turned the directory into a page\. .* --proxytunnel\.\n$/)
  })

  test('an FTP login, asked of the proxy, which has no password in its log', async () => {
    const at = (user: string): string => proftpd.url('ftp', '/pub/hello.txt', { user })
    const octets = await retrieveToFile(at('alice:secret'), '-x', url(1, 'alice:secret@'))
    expectOctets(octets, await proftpd.seed('root/pub/hello.txt'))
    expectOctets(await retrieveToFile(at('alice'), '-x', url(), '-u', 'alice:secret'), octets as Buffer)
    expect(await failure(67, '-x', url(), at('alice:mistaken'))).toContain('refused the user or password')
    expect(await failure(67, '-x', url(), at('alice'))).toContain('wants a user and password')
    const log = await readFile(squid.path('run/access.log'), 'utf8')
    expect(log).toMatch(/GET ftp:\/\/alice@127\.0\.0\.1:\d+\/pub\/hello\.txt;type=i /)
    expect(log).not.toMatch(/secret|mistaken/)
  })

  test('a missing file, a server that is not there, and a login that is wanted', async () => {
    expect(await failure(22, '-x', url(), proftpd.url('ftp', '/pub/none.txt'))).toContain('404')
    expect(await failure(22, '-x', url(), proftpd.url('ftp', '/x', { offset: 3 }))).toContain('(503 ')
    expect(await failure(7, '-p', '-x', url(), proftpd.url('ftp', '/x', { offset: 3 }))).toMatch(
      /it could not\. .*\(503 /,
    )
    expect(await failure(67, '-x', url(1), nginx.url('http', '/'))).toMatch(/--proxy-user\. \(407 /)
  })

  describe('Digest', () => {
    const digest = (login: string): string[] => ['-x', `http://127.0.0.1:${squid.port() + 4}`, '-U', login]

    test('of the proxy, which is asked for the URL', async () => {
      const octets = await retrieveToFile(nginx.url('http', '/files/bytes.bin'), ...digest('bob:hidden'))
      expectOctets(octets, await nginx.seed('root/files/bytes.bin'))
      expect(await failure(67, ...digest('bob:mistaken'), nginx.url('http', '/'))).not.toContain('mistaken')
    })

    test('of the proxy, which makes a tunnel', async () => {
      const url = nginx.url('https', '/files/bytes.bin', { offset: 1 })
      const octets = await retrieveToFile(url, '--cacert', nginx.path('ca.pem'), ...digest('bob:hidden'))
      expectOctets(octets, await nginx.seed('root/files/bytes.bin'))
    })
  })
})
