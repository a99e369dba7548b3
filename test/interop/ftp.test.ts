import { expect, test } from 'vitest'
import { retrieval } from './checks/ftp-checks.ts'
import { few, files, many } from './checks/ftp-many-checks.ts'
import { objects } from './checks/ftp-object-checks.ts'
import { sessions } from './checks/ftp-session-checks.ts'
import { explicitTls, implicitTls } from './checks/ftp-tls-checks.ts'
import { failure, suite } from './suite.ts'

suite('proftpd', (server) => {
  retrieval(server, { nullCwd: [501, 501], tellsSize: true, format: 'mlsd', names: ['pub/.', 'pub/..', 'pub/*'] })
  implicitTls(server, { offset: 1, format: 'mlsd' })
  explicitTls(server, 'AUTH TLS where it is possible', { offset: 0, format: 'mlsd' })
  explicitTls(server, 'AUTH TLS and session reuse demanded', { offset: 2, format: 'mlsd' })
  sessions(server)
  objects(server, { tlsOffset: 2 })
  many(server)

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
  const listings = { format: 'list', hidesDotFiles: true } as const
  implicitTls(server, { offset: 1, ...listings })
  explicitTls(server, 'AUTH TLS where it is possible', { offset: 0, ...listings })
  explicitTls(server, 'AUTH TLS and session reuse demanded', { offset: 2, ...listings })
  sessions(server, { hidesDotFiles: true })
  objects(server, { tlsOffset: 2 })
  many(server)
  few(server, 3)
})

suite('pure-ftpd', (server) => {
  retrieval(server, {
    nullCwd: [250],
    tellsSize: false,
    format: 'mlsd',
    names: ['pub/.', 'pub/..', 'pub/*'],
    doublesCr: true,
  })
  explicitTls(server, 'AUTH TLS where it is possible', { offset: 0, format: 'mlsd' })
  explicitTls(server, 'AUTH TLS demanded', { offset: 1, format: 'mlsd' })
  sessions(server)
  objects(server, { tlsOffset: 1, refusesFileNames: true })
  many(server)
})

suite('inetutils-ftpd', (server) => {
  // Its alice is at home in root/, but not shut in there.
  const root = () => `${server.path('root')}/`
  retrieval(server, { nullCwd: [500, 250], tellsSize: true, format: 'list', names: ['pub/*'], doublesCr: true, root })
  sessions(server)
  // Its `ls` says within the listing that it may not read the directory.
  objects(server, { lists711: true })
  many(server)
})

suite('pyftpdlib', (server) => {
  retrieval(server, { nullCwd: [250], tellsSize: false, format: 'mlsd', names: ['*'] })
  implicitTls(server, { offset: 1, format: 'mlsd' })
  explicitTls(server, 'AUTH TLS where it is possible', { offset: 0, format: 'mlsd' })
  explicitTls(server, 'AUTH TLS demanded', { offset: 2, format: 'mlsd' })
  sessions(server, { dropsOnEpsv: true })
  // It runs as root.
  objects(server, { lists711: true, tlsOffset: 2, dropsOnEpsv: true })
  many(server, { lost: 4 })
})

// The servers of npm know but a part of FTP.
suite('ftp-srv', (server) => {
  files(server)
  many(server)
})

suite('ftpd', (server) => {
  files(server)
  many(server)
})

suite('simple-ftpd', (server) => {
  files(server)
  many(server)
})
