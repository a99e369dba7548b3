import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messages } from '../../../support/cli/json-lines.ts'
import { retrieve, retrieveOctets, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers
let other: TestServers<'http'>

beforeAll(async () => {
  servers = await startServers()
  other = await startServers({ http: true })
})
afterAll(() => Promise.all([servers.close(), other.close()]))

const url = (path: string): string => servers.http.url + path

/** Raw answers by path. */
const answering = (replies: Readonly<Record<string, string>>): void => servers.http.setFaults({ replies })

function answer(fields: readonly string[], body = 'body'): string {
  return ['HTTP/1.1 200 Fine', ...fields, `Content-Length: ${body.length}`, '', body].join('\r\n')
}

/** The request as the server saw it, by field. */
async function echoed(args: readonly string[], from = url('echo')): Promise<string[]> {
  const { status, stdout, stderr } = await retrieve([...args, from])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trimEnd().split('\r\n').slice(1)
}

describe('-H, -A, -e', () => {
  test('fields go out as typed', async () => {
    const typed = ['-H', 'X-One: 1', '-H', 'X-None;', '-H', 'X-Two:  two words ', '-A', 'me/1', '-e', 'http://r/']
    expect(await echoed(typed)).toEqual(
      expect.arrayContaining(['X-One: 1', 'X-None: ', 'X-Two: two words', 'User-Agent: me/1', 'Referer: http://r/']),
    )
  })

  test('the same field twice is one of both values, and -H takes the place of ours', async () => {
    const args = [
      '-H',
      'X-A: 1',
      '-H',
      'x-a: 2',
      '-H',
      'Cookie: a=1',
      '-H',
      'Cookie: b=2',
      '-H',
      'user-agent: mine',
      '-A',
      'no',
    ]
    const fields = await echoed([...args, '-H', 'accept: text/x'])
    expect(fields).toEqual(
      expect.arrayContaining(['x-a: 1, 2', 'Cookie: a=1; b=2', 'user-agent: mine', 'accept: text/x']),
    )
    expect(fields.join()).not.toMatch(/: no\b|\*\/\*|Retriever/)
  })

  test.each([
    ['-H', 'X: a\r\nY: b'],
    ['-H', 'X: a\nY: b'],
    ['-H', 'X\nY: a'],
    ['-H', 'X: a\x01b'],
    ['-H', 'X: grüße'],
    ['-H', 'no field'],
    ['-H', 'X Y: z'],
    ['-H', ': value'],
    ['-H', ';'],
    ['-H', 'Host: evil.example/x'],
    ['-H', 'Host: a b'],
    ['-b', 'a=b\r\nX: y'],
    ['-H', 'content-length: 3'],
    ['-H', 'Transfer-Encoding: chunked'],
    ['-A', 'me\r\nX: y'],
    ['-e', 'http://r/\nX: y'],
    ['--oauth2-bearer', 's3cr3t s3cr3t'],
    ['--oauth2-bearer', 's3cr3t\r\nX: y'],
    ['--oauth2-bearer', ''],
  ])('%s %j is refused before any connection', async (option, value) => {
    const before = servers.http.accepted
    const { status, stdout, stderr } = await retrieve([option, value, url('echo')])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^retrieve: --(header|user-agent|referer|cookie|oauth2-bearer) [^\n]+\n$/)
    expect(stderr).not.toContain('s3cr3t')
    expect(servers.http.accepted).toBe(before)
  })

  test('secrets in header fields are shown nowhere', async () => {
    const args = [
      '-v',
      '-H',
      'Authorization: Basic s3cr3t',
      '-H',
      'Cookie: s3cr3t',
      '-H',
      'X-Api-Key: s3cr3t',
      '-o',
      'x',
    ]
    for (const flags of [[], ['--json']]) {
      const { status, stderr } = await retrieve([...args, ...flags, url('echo')], { cwd: folder() })
      expect(status).toBe(0)
      expect(stderr).toContain('X-Api-Key: <password>')
      expect(stderr).not.toContain('s3cr3t')
    }
    expect(readFileSync(join(folder(), 'x'), 'utf8')).toContain('X-Api-Key: s3cr3t')
  })
})

describe('--oauth2-bearer', () => {
  test('is the field Authorization, and shown nowhere', async () => {
    expect(await echoed(['--oauth2-bearer', 'mF_9.B5f-4.1~+/JqM=='])).toContain(
      'Authorization: Bearer mF_9.B5f-4.1~+/JqM==',
    )
    const { stderr } = await retrieve(['-v', '--oauth2-bearer', 's3cr3t', '-O', url('echo'), url('status/403')], {
      cwd: folder(),
    })
    expect(stderr).toContain('Authorization: Bearer <password>')
    expect(stderr).not.toContain('s3cr3t')
  })

  test('goes with a redirect on the same server, to no other, and not back again', async () => {
    const to = (location: string): string => `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
    answering({ '/same': to('/echo'), '/away': to(`${other.http.url}echo`), '/round': to(`${other.http.url}back`) })
    other.http.setFaults({ replies: { '/back': to(url('echo')) } })
    const secret = ['--oauth2-bearer', 's3cr3t', '-H', 'X-Own: s3cr3t', '-H', 'Cookie: s3cr3t', '-H', 'Accept: text/x']
    expect((await retrieve([...secret, url('same')])).stdout.match(/s3cr3t/g)).toHaveLength(3)
    for (const path of ['away', 'round']) {
      const { stdout } = await retrieve([...secret, url(path)])
      expect(stdout).toContain('Accept: text/x')
      expect(stdout).not.toContain('s3cr3t')
    }
  })
})

describe('-I and -i', () => {
  test('-i prints the head as it came, and the body', async () => {
    const head = [
      'HTTP/1.1 200 Fine',
      'X-One: 1',
      'Set-Cookie: a=b',
      'set-cookie: c=d',
      'x-odd: \xFC\x9b[2J',
      'Content-Length: 4',
    ]
    const raw = `${head.join('\r\n')}\r\n\r\nbody`
    answering({ '/x': raw })
    const { status, stdout } = await retrieveOctets(['-i', url('x')])
    expect({ status, stdout: stdout.toString('latin1') }).toEqual({ status: 0, stdout: raw })
  })

  test('-I asks by HEAD and prints the head alone', async () => {
    const { status, stdout } = await retrieve(['-I', url('readme.txt')])
    expect(servers.http.received.at(-1)).toBe('HEAD /readme.txt HTTP/1.1')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]*\r\n)+\r\n$/)
    expect(stdout).toContain('\r\nContent-Length: 280\r\n')
  })

  test('-I after a redirect prints both heads, as in curl', async () => {
    const { stdout } = await retrieve(['-I', url('redirect/302')])
    expect(stdout.match(/^HTTP\/1\.1 .*$/gm)).toEqual(['HTTP/1.1 302 Found', 'HTTP/1.1 200 OK'])
  })

  test('-I of other mechanisms prints length and date', async () => {
    const { status, stdout } = await retrieve(['-I', `${servers.ftp.url}pub/a.bin`])
    expect(status).toBe(0)
    expect(stdout).toBe('Last-Modified: Sat, 03 Feb 2001 04:05:06 GMT\r\nContent-Length: 4096\r\n\r\n')
    expect((await retrieve(['-i', `${servers.gopher.url}0/readme.txt`])).stdout).not.toContain('Content-')
  })

  test.each([['-i', '-C1', '-C continues it']])('%s with %s is refused', async (head, option, message) => {
    const { status, stderr } = await retrieve([head, option, '-O', url('readme.txt')], { cwd: folder() })
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('an error status', () => {
  const page = 'Nothing \x1b[2Jhere.\r\nTry\tlater.\n'
  const missing = answer(['X-Why: because', 'Set-Cookie: s3cr3t'], page).replace('200 Fine', '404 Not Found')

  test('--no-fail has its page come', async () => {
    answering({ '/x': missing })
    expect(await retrieve(['--no-fail', url('x')])).toEqual({ status: 0, stdout: page, stderr: '' })
    expect((await retrieve(['--no-fail', '-I', url('status/503')])).stdout).toMatch(/^HTTP\/1\.1 503 /)
  })

  test('-v shows its page made harmless, --json the fields too', async () => {
    answering({ '/x': missing })
    const plain = await retrieve([url('x')])
    expect(plain.stderr).toMatch(/^retrieve: [^\n]*404[^\n]*\n$/)
    const verbose = await retrieve(['-v', url('x')])
    expect(verbose.stderr).toContain('\n< Nothing \\e[2Jhere.\n< Try\\tlater.\n')
    const lines = (await retrieve(['--json', url('x')])).stderr
    const response = { headers: { 'x-why': 'because' }, excerpt: page }
    expect(messages(lines)).toMatchObject([{ error: { code: 'not-found', exit: 22, status: 404, response } }])
    expect(`${verbose.stderr}${lines}`).not.toContain('s3cr3t')
  })
})

describe('-J', () => {
  const named = (...fields: readonly string[]): string => answer(fields.map((field) => `Content-Disposition: ${field}`))

  /** The files in the directory after `-OJ URL`. */
  async function saved(
    name: string,
    path: string,
    flags: readonly string[] = ['-OJ'],
  ): Promise<[string[], string, number]> {
    const dir = join(folder(), name)
    mkdirSync(dir, { recursive: true })
    const { status, stderr } = await retrieve([...flags, url(path)], { cwd: dir })
    return [readdirSync(dir), stderr, status]
  }

  test.each([
    ['attachment; filename="report 7.pdf"', 'report 7.pdf'],
    ["attachment; filename=x; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt", 'grüße.txt'],
    ['attachment; filename="../../.bashrc"', '_bashrc'],
    ["attachment; filename*=UTF-8''..%2f..%5c.netrc", '_netrc'],
    ['attachment; filename="/srv/none/of/us"', 'us'],
    ['attachment; filename="-rf"', '_rf'],
    ['attachment; filename="open quote.txt', 'open quote.txt'],
    ['attachment; filename=no quote.txt', 'no quote.txt'],
    ['attachment; filename="|id"', '|id'],
    ['attachment; filename="nul.txt"', 'nul_.txt'],
    ["attachment; filename*=UTF-8''a%0Ab%1B%5B2J", 'a%0Ab%1B[2J'],
    // The URL's name, if the server gives no usable one.
    ['attachment; filename=a; filename=b', 'get'],
    ['attachment; filename=".."', 'get'],
    ['attachment', 'get'],
  ])('%s is saved as %s', async (field, name) => {
    answering({ '/get?id=7': named(field) })
    const [files, stderr, status] = await saved(`named ${name} ${field.length}`, 'get?id=7')
    expect(status).toBe(0)
    expect(files).toEqual([name])
    expect(stderr).toMatch(/^retrieve: [^\n]*: saved as [^\n]*\n$/)
    expect(stderr).toContain(`saved as ${name},`)
  })

  test('two fields name nothing', async () => {
    answering({ '/get': named('attachment; filename=a', 'attachment; filename=b') })
    expect((await saved('two fields', 'get'))[0]).toEqual(['get'])
  })

  test('a file that exists is never overwritten', async () => {
    answering({ '/get': named('attachment; filename=mine') })
    mkdirSync(join(folder(), 'existing'))
    writeFileSync(join(folder(), 'existing/mine'), 'mine')
    const [files, stderr, status] = await saved('existing', 'get')
    expect({ files, status }).toEqual({ files: ['mine'], status: 23 })
    expect(stderr).toMatch(/exists already; remove it, or choose another name/)
    expect(readFileSync(join(folder(), 'existing/mine'), 'utf8')).toBe('mine')
  })

  test('without it the URL as typed names the file, whatever the server says, redirects too', async () => {
    const location = `HTTP/1.1 302 Found\r\nLocation: /evil\r\nContent-Length: 0\r\n\r\n`
    answering({ '/a.tgz': location, '/evil': named('attachment; filename=".bash_profile"') })
    expect((await saved('typed', 'a.tgz', ['-O']))[0]).toEqual(['a.tgz'])
    expect((await saved('decoded', '..%2f..%2f.bashrc', ['--no-fail', '-O']))[0]).toEqual(['_bashrc'])
  })

  test('with -i, the file begins with the header section', async () => {
    answering({ '/get': named('attachment; filename=x') })
    expect(await saved('headed', 'get', ['-i', '-OJ'])).toEqual([['x'], expect.any(String), 0])
    expect(readFileSync(join(folder(), 'headed/x'), 'utf8')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.each([[['-J']], [['-J', '-o', 'x']], [['-OJ', '-C', '-']]])('%j is refused', async (flags) => {
    const before = servers.http.accepted
    expect((await saved('refused', 'get', flags)).slice(2)).toEqual([2])
    expect(servers.http.accepted).toBe(before)
  })
})

test('ls of an index page, as a table and as JSON; get has its octets', async () => {
  const page = readFileSync(new URL('../../../protocols/http/support/index-pages/nginx.html', import.meta.url))
  const octets = page.toString('latin1')
  answering({ '/files/': answer(['Content-Type: text/html'], octets) })
  const { status, stdout } = await retrieve(['ls', url('files/')])
  expect(status).toBe(0)
  expect(stdout).toMatch(/ directory +- {2}2001-02-03 04:05 {2}sub dir +http/)
  expect(stdout).toMatch(/ file +1\.2 MiB {2}2001-02-03 04:05 {2}big\.iso +http/)
  const lines = (await retrieve(['ls', '--json', url('files/')])).stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line)).at(-1)).toEqual({
    name: 'hello.txt',
    kind: 'file',
    url: url('files/hello.txt'),
    size: 7,
    modified: '2001-02-03T04:05:00.000Z',
    details: {},
  })
  await retrieve(['-o', 'index', url('files/')], { cwd: folder() })
  expect(readFileSync(join(folder(), 'index'))).toEqual(page)
})

test('--max-redirs -1 follows more redirects than the default', async () => {
  const redirect = (to: string): string => `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`
  const steps = Array.from({ length: 21 }, (_, step) => [`/${step}`, redirect(`/${step + 1}`)])
  answering({ ...Object.fromEntries(steps), '/21': 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nend\n' })
  expect((await retrieve([url('0')])).status).toBe(47)
  expect(await retrieve(['--max-redirs', '-1', url('0')])).toEqual({ status: 0, stdout: 'end\n', stderr: '' })
})

test('--no-fail and --max-redirs 0 show a redirect in place of following it', async () => {
  answering({ '/moved': 'HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 5\r\n\r\nmoved' })
  const args = ['--max-redirs', '0', url('moved')]
  expect(await retrieve(['-i', '--no-fail', ...args])).toEqual({
    status: 0,
    stdout: 'HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 5\r\n\r\nmoved',
    stderr: '',
  })
  const refused = await retrieve(args)
  expect(refused).toMatchObject({ status: 47, stdout: '' })
  expect(refused.stderr).toContain('no redirects are allowed; --no-fail shows the answer.')
})
