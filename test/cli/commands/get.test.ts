import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messages, results } from '../../support/cli/json-lines.ts'
import { retrieve, retrieveOctets, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const everyOctet = Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256))
let servers: TestServers

beforeAll(async () => {
  servers = await startServers({ bigSize: 1_000_000 })
})
afterAll(() => servers.close())

const url = (protocol: 'http' | 'ftp' | 'gopher' | 'nntp' | 'telnet', path: string): string =>
  servers[protocol].url + path

describe('the body', () => {
  test.each([
    ['ftp', 'pub/a.bin'],
    ['http', 'pub/a.bin'],
    ['gopher', '9/pub/a.bin'],
  ] as const)('of %s comes octet by octet on standard output, and nothing else comes', async (protocol, path) => {
    const { status, stdout, stderr } = await retrieveOctets([url(protocol, path)])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.equals(everyOctet)).toBe(true)
  })

  test.each([
    ['ftp', 'pub/a.bin'],
    ['http', 'pub/a.bin'],
    ['gopher', '9/pub/a.bin'],
  ] as const)('of %s is saved by -o', async (protocol, path) => {
    const file = join(folder(), `${protocol}.bin`)
    expect(await retrieve(['-o', file, url(protocol, path)])).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(readFileSync(file).equals(everyOctet)).toBe(true)
  })

  test('an article, and a file of this machine', async () => {
    const article = await retrieve(['--news-server', `127.0.0.1:${servers.nntp.port}`, 'news:one@example.net'])
    expect(article).toMatchObject({ status: 0, stdout: expect.stringContaining('\nOne line.'), stderr: '' })
    const path = join(folder(), 'local.txt')
    writeFileSync(path, 'local\n')
    expect(await retrieve([`file://${path}`])).toEqual({ status: 0, stdout: 'local\n', stderr: '' })
  })

  test('many, in order; one that fails does not keep the others back, and decides the exit code', async () => {
    const urls = [url('http', 'pub/hello.txt'), url('http', 'missing'), url('ftp', 'etc/motd')]
    const { status, stdout, stderr } = await retrieve(urls)
    expect({ status, stdout }).toEqual({ status: 22, stdout: 'Hello, world.\nWelcome to the test server.\n' })
    expect(stderr).toMatch(/^retrieve: [^\n]+\/missing: [^\n]+\n$/)
  })

  test('a part of it, with -r', async () => {
    expect(await retrieve(['-r', '7-11', url('http', 'pub/hello.txt')])).toMatchObject({ status: 0, stdout: 'world' })
  })

  test('compressed on its way, with --compressed', async () => {
    const asked = await retrieve(['--compressed', url('http', 'echo')])
    expect(asked.stdout).toMatch(/^Accept-Encoding: gzip, deflate, br\b/im)
    const ftp = url('ftp', 'pub/hello.txt')
    expect(await retrieve(['--compressed', url('http', 'gzip/pub/hello.txt'), ftp])).toEqual({
      status: 0,
      stdout: 'Hello, world.\nHello, world.\n',
      stderr: `retrieve: ${ftp}: The option --compressed has no effect: FTP does not support it.\n`,
    })
    const part = await retrieve(['--compressed', '-r', '7-11', url('http', 'pub/hello.txt')])
    expect(part).toEqual({ status: 0, stdout: 'world', stderr: '' })
  })

  test('that comes compressed unasked is left so, and a notice says so', async () => {
    const { status, stdout, stderr } = await retrieveOctets([url('http', 'gzip/pub/hello.txt')])
    expect({ status, begins: stdout.subarray(0, 2) }).toEqual({ status: 0, begins: Buffer.from([0x1f, 0x8b]) })
    expect(stderr).toMatch(/^retrieve: [^\n]*--compressed[^\n]*\n$/)
  })

  test('-o - is standard output', async () => {
    const hello = url('http', 'pub/hello.txt')
    expect(await retrieve(['-o', '-', hello, hello])).toMatchObject({ status: 0, stdout: 'Hello, world.\n'.repeat(2) })
  })
})

describe('files', () => {
  test('each URL has its -o', async () => {
    const args = ['-o', 'a', url('http', 'pub/hello.txt'), '-o', 'b', url('ftp', 'etc/motd')]
    expect(await retrieve(args, { cwd: folder() })).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(folder(), 'a'), 'utf8')).toBe('Hello, world.\n')
    expect(readFileSync(join(folder(), 'b'), 'utf8')).toBe('Welcome to the test server.\n')
  })

  test('-O names them after the URL, into --output-dir, and never overwrites', async () => {
    const dir = join(folder(), 'named')
    mkdirSync(dir)
    const args = [
      '--output-dir',
      dir,
      '--remote-name-all',
      url('http', 'pub/hello.txt'),
      url('http', 'pub/gr%C3%BC%C3%9Fe.txt'),
      url('gopher', '0/readme.txt'),
    ]
    expect(await retrieve(args)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(readdirSync(dir).sort()).toEqual(['grüße.txt', 'hello.txt', 'readme.txt'])
    writeFileSync(join(dir, 'hello.txt'), 'mine')
    const before = servers.http.received.length
    const again = await retrieve(['--output-dir', dir, '-O', url('http', 'pub/hello.txt')])
    expect(again.status).toBe(23)
    expect(again.stderr).toBe(
      `retrieve: ${dir}/hello.txt cannot be written: it exists already; name another file with -o, or let --clobber overwrite it.\n`,
    )
    expect(readFileSync(join(dir, 'hello.txt'), 'utf8')).toBe('mine')
    expect(servers.http.received.length).toBe(before)
  })

  test('-O is not led through a planted link, nor does a redirect choose the name (cases 31, 30)', async () => {
    const dir = join(folder(), 'planted')
    mkdirSync(dir)
    symlinkSync(join(folder(), 'elsewhere'), join(dir, 'hello.txt'))
    expect((await retrieve(['--output-dir', dir, '-O', url('http', 'pub/hello.txt')])).status).toBe(23)
    expect((await retrieve(['--output-dir', dir, '-O', url('http', 'redirect/302')])).status).toBe(0)
    expect(readdirSync(dir).sort()).toEqual(['302', 'hello.txt'])
    expect(readdirSync(folder())).not.toContain('elsewhere')
  })

  test('the time of the resource is the time of the file', async () => {
    const file = join(folder(), 'dated')
    await retrieve(['-o', file, url('http', 'pub/hello.txt')])
    expect(statSync(file).mtime.toISOString()).toBe('2001-02-03T04:05:06.000Z')
  })

  test.each([
    ['.', '. cannot be written: it is a directory; name a file in it.'],
    ['nowhere/', 'nowhere/ cannot be written: it names a directory; name a file in it.'],
    ['nowhere/x', 'nowhere/x cannot be written: its folder does not exist; make it, or let --create-dirs make it.'],
    ['x'.repeat(300), `${'x'.repeat(300)} cannot be written: the name is too long.`],
  ])('-o %s is refused before anything is asked for', async (file, message) => {
    const before = servers.http.accepted
    const outcome = await retrieve(['-o', file, url('http', 'pub/hello.txt')], { cwd: folder() })
    expect(outcome).toEqual({ status: 23, stdout: '', stderr: `retrieve: ${message}\n` })
    expect(servers.http.accepted).toBe(before)
  })

  test('-O of a URL without a name has a fixed one', async () => {
    const cwd = mkdtempSync(join(folder(), 'nameless-'))
    const { status, stderr } = await retrieve(['-O', url('http', ''), '-O', url('ftp', '')], { cwd })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(readdirSync(cwd).sort()).toEqual(['download', 'index.html'])
  })

  test.each([
    ['~root', '_root', 'since "~root" is no safe name for a file'],
    ['con', 'con_', 'since "con" is no safe name for a file'],
    ['%2e%2e%5cx', 'x', 'since "..\\\\x" is no safe name for a file'],
  ])('-O says that %s is saved as %s', async (name, saved, why) => {
    const cwd = mkdtempSync(join(folder(), 'renamed-'))
    const file = pathToFileURL(join(cwd, 'from/')).href
    mkdirSync(join(cwd, 'from'))
    writeFileSync(join(cwd, 'from', decodeURIComponent(name)), 'x')
    const { status, stderr } = await retrieve(['-O', `${file}${name}`], { cwd })
    expect({ status, stderr }).toEqual({ status: 0, stderr: `retrieve: ${file}${name}: saved as ${saved}, ${why}\n` })
    expect(readdirSync(cwd).sort()).toEqual(['from', saved].sort())
  })
})

describe('exit codes, each with one clear sentence', () => {
  test.each([
    [1, () => 'gohper://h/', /The scheme "gohper" is not known/],
    [1, () => 'gopher://h.example:23/T', /names a service \(tn3270\), not data\. To use it, run: c3270 h\.example:23$/],
    [3, () => 'http://h:port/', /no valid URL/],
    [3, () => 'http://h/%zz', /no valid URL/],
    [7, () => 'http://127.0.0.1:2/', /refused the connection/],
    [
      9,
      () => 'gopher://127.0.0.1:25/x',
      /^retrieve: gopher:\/\/127\.0\.0\.1:25\/x: Refused: Port 25 .* --allow-port 25 permits it\.$/,
    ],
    [9, () => 'ftp://h/a%0D%0ADELE%20b', /encoded CR LF.*cannot be allowed/],
    [22, () => url('http', 'status/503'), /503/],
    [37, () => 'file:///dev/zero', /\/dev\/zero/],
    [78, () => 'file:///no/such/file', /no\/such\/file/],
    [47, () => url('http', 'redirect/loop'), /redirects/],
    [67, () => url('http', 'auth/'), /by -u/],
    [22, () => url('http', 'missing'), /404/],
    [78, () => url('ftp', 'missing.txt'), /550/],
    [78, () => url('gopher', '0/missing'), /missing/],
  ])('%i', async (status, address, sentence) => {
    const outcome = await retrieve(['--retry', '0', address()])
    expect(outcome).toMatchObject({ stdout: '' })
    expect(outcome.stderr).toMatch(/^retrieve: [^\n]+\n$/)
    expect(outcome.stderr.trimEnd()).toMatch(sentence)
    expect(outcome.status).toBe(status)
  })

  test('28, and what to raise, where time runs out', async () => {
    await using slow = await startServers({ http: { faults: { stall: 'response' } } })
    const { status, stderr } = await retrieve(['-m', '0.3', `${slow.http.url}readme.txt`])
    expect(status).toBe(28)
    expect(stderr).toMatch(/^retrieve: .* within 0\.3 s .*raise --max-time\.\n$/)
  })

  test('0 seconds are no limit, as in curl', async () => {
    const outcome = await retrieve(['-m', '0', '--connect-timeout', '0', url('http', 'readme.txt')])
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
  })

  test('63 beyond --max-filesize, and no file', async () => {
    const file = join(folder(), 'too-large')
    const { status, stderr } = await retrieve(['--max-filesize', '1k', '-o', file, url('http', 'big')])
    expect(status).toBe(63)
    expect(stderr).toMatch(/^retrieve: .*--max-filesize is 1024; nothing was retrieved\.\n$/)
    expect(readdirSync(folder()).filter((name) => name.startsWith('too-large'))).toEqual([])
  })

  test('18 where the body is cut, and no file but what came of it', async () => {
    await using cut = await startServers({ http: { faults: { shortBody: 5 } } })
    expect((await retrieve(['--retry', '0', '-o', 'cut', `${cut.http.url}readme.txt`], { cwd: folder() })).status).toBe(
      18,
    )
    const left = readdirSync(folder()).filter((name) => name.startsWith('cut'))
    expect(left.sort()).toEqual(['cut.part', 'cut.part.json'])
  })

  test('-s silences errors, -sS does not, --json makes objects of them', async () => {
    const missing = url('http', 'missing')
    expect(await retrieve(['-s', missing])).toEqual({ status: 22, stdout: '', stderr: '' })
    expect((await retrieve(['-sS', missing])).stderr).toMatch(/^retrieve: /)
    const { stderr } = await retrieve(['--json', missing, 'foo:x'])
    const errors = [
      { code: 'not-found', exit: 22, phase: 'request', url: missing, status: 404 },
      { code: 'unknown-scheme', exit: 1, phase: 'resolve', url: 'foo:x', span: [0, 3] },
    ]
    expect(messages(stderr)).toMatchObject(errors.map((error) => ({ error })))
    expect(results(stderr)).toMatchObject(errors.map((error) => ({ outcome: 'failed', error })))
  })
})

describe('policy', () => {
  test('a port of another protocol is let through by --allow-port and by --allow', async () => {
    for (const allow of [
      ['--allow-port', '1'],
      ['--allow', 'foreign-port'],
    ]) {
      expect((await retrieve([...allow, 'http://127.0.0.1:1/'])).status).toBe(7)
    }
  })

  test('a reserved port of another machine is warned of, in one line', async () => {
    const { status, stderr } = await retrieve(['--resolve', 'h.example:81:127.0.0.1', 'http://h.example:81/'])
    expect(status).toBe(7)
    expect(stderr.match(/^retrieve: warning: .*$/gm)).toEqual([expect.stringMatching(/81/)])
  })
})
