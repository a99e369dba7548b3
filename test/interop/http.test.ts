import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { logged, testDates, testFiles, testRanges } from './checks/http-checks.ts'
import { testIndex, testNoIndex } from './checks/http-index-checks.ts'
import { testStatuses, testTls } from './checks/http-nginx-checks.ts'
import {
  testClientCertificates,
  testCompressed,
  testEtags,
  testHead,
  testHeadersAndBodies,
  testHttp2,
  testResume,
  testSplit,
} from './checks/http-wishes-checks.ts'
import { expectOctets, failure, retrieveToFile, suite } from './suite.ts'

suite('nginx', (server) => {
  testFiles(server)
  testRanges(server, 'big.txt')
  testDates(server)
  testStatuses(server)
  testTls(server)
  testHttp2(server)
  testClientCertificates(server)
  testCompressed(server)
  testResume(server)
  testSplit(server)
  testEtags(server)
  testHead(server)
  testHeadersAndBodies(server)
  testIndex(server, '/files/')
  testIndex(server, '/files/', 'https', 1)
  testNoIndex(server, '/forbidden/')

  test('the library', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('http', '/files/hello.txt'))
    expect(representation).toMatchObject({ kind: 'object', mediaType: 'text/plain', size: 27 })
    expect(representation.etag).toMatch(/^"[0-9a-f]+-1b"$/)
    expectOctets(await representation.bytes(), await server.seed('root/files/hello.txt'))
  })
})

suite('apache', (server) => {
  testFiles(server)
  testFiles(server, 'https', 1)
  testRanges(server, 'big.txt')
  testDates(server)

  test('a login by Basic, and none', async () => {
    const octets = await retrieveToFile(server.url('http', '/basic/hello.txt', { user: 'alice:secret' }))
    expectOctets(octets, await server.seed('root/files/hello.txt'))
    expect(await failure(67, server.url('http', '/basic/hello.txt'))).toContain('-u')
  })

  describe('Digest', () => {
    const seed = (): Promise<Buffer> => server.seed('root/files/hello.txt')

    test('of -u and of the URL', async () => {
      expectOctets(await retrieveToFile(server.url('http', '/digest/hello.txt'), '-u', 'alice:secret'), await seed())
      const url = server.url('http', '/digest/hello.txt', { user: 'alice:secret' })
      expectOctets(await retrieveToFile(url), await seed())
    })

    test('of a name and a query that are to be hashed as they are sent', async () => {
      const url = server.url('http', '/digest/gr%C3%BC%C3%9Fe.txt?a=%2F"b"'.replaceAll('"', '%22'))
      const octets = await retrieveToFile(url, '-u', 'alice:secret')
      expectOctets(octets, await server.seed('root/files/grüße.txt'))
    })

    test('a wrong password, which goes nowhere', async () => {
      const line = await failure(67, server.url('http', '/digest/hello.txt?wrong', { user: 'alice:mistaken' }))
      expect(line).not.toContain('mistaken')
      expect((await logged(server, '?wrong')).length).toBeLessThanOrEqual(2)
    })

    test("another realm has another login, and alice's does not serve", async () => {
      const url = server.url('http', '/digest/sub/file.txt')
      expectOctets(await retrieveToFile(url, '-u', 'bob:hidden'), await server.seed('root/files/sub/file.txt'))
      await failure(67, '-u', 'alice:secret', url)
    })
  })

  for (const path of ['/files/', '/plain/', '/table/']) testIndex(server, path)
  testIndex(server, '/files/', 'https', 1)
  testNoIndex(server, '/hidden/')
})

suite('caddy', (server) => {
  testFiles(server)
  testFiles(server, 'https', 1)
  testRanges(server, 'big.txt')
  testDates(server)

  describe('--compressed', () => {
    test.each(['http', 'https'])('by %s', async (scheme) => {
      const url = server.url(scheme, '/packed/big.txt', { offset: scheme === 'https' ? 1 : 0 })
      const octets = await retrieveToFile(url, '--compressed', '--cacert', server.path('ca.pem'))
      expectOctets(octets, await server.seed('root/files/big.txt'))
    })
  })

  testIndex(server, '/files/')
  testIndex(server, '/files/', 'https', 1)
})
