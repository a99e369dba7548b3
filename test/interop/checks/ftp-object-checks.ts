/** Metadata alone, parts of files, files that grow, and what is no file or no directory: of every FTP server. */
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { entriesOf, errorOf, expectOctets, failure, retrieve, type ServerUnderTest } from '../suite.ts'
import { seedTime, watched } from './ftp-seed.ts'

interface Differences {
  /** Shows a directory of mode 711 to its own user, or the message of `ls` about it; false: it refuses to list it. */
  readonly lists711?: boolean
  /** Refuses NLST of a file. */
  readonly refusesFileNames?: boolean
  /** The port where logins must be within TLS. */
  readonly tlsOffset?: number
  /** Drops a transfer for the EPSV behind it, which is found out at the cost of one connection. */
  readonly dropsOnEpsv?: boolean
}

export function objects(server: ServerUnderTest, differences: Differences = {}): void {
  metadata(server)
  parts(server, differences)
  mistakes(server, differences)
}

function metadata(server: ServerUnderTest): void {
  describe('metadata alone', () => {
    test('size and time, with no transfer, in one session', async () => {
      await using watch = watched()
      for (const name of ['big.bin', 'empty.txt', 'big.bin']) {
        const { length } = await server.seed(`root/pub/${name}`)
        const representation = await watch.client.retrieve(server.url('ftp', `/pub/${name}`), { head: true })
        expect(representation).toMatchObject({ size: length, modified: await seedTime(server, `pub/${name}`) })
      }
      const sent = watch.events.flatMap((event) => (event.type === 'sent' ? event.octets.split('\r\n') : []))
      expect(sent.filter((line) => /^(?:RETR|EPSV|PASV)/.test(line))).toEqual([])
      expect(watch.connections(server.port())).toBe(1)
    })

    test('of a directory, and of what is missing', async () => {
      await using watch = watched()
      for (const path of ['/pub', '/pub/', '/pub/sub;type=d']) {
        const listing = await watch.client.retrieve(server.url('ftp', path), { head: true })
        expect(listing).toMatchObject({ kind: 'listing', size: null })
      }
      const none = watch.client.retrieve(server.url('ftp', '/pub/none.txt'), { head: true })
      expect(await errorOf(none)).toMatchObject({ code: 'not-found' })
    })

    test('by -I', async () => {
      const { status, stdout } = await retrieve('-I', server.url('ftp', '/pub/bytes.bin'))
      expect(status).toBe(0)
      expect(stdout.toString()).toMatch(/^Last-Modified: .*GMT\r\nContent-Length: 256\r\n\r\n$/)
    })
  })
}

function parts(server: ServerUnderTest, { dropsOnEpsv = false }: Differences): void {
  test('ranges of a small file, over one session', async () => {
    await using watch = watched()
    const whole = await server.seed('root/pub/bytes.bin')
    for (const [first, last] of [
      [0, 9],
      [100, 199],
      [200, 255],
    ] as const) {
      const representation = await watch.client.retrieve(server.url('ftp', '/pub/bytes.bin'), { range: [first, last] })
      expectOctets(await representation.bytes(), whole.subarray(first, last + 1))
    }
    expect(watch.connections(server.port())).toBe(dropsOnEpsv ? 2 : 1)
  })

  test('a file that grows while it is continued', async () => {
    // More than sockets hold, so that the server has not read all of it yet.
    const half = 16 * 2 ** 20
    const path = server.path('root/growing/log')
    await mkdir(server.path('root/growing'))
    await writeFile(path, Buffer.alloc(2 * half, 'a line of a log\n'))
    await using watch = watched()
    const point = { offset: half, tail: (await readFile(path)).subarray(half - 4096, half) }
    const rest = await watch.client.retrieve(server.url('ftp', '/growing/log'), { resumeFrom: point })
    const chunks: Uint8Array[] = []
    for await (const chunk of rest) {
      if (chunks.length === 0) await appendFile(path, Buffer.alloc(2 ** 20, 'and another one\n'))
      chunks.push(chunk)
    }
    const body = Buffer.concat(chunks)
    expect(body.length).toBeGreaterThanOrEqual(half)
    expectOctets(body, (await readFile(path)).subarray(half, half + body.length))
  })
}

function mistakes(server: ServerUnderTest, differences: Differences): void {
  const { lists711 = false, refusesFileNames = false, tlsOffset } = differences

  test('a directory of mode 711 is not shown as an empty one', async () => {
    await mkdir(server.path('root/locked'))
    await writeFile(server.path('root/locked/file.txt'), 'x')
    await chmod(server.path('root/locked'), 0o711)
    const url = server.url('ftp', '/locked/')
    if (lists711) expect(await entriesOf(url)).toHaveLength(1)
    else await expectStatus(78, 'ls', url)
  })

  test('NLST of a file is that file', async () => {
    const url = server.url('ftp', '/pub/bytes.bin;type=d')
    if (refusesFileNames) expect(await failure(78, url)).toContain('leave ;type=d out')
    else expect(await entriesOf(url)).toMatchObject([{ name: 'bytes.bin', url: server.url('ftp', '/pub/bytes.bin') }])
  })

  test.each(['/pub//hello.txt', '/pub//sub//deep/file.txt', '//pub//none.txt'])('the mistake in %s', async (path) => {
    expect(await failure(78, server.url('ftp', path))).toContain('rite the path without the double slash.')
  })

  test('a directory named without a slash is no file', async () => {
    const advice = 'It is a directory; for its listing, write a / at the end of the URL.'
    expect(await failure(78, '-r', '0-9', server.url('ftp', '/pub/sub'))).toContain(advice)
    expect(await failure(78, '-o', server.path('sub.txt'), server.url('ftp', '/pub/sub'))).toContain(advice)
  })

  test.skipIf(tlsOffset === undefined)('a login that must be within TLS', async () => {
    const url = server.url('ftp', '/pub/hello.txt', { offset: tlsOffset ?? 0, user: 'alice:secret' })
    expect(await failure(67, url)).toContain('use an ftpes: URL, or the option --ssl-reqd')
  })
}

/** The head of the table has been printed by then. */
async function expectStatus(status: number, ...args: string[]): Promise<void> {
  const outcome = await retrieve(...args)
  expect({ status: outcome.status, lines: outcome.stdout.toString().trim().split('\n').length }).toEqual({
    status,
    lines: 1,
  })
}
