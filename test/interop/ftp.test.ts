import { expect, test } from 'vitest'
import { implicitTls, retrieval } from './ftp-checks.ts'
import { failure, suite } from './suite.ts'

suite('proftpd', (server) => {
  retrieval(server, { nullCwd: [501, 501], tellsSize: true, format: 'mlsd', names: ['pub/.', 'pub/..', 'pub/*'] })
  implicitTls(server, { offset: 1, format: 'mlsd' })

  // Here alone: others let whoever was wrong wait for seconds.
  test('a wrong password, which is not repeated', async () => {
    const line = await failure(67, server.url('ftp', '/pub/hello.txt', { user: 'alice:mistaken' }))
    expect(line).toContain('530')
    expect(line).not.toContain('mistaken')
  })

  test('a port where nobody listens', () => failure(7, server.url('ftp', '/pub/hello.txt', { offset: 3 })))

  test('a certificate that nobody vouches for', async () => {
    expect(await failure(60, server.url('ftps', '/pub/hello.txt', { offset: 1 }))).toContain('--cacert')
  })
})

suite('vsftpd', (server) => {
  retrieval(server, { nullCwd: [550, 550], tellsSize: true, format: 'list', names: ['pub/*'], hidesDotFiles: true })
  implicitTls(server, { offset: 1, format: 'list', hidesDotFiles: true })
})

suite('pure-ftpd', (server) => {
  retrieval(server, {
    nullCwd: [250],
    tellsSize: false,
    format: 'mlsd',
    names: ['pub/.', 'pub/..', 'pub/*'],
    doublesCr: true,
  })
})

suite('inetutils-ftpd', (server) => {
  // Its alice is at home in root/, but not shut in there.
  const root = () => `${server.path('root')}/`
  retrieval(server, { nullCwd: [500, 250], tellsSize: true, format: 'list', names: ['pub/*'], doublesCr: true, root })
})

suite('pyftpdlib', (server) => {
  retrieval(server, { nullCwd: [250], tellsSize: false, format: 'mlsd', names: ['*'] })
  implicitTls(server, { offset: 1, format: 'mlsd' })
})
