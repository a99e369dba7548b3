import { readFile, rm } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { expectOctets, failure, retrieve, retrieveToFile, type ServerUnderTest } from '../suite.ts'
import { logged, withFile } from './http-checks.ts'

/** HTTP/2 by ALPN: nginx's port 1 offers it, port 4 does not. */
export function testHttp2(server: ServerUnderTest): void {
  describe('HTTP/2', () => {
    const secure = (path: string, offset: number): string => server.url('https', path, { offset })
    const trust = (): string[] => ['--cacert', server.path('ca.pem')]

    test.each([
      ['is spoken where the server offers it', 1, 'HTTP/2.0'],
      ['is not where it does not', 4, 'HTTP/1.1'],
    ])('%s', async (_, offset, version) => {
      const word = `?alpn${offset}`
      expectOctets(
        await retrieveToFile(secure(`/files/bytes.bin${word}`, offset), ...trust()),
        await server.seed('root/files/bytes.bin'),
      )
      expect((await logged(server, word)).map((line) => line.split(' ')[2])).toEqual([version])
    })

    test('ten files over one connection', async () => {
      const urls = Array.from({ length: 10 }, (_, n) => secure(`/files/hello.txt?ten${n}`, 1))
      const { status, stdout, stderr } = await retrieve(...trust(), ...urls)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      const seed = await server.seed('root/files/hello.txt')
      expectOctets(stdout, Buffer.concat(urls.map(() => seed)))
      expect(new Set((await logged(server, '?ten')).map((line) => line.split(' ')[1])).size).toBe(1)
    })
  })
}

/** -E, --key: the port 5 of nginx knows whoever its CA does. */
export function testClientCertificates(server: ServerUnderTest): void {
  describe('client certificates', () => {
    const url = (): string => server.url('https', '/echo', { offset: 5 })
    const options = (name: string): string[] => {
      const key = server.path(`${name}-key.pem`)
      return ['--cacert', server.path('ca.pem'), '--cert', server.path(`${name}.pem`), '--key', key]
    }

    test('one that the server knows', async () => {
      const text = (await retrieveToFile(url(), ...options('client'))).toString()
      expect(text).toContain('Client: CN=alice')
    })

    test("a stranger's", async () => {
      expect(await failure(22, ...options('stranger'), url())).toContain('400')
    })

    test('is not shown to the server that a redirect leads to', async () => {
      const { stderr } = await retrieve(...options('client'), server.url('https', '/to-verified', { offset: 1 }))
      expect(stderr).toContain('400')
    })
  })
}

/** --compressed. */
export function testCompressed(server: ServerUnderTest): void {
  describe('--compressed', () => {
    test.each([
      ['chunked, compressed as it goes', '/gzip/big.txt', 'root/files/big.txt'],
      ['with a length, compressed before', '/packed/packed.txt', 'root/packed/packed.txt'],
    ])('%s', async (_, path, file) => {
      const word = `?asked-${path.slice(1, 5)}`
      const octets = await retrieveToFile(server.url('http', path + word), '--compressed')
      expectOctets(octets, await server.seed(file))
      expect(await logged(server, word)).toEqual([expect.stringContaining('"gzip"')])
    })

    test('nothing is compressed where it was not asked for', async () => {
      expectOctets(
        await retrieveToFile(server.url('http', '/gzip/big.txt?plain')),
        await server.seed('root/files/big.txt'),
      )
      expect(await logged(server, '?plain')).toEqual([expect.stringContaining('"-"')])
    })
  })
}

/** -C: testRanges looks at the file alone, this at what went over the line. */
export function testResume(server: ServerUnderTest): void {
  describe('-C - --continue-unverified', () => {
    test('asks for the rest alone, and for 4 KiB before it', async () => {
      const whole = await server.seed('root/files/big.txt')
      await withFile(whole.subarray(0, 1_000_000), async (file) => {
        const url = server.url('http', '/files/big.txt?resumed')
        expect((await retrieve('-s', '--continue-unverified', '-C', '-', '-o', file, url)).status).toBe(0)
        expectOctets(await readFile(file), whole)
      })
      expect(await logged(server, '?resumed')).toEqual([expect.stringContaining(' 206 "-" "bytes=995904-"')])
    })
  })
}

/** --split of a file of 20 MiB. */
export function testSplit(server: ServerUnderTest): void {
  describe('--split', () => {
    test.each([
      ['http', 0],
      ['https', 4],
      ['https', 1],
    ])('4 over %s, port %i', async (scheme, offset) => {
      const word = `?split${offset}`
      const url = server.url(scheme, `/files/huge.txt${word}`, { offset })
      const octets = await retrieveToFile(url, '--split', '4', '--cacert', server.path('ca.pem'))
      expectOctets(octets, await server.seed('root/files/huge.txt'))
      const lines = await logged(server, word)
      expect(lines.filter((line) => / 206 .*"bytes=/.test(line)).length).toBeGreaterThanOrEqual(3)
      // Every part but the first is asked for of that very file, which nginx logs as "\x22tag\x22".
      const later = lines.filter((line) => / "bytes=[1-9]/.test(line))
      for (const line of later) expect(line).toMatch(/ "\\x22[0-9a-f-]+\\x22"$/)
    })

    test('of a server that knows no ranges is the whole', async () => {
      const octets = await retrieveToFile(server.url('http', '/gzip/big.txt'), '--split', '4')
      expectOctets(octets, await server.seed('root/files/big.txt'))
    })
  })
}

/** --etag-save, --etag-compare. */
export function testEtags(server: ServerUnderTest): void {
  describe('entity tags', () => {
    const url = (path = '/files/hello.txt'): string => server.url('http', path)

    test('what has the saved tag is not retrieved again', () =>
      withFile(Buffer.from(''), async (tag) => {
        const seed = await server.seed('root/files/hello.txt')
        expectOctets(await retrieveToFile(url(), '--etag-save', tag), seed)
        expect(await readFile(tag, 'utf8')).toMatch(/^"[0-9a-f-]+"\n?$/)
        const { status, stdout } = await retrieve('-s', '--etag-compare', tag, url('/files/hello.txt?tagged'))
        expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: '' })
        expect(await logged(server, '?tagged')).toEqual([expect.stringContaining(' 304 ')])
      }))

    test('what has another is', () =>
      withFile(Buffer.from('"another"\n'), async (tag) => {
        expectOctets(await retrieveToFile(url(), '--etag-compare', tag), await server.seed('root/files/hello.txt'))
      }))

    test('what there is no saved tag of is', () =>
      withFile(Buffer.from(''), async (tag) => {
        await rm(tag)
        const octets = await retrieveToFile(url(), '--etag-compare', tag, '--etag-save', tag)
        expectOctets(octets, await server.seed('root/files/hello.txt'))
        expect(await readFile(tag, 'utf8')).toMatch(/^"[0-9a-f-]+"\n?$/)
      }))
  })
}

/** -I. */
export function testHead(server: ServerUnderTest): void {
  describe('-I', () => {
    test('has the header section, and no body', async () => {
      const { status, stdout, stderr } = await retrieve('-I', server.url('http', '/files/bytes.bin?head'))
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout.toString()).toMatch(/^HTTP\/1\.1 200 OK\r?\n/)
      expect(stdout.toString().toLowerCase()).toContain('content-length: 256')
      expect(await logged(server, '?head')).toEqual([expect.stringContaining(' HEAD ')])
    })

    test('after a redirect asks by HEAD too', async () => {
      const { status, stdout } = await retrieve('-I', server.url('http', '/redirect/302'))
      expect(status).toBe(0)
      expect(stdout.toString()).toContain(' 200 ')
    })
  })
}

/** --no-fail and -H. */
export function testHeadersAndBodies(server: ServerUnderTest): void {
  describe('--no-fail', () => {
    test('gives the body of an error', async () => {
      const statuses = [403, 404, 500, 503]
      const urls = statuses.map((status) => server.url('http', `/status/${status}`))
      const { status, stdout } = await retrieve('--no-fail', ...urls)
      expect({ status, stdout: stdout.toString() }).toEqual({
        status: 0,
        stdout: statuses.map((each) => `Status ${each}.`).join(''),
      })
    })
  })

  describe('-H', () => {
    test('is sent, to the first origin alone', async () => {
      const fields = ['-H', 'Cookie: a=b', '-H', 'Referer: http://from.example/']
      const text = (await retrieveToFile(server.url('http', '/echo'), ...fields)).toString()
      expect(text).toContain('\nCookie: a=b\n')
      expect(text).toContain('\nReferer: http://from.example/\n')
      const to = server.url('http', '/to-echo')
      const other = (await retrieveToFile(to, '--cacert', server.path('ca.pem'), ...fields)).toString()
      expect(other).toContain('\nCookie: \n')
      expect(other).toContain('\nReferer: \n')
    })
  })
}
