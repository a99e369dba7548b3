/** FTP in TLS: from the first octet (ftps:), after AUTH TLS (ftpes:), and where the data must resume the session. */
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { expectOctets, failure, retrieveToFile, type ServerUnderTest, trusting } from '../suite.ts'
import { type Listings, listed, retrieveEach, seedNames, watched } from './ftp-seed.ts'

interface Place extends Listings {
  /** The distance of the TLS port from the plain one. */
  readonly offset: number
}

/** ftps on the port that begins with TLS, with the server's certificate as its own CA. */
export function implicitTls(server: ServerUnderTest, { offset, ...listings }: Place): void {
  test('every octet, in implicit TLS', async () => {
    const url = server.url('ftps', '/pub/bytes.bin', { offset })
    const octets = await retrieveToFile(url, '--cacert', server.path('cert.pem'))
    expectOctets(octets, await server.seed('root/pub/bytes.bin'))
  })

  test('a directory listing, in implicit TLS', async () => {
    const names = await listed(server.url('ftps', '/pub/', { offset }), '--cacert', server.path('cert.pem'))
    expect(names).toEqual(await seedNames(server, listings))
  })

  test('the library, in implicit TLS', async () => {
    await using client = createClient(await trusting(server))
    const representation = await client.retrieve(server.url('ftps', '/pub/big.bin', { offset }))
    expectOctets(await representation.bytes(), await server.seed('root/pub/big.bin'))
  })
}

/**
 * ftpes: on a port where AUTH TLS is possible, or demanded for login and data. Where the server also demands that data
 * connections resume the control connection's session, files that come are the proof.
 */
// needs: explicit TLS (the scheme ftpes)
export function explicitTls(server: ServerUnderTest, where: string, { offset, ...listings }: Place): void {
  const url = (path: string, user?: string): string => server.url('ftpes', path, { offset, ...(user && { user }) })

  test(`every octet, ${where}`, async () => {
    for (const name of ['bytes.bin', 'big.bin', 'empty.txt']) {
      const octets = await retrieveToFile(url(`/pub/${name}`), '--cacert', server.path('cert.pem'))
      expectOctets(octets, await server.seed(`root/pub/${name}`))
    }
  })

  test(`a user with a password, ${where}`, async () => {
    const octets = await retrieveToFile(url('/pub/hello.txt', 'alice:secret'), '--cacert', server.path('cert.pem'))
    expectOctets(octets, await server.seed('root/pub/hello.txt'))
  })

  test(`a directory listing, ${where}`, async () => {
    const names = await listed(url('/pub/'), '--cacert', server.path('cert.pem'))
    expect(names).toEqual(await seedNames(server, listings))
  })

  test(`a certificate that nobody vouches for, ${where}`, async () => {
    expect(await failure(60, url('/pub/hello.txt'))).toContain('--cacert')
  })

  test(`the library, ${where}: all connections in TLS, and nothing said before it`, async () => {
    await using watch = watched(await trusting(server))
    await retrieveEach(watch.client, server, url)
    const connected = watch.events.filter((event) => event.type === 'connected')
    const data = connected.filter(({ port }) => port !== server.port() + offset)
    expect(data.map(({ tls }) => tls)).toEqual(data.map(() => true))
    const sent = watch.events.flatMap((event) => (event.type === 'sent' ? [event.octets] : []))
    expect(sent[0]).toBe('AUTH TLS\r\n')
    expect(sent.filter((octets) => octets === 'PROT P\r\n')).toHaveLength(
      sent.filter((octets) => octets === 'AUTH TLS\r\n').length,
    )
  })

  // needs: pooling
  test(`one session for file after file, ${where}`, async () => {
    await using watch = watched(await trusting(server))
    const files = ['bytes.bin', 'big.bin', 'hello.txt', 'empty.txt', 'big.bin', 'bytes.bin']
    await retrieveEach(
      watch.client,
      server,
      url,
      files.map((name) => `pub/${name}`),
    )
    // Two where the server drops a transfer for the EPSV behind it.
    expect(watch.connections(server.port() + offset)).toBeLessThanOrEqual(2)
  })

  // needs: resumption
  test(`ranges and resumption, ${where}`, async () => {
    const whole = await server.seed('root/pub/big.bin')
    await using client = createClient(await trusting(server))
    const ranged = await client.retrieve(url('/pub/big.bin'), { range: [1000, 1999] })
    expectOctets(await ranged.bytes(), whole.subarray(1000, 2000))
    const rest = await client.retrieve(url('/pub/big.bin'), { resumeFrom: { offset: 1_000_000, size: 2 ** 20 } })
    expect(rest.offset).toBe(1_000_000)
    expectOctets(await rest.bytes(), whole.subarray(1_000_000))
  })
}
