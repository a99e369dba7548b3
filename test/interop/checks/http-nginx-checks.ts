import { expect, test } from 'vitest'
import { expectOctets, failure, retrieve, retrieveToFile, type ServerUnderTest } from '../suite.ts'
import { logged } from './http-checks.ts'

/** The resources of servers/nginx.sh beside its files. */
export function testStatuses(server: ServerUnderTest): void {
  const url = (path: string, user?: string): string => server.url('http', path, user === undefined ? {} : { user })

  test.each([
    [400, 22],
    [401, 67],
    [403, 22],
    [404, 22],
    [410, 22],
    [418, 22],
    [429, 22],
    [451, 22],
    [500, 22],
    [501, 22],
    [505, 22],
  ])('status %i', async (status, exit) => {
    expect(await failure(exit, url(`/status/${status}`))).toContain(String(status))
  })

  test('204 is an empty body', async () => {
    expect(await retrieveToFile(url('/status/204'))).toHaveLength(0)
  })

  test('a directory without a listing is 403', async () => {
    expect(await failure(22, url('/forbidden/'))).toContain('403')
  })

  test('redirects of all kinds are followed', async () => {
    const paths = ['/redirect/301', '/redirect/302', '/redirect/303', '/redirect/307', '/redirect/308', '/relative']
    const { status, stdout, stderr } = await retrieve(...paths.map((path) => url(path)))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const seed = await server.seed('root/files/hello.txt')
    expectOctets(stdout, Buffer.concat(paths.map(() => seed)))
  })

  test('five redirects, and a limit of four', async () => {
    expectOctets(await retrieveToFile(url('/chain/5')), await server.seed('root/files/hello.txt'))
    await failure(47, '--max-redirs', '4', url('/chain/5'))
  })

  test('a redirect to https, which has its own trust', async () => {
    const octets = await retrieveToFile(url('/to-https'), '--cacert', server.path('ca.pem'))
    expectOctets(octets, await server.seed('root/files/hello.txt'))
    expect(await failure(60, url('/to-https'))).toContain('--cacert')
  })

  test('a loop ends, at the twentieth redirect', async () => {
    expect(await failure(47, url('/loop?many'))).toContain('20')
    expect(await logged(server, '/loop')).toHaveLength(21)
  })

  test('a redirect to another scheme is not followed', async () => {
    expect(await failure(9, url('/to-other'))).toContain('only http and https')
  })

  test('a login: of the URL, of -u, a wrong one, none', async () => {
    const seed = await server.seed('root/files/hello.txt')
    expectOctets(await retrieveToFile(url('/auth/hello.txt', 'alice:secret')), seed)
    expectOctets(await retrieveToFile(url('/auth/hello.txt'), '-u', 'alice:secret'), seed)
    const line = await failure(67, url('/auth/hello.txt', 'alice:mistaken'))
    expect(line).not.toContain('mistaken')
    expect(await failure(67, url('/auth/hello.txt'))).toContain('-u')
  })

  test('a body without a length, in HTTP/1.0 style', async () => {
    expectOctets(await retrieveToFile(url('/nolength/big.txt')), await server.seed('root/files/big.txt'))
  })

  test('a slow server, and -m', async () => {
    const line = await failure(28, '-m', '0.7', '-o', '/dev/null', url('/slow/big.txt'))
    expect(line).toMatch(/0\.7 s.*--max-time/)
  })

  test('a connection that the server closes after its second request: five files on three', async () => {
    const urls = Array.from({ length: 5 }, (_, n) => server.url('http', `/files/hello.txt?kept${n}`, { offset: 6 }))
    const { status, stdout, stderr } = await retrieve(...urls)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const seed = await server.seed('root/files/hello.txt')
    expectOctets(stdout, Buffer.concat(urls.map(() => seed)))
    const connections = (await logged(server, '?kept')).map((line) => line.split(' ')[1])
    expect(connections).toHaveLength(5)
    expect(new Set(connections).size).toBe(3)
  })

  test('a port where nobody listens', () => failure(7, server.url('http', '/', { offset: 3 })))
}

/** HTTPS: of two ports the one speaks HTTP/2 too. */
export function testTls(server: ServerUnderTest): void {
  const secure = (path: string, offset = 1): string => server.url('https', path, { offset })
  const trust = (): string[] => ['--cacert', server.path('ca.pem')]

  test.each([
    ['HTTP/1.1 and HTTP/2', 1],
    ['HTTP/1.1 alone', 4],
  ])('twenty mebibytes from a port of %s', async (_, offset) => {
    const octets = await retrieveToFile(secure('/files/huge.txt', offset), ...trust())
    expectOctets(octets, await server.seed('root/files/huge.txt'))
  })

  test('a certificate that nobody vouches for, and -k', async () => {
    expect(await failure(60, secure('/files/hello.txt'))).toContain('--cacert')
    expectOctets(await retrieveToFile(secure('/files/hello.txt'), '-k'), await server.seed('root/files/hello.txt'))
  })

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 lets nothing pass', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const { status, stdout } = await retrieve(secure('/files/hello.txt'))
      expect({ status, stdout: stdout.toString() }).toEqual({ status: 60, stdout: '' })
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
  })

  test('a login, a redirect and an error within TLS', async () => {
    const seed = await server.seed('root/files/hello.txt')
    const login = server.url('https', '/auth/hello.txt', { offset: 1, user: 'alice:secret' })
    expectOctets(await retrieveToFile(login, ...trust()), seed)
    expectOctets(await retrieveToFile(secure('/chain/3'), ...trust()), seed)
    expect(await failure(22, ...trust(), secure('/status/404'))).toContain('404')
  })

  test('https where plain HTTP is spoken, and the other way round', async () => {
    await failure(35, ...trust(), secure('/', 0))
    expect(await failure(22, server.url('http', '/', { offset: 1 }))).toContain('400')
  })

  test('a server that wants a certificate and gets none', async () => {
    expect(await failure(22, ...trust(), secure('/files/hello.txt', 5))).toContain('400')
  })
}
