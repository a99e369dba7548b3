import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { options } from '../../../packages/cli/src/options/index.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

interface Sent {
  readonly plan: { readonly wire: readonly string[]; readonly unknown?: Readonly<Record<string, string>> }
  readonly proxy?: string
  readonly place?: string
  readonly refused?: { readonly code: string; readonly message: string }
}

async function sent(...args: readonly string[]): Promise<Sent> {
  const { stdout } = await retrieve(['explain', '--json', ...args], { cwd: folder() })
  return JSON.parse(stdout)
}

const fields = async (...args: readonly string[]): Promise<readonly string[]> =>
  (await sent(...args)).plan.wire[0]?.trimEnd().split('\r\n') ?? []

test('an HTTP request is shown with all its fields, in their order', async () => {
  expect(await fields('http://u:p@h/x?y')).toEqual([
    'GET /x?y HTTP/1.1',
    'Host: h',
    'Connection: keep-alive',
    'User-Agent: Retriever/0.2',
    'Accept: */*',
    'Accept-Encoding: identity',
    'Authorization: Basic <password>',
  ])
})

test.each<[readonly string[], string]>([
  [['-I'], 'HEAD / HTTP/1.1'],
  [['-u', 'a:secret'], 'Authorization: Basic <password>'],
  [['--oauth2-bearer', 'mF_9.B5f'], 'Authorization: Bearer <password>'],
  [['-H', 'X-A: b c'], 'X-A: b c'],
  [['-H', 'X-Api-Key: s3cr3t'], 'X-Api-Key: <password>'],
  [['-H', 'Host: other'], 'Host: other'],
  [['-A', 'me'], 'User-Agent: me'],
  [['-e', 'http://r/'], 'Referer: http://r/'],
  [['-b', 'a=s3cr3t'], 'Cookie: <password>'],
  [['-b', 'jar'], 'Cookie: <password>'],
  [['-r', '0-9,-5'], 'Range: bytes=0-9,-5'],
  [['-C', '7'], 'Range: bytes=7-'],
  [['--split', '4'], 'Range: bytes=0-4194303'],
  [['--accept', 'text/x', '--accept-language', 'de'], 'Accept-Language: de'],
  [['-z', '2001-02-03 04:05:06 UTC'], 'If-Modified-Since: Sat, 03 Feb 2001 04:05:06 GMT'],
  [['--etag-compare', 'tag'], 'If-None-Match: "v1"'],
  [['-G', '-d', 'a=b'], 'GET /?a=b HTTP/1.1'],
])('%j changes what is sent, and explain shows it', async (args, field) => {
  writeFileSync(join(folder(), 'tag'), '"v1"\n')
  writeFileSync(join(folder(), 'jar'), 'h\tFALSE\t/\tFALSE\t0\tname\ts3cr3t\n')
  const found = await fields(...args, 'http://h/')
  expect(found).toContain(field)
  expect(found.join()).not.toContain('s3cr3t')
})

test('--compressed offers the codings that this Node undoes', async () => {
  expect((await fields('--compressed', 'http://h/')).join()).toMatch(/Accept-Encoding: (?:\w+, )*gzip/)
})

test.each<[readonly string[], readonly string[]]>([
  [['ftp://h/x'], ['USER anonymous', 'PASS anonymous@', 'TYPE I', 'SIZE x', 'MDTM x', 'EPSV', 'RETR x']],
  [
    ['-I', 'ftp://h/x'],
    ['USER anonymous', 'PASS anonymous@', 'TYPE I', 'SIZE x', 'MDTM x'],
  ],
  [
    ['-u', 'al:pw', '-r', '5-', '--disable-epsv', 'ftp://h/x'],
    ['USER al', 'PASS <password>', 'TYPE I', 'SIZE x', 'MDTM x', 'PASV', 'REST 5', 'RETR x'],
  ],
  [
    ['--no-pipelining', 'ftp://h/x'],
    ['USER anonymous', 'PASS anonymous@', 'TYPE I', 'EPSV', 'RETR x'],
  ],
  [
    ['-l', 'ftp://h/d/'],
    ['USER anonymous', 'PASS anonymous@', 'CWD d', 'TYPE A', 'EPSV', 'NLST'],
  ],
  [['dict://user;AUTH@h/d:x'], ['AUTH user <md5>', 'DEFINE ! x']],
  [['pop://alice@h/1'], ['<login>', 'RETR 1', 'QUIT']],
  [
    ['-I', 'nntp://h/g/1'],
    ['GROUP g', 'HEAD 1'],
  ],
  [
    ['--accept', 'text/plain', 'gopher://h/0/x'],
    ['/x\t!', '<item>'],
  ],
])('%j sends %j', async (args, lines) => {
  const { plan } = await sent(...args)
  expect(plan.wire.map((line) => line.trimEnd())).toEqual(lines)
  const open = lines.flatMap((line) => line.match(/<[a-z\d]+>/g) ?? []).filter((part) => part !== '<password>')
  expect(Object.keys(plan.unknown ?? {})).toEqual(open)
})

test('--limit is part of an LDAP search', async () => {
  const [one, other] = [await sent('ldap://h/o=x'), await sent('--limit', '5', 'ldap://h/o=x')]
  expect(one.plan.wire[0]).toContain('\x02\x01\0\x02\x01\0')
  expect(other.plan.wire[0]).toContain('\x02\x01\x05\x02\x01\0')
})

test.each<[readonly string[], readonly string[]]>([
  [['ldapi:///o=x'], ['60', '63', '42']],
  [
    ['-u', ':', 'ldapi:///o=x'],
    ['63', '42'],
  ],
  [['ldapi:///o=x????bindname='], ['63', '42']],
  [['ldap://h/o=x'], ['63', '42']],
])('%j: the login of a local socket, the search and the end, by their tags %j', async (args, tags) => {
  const { plan } = await sent(...args)
  // A message begins with its length, and its number.
  expect(plan.wire.map((message) => message.charCodeAt(5).toString(16))).toEqual(tags)
})

test('the search of ;query= is shown', async () => {
  const { plan } = await sent('z39.50s://h/db;query=water')
  expect(plan.wire[1]).toContain('water')
})

test('a WebSocket is shown with all its fields', async () => {
  const [request] = (await sent('-H', 'X-A: b', 'ws://h/')).plan.wire
  expect(request).toBe(
    'GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: <key>\r\n' +
      'Sec-WebSocket-Version: 13\r\nX-A: b\r\n\r\n',
  )
})

describe('through a proxy', () => {
  test.each<[readonly string[], readonly (string | RegExp)[]]>([
    [['http://h/x'], [/^GET http:\/\/h\/x HTTP\/1\.1\r\nHost: h\r\n/]],
    [['ftp://h/x'], [/^GET ftp:\/\/h\/x;type=i HTTP\/1\.1\r\nHost: h\r\n/]],
    [['https://h/'], [/^CONNECT h:443 HTTP\/1\.1\r\nHost: h:443\r\n/, /^GET \/ HTTP\/1\.1\r\n/]],
    [
      ['-p', 'http://h/'],
      [/^CONNECT h:80 HTTP\/1\.1\r\n/, /^GET \/ HTTP\/1\.1\r\n/],
    ],
  ])('%j sends it what a retrieval would', async (args, messages) => {
    const { plan, proxy } = await sent('-x', 'http://127.0.0.1:3128', '-U', 'me:s3cr3t', ...args)
    expect(proxy).toBe('http://127.0.0.1:3128')
    expect(plan.wire).toEqual(messages.map((message) => expect.stringMatching(message)))
    expect(plan.wire[0]).toContain('Proxy-Authorization: Basic <password>\r\n')
  })
})

describe('the way to the server', () => {
  const proxy = ['-x', 'http://127.0.0.1:3128'] as const

  test.each<[readonly string[], Pick<Sent, 'proxy' | 'place'>, RegExp]>([
    [['--unix-socket', '/run/x.sock', ...proxy, 'http://h/'], { place: '/run/x.sock' }, /^GET \/ HTTP/],
    [['--connect-to', 'h:80:other:8080', 'http://h/'], { place: 'other:8080' }, /^GET \/ HTTP\/1\.1\r\nHost: h\r\n/],
    [['--connect-to', 'x:80:other:8080', 'http://h/'], {}, /^GET \/ HTTP/],
    [
      ['--connect-to', 'h:80:other:8080', ...proxy, 'http://h/'],
      { proxy: 'http://127.0.0.1:3128', place: 'other:8080' },
      /^CONNECT other:8080 HTTP/,
    ],
  ])('%j leads to %j', async (args, expected, request) => {
    const { proxy, place, plan } = await sent(...args)
    expect({ proxy, place }).toEqual({ proxy: undefined, place: undefined, ...expected })
    expect(plan.wire[0]).toMatch(request)
    const { stdout } = await retrieve(['explain', ...args])
    expect(/^ {2}at {7}(.*)$/m.exec(stdout)?.[1]).toBe(expected.place)
  })

  test('--no-alpn offers no HTTP/2', async () => {
    expect((await sent('https://h/')).plan.unknown).toHaveProperty('HTTP/1.1')
    expect((await sent('--no-alpn', 'https://h/')).plan).not.toHaveProperty('unknown')
  })

  test('--public-only refuses a socket, as for get', async () => {
    const args = ['--public-only', '--unix-socket', '/run/x.sock', 'http://h/']
    expect((await sent(...args)).refused?.message).toContain('Unix domain socket')
    expect((await retrieve(args)).status).toBe((await retrieve(['explain', ...args])).status)
  })
})

describe('a URL that is refused', () => {
  test.each<[readonly string[], RegExp]>([
    [['gopher://h:25/x'], /^REFUSED: Port 25 .*--allow-port 25 .*\.\ngopher:\/\/h:25\/x\n/],
    [['ftp://h/%0D%0AX'], /^REFUSED: .* This cannot be allowed\.\nftp:/],
    [['--proto', '=https', 'http://h/'], /^REFUSED: http is not among the schemes/],
    [['--public-only', 'file:///etc/motd'], /^REFUSED: file URLs lead to this machine itself/],
    [['--public-only', 'http://127.0.0.1:8080/'], /^REFUSED: 127\.0\.0\.1 is no public address/],
    [
      ['--public-only', '--allow-address', '127.0.0.1:8081', 'http://127.0.0.1:8080/'],
      /^REFUSED: 127\.0\.0\.1 is no public address/,
    ],
  ])('%j says so first, and exits as its retrieval does', async (args, text) => {
    const explained = await retrieve(['explain', ...args])
    expect(explained.stdout).toMatch(text)
    expect(explained.status).toBe((await retrieve(args)).status)
    expect((await sent(...args)).refused?.code).toBe('refused')
  })

  test.each([
    [['--allow-port', '25', 'gopher://h:25/x'], /^gopher:/],
    [['--public-only', '--allow-address', '127.0.0.1:8080', 'http://127.0.0.1:8080/'], /^http:/],
  ])('and one that the options allow is not: %j', async (args, text) => {
    const { status, stdout } = await retrieve(['explain', ...args])
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(text) })
  })
})

test('a port that is not the usual one is a notice in the text, too (RFC 1738 6)', async () => {
  const { stdout } = await retrieve(['explain', 'http://h:8080/', 'ftp://h:2121/'])
  expect(stdout.match(/^ {2}notice {3}The URL asks for port \d+; \w+ normally uses \d+\./gm)).toHaveLength(2)
})

describe('-C - shows the request for the rest, by the file on the disk', () => {
  const content = 'x'.repeat(10_000)
  const lines = (...fields: readonly string[]): string => `HTTP/1.1 200 OK\r\n${fields.join('\r\n')}\r\n`
  const state = (): unknown => {
    const names = readdirSync(folder()).filter((name) => name.startsWith('file'))
    return names.sort().map((name) => [name, statSync(join(folder(), name)).mtimeMs])
  }

  test.each<[string, readonly string[], readonly string[]]>([
    ['an entity tag proves the version', ['ETag: "v1"'], ['Range: bytes=4000-', 'If-Range: "v1"']],
    ['a weak one does not', ['ETag: W/"v1"'], []],
    ['nothing does', [], []],
  ])('%s', async (_, fields, expected) => {
    const cut = `${lines(...fields, `Content-Length: ${content.length}`)}\r\n${content.slice(0, 4000)}`
    await using server = await scriptedHttp(() => ({ octets: cut, end: 'fin' }))
    const args = ['-o', 'file', `${server.url}big`]
    expect((await retrieve(['--retry', '0', ...args], { cwd: folder() })).status).toBe(18)
    const before = state()
    const { plan } = await sent('-C', '-', ...args)
    expect(plan.wire[0]?.split('\r\n').filter((line) => /^(?:if-)?range:/i.test(line))).toEqual(expected)
    expect(state()).toEqual(before)
    await retrieve(['--retry', '0', '-C', '-', ...args], { cwd: folder() })
    expect(server.heads[1]).toBe(plan.wire[0])
    for (const name of readdirSync(folder())) if (name.startsWith('file')) rmSync(join(folder(), name))
  })

  test('-O names it, in the folder of --output-dir; --continue-unverified asks for its last octets again', async () => {
    mkdirSync(join(folder(), 'd'), { recursive: true })
    writeFileSync(join(folder(), 'd', 'name'), content)
    const args = ['--output-dir', 'd', '-O', 'http://h/name'] as const
    expect((await fields('-C', '-', ...args)).join()).not.toContain('Range')
    expect(await fields('-C', '-', '--continue-unverified', ...args)).toContain('Range: bytes=5904-')
    const { plan } = await sent('-C', '-', '--continue-unverified', '--output-dir', 'd', '-O', 'ftp://h/name')
    expect(plan.wire).toContain('REST 5904\r\n')
  })

  test('it starts over if nothing is proved, and says so', async () => {
    writeFileSync(join(folder(), 'old'), content)
    const { stderr } = await retrieve(['explain', '-C', '-', '-o', 'old', 'http://h/'], { cwd: folder() })
    expect(stderr).toContain('it starts over: nothing proves which version old holds')
  })

  test('a file that is a link is an error, as for get', async () => {
    symlinkSync('old', join(folder(), 'link'))
    const args = ['-C', '-', '-o', 'link', 'http://h/']
    const { status, stdout } = await retrieve(['explain', ...args], { cwd: folder() })
    expect({ status, stdout }).toEqual({ status: 23, stdout: expect.stringContaining('not a link') })
  })

  test('without a file it is a mistake, as for get', async () => {
    const { status, stderr } = await retrieve(['explain', '-C', '-', 'http://h/'])
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('name it with -o FILE or -O') })
  })
})

test('every option of get that changes what is sent is taken by explain', async () => {
  const left = options.filter(({ sent, commands }) => sent && commands !== undefined && !commands.includes('explain'))
  expect(left.map(({ long }) => long)).toEqual([])
})

test('a request is the one that the server gets', async () => {
  await using servers = await startServers({ http: true })
  const url = `${servers.http.url}echo`
  const args = ['-H', 'X-A: b', '-A', 'me', '-r', '0-2', '--accept', 'text/x', url]
  const [request] = (await sent(...args)).plan.wire
  const { stdout } = await retrieve(['--no-fail', ...args])
  expect(stdout).toBe(request?.slice(0, stdout.length))
  expect(servers.http.requests.at(-1)?.headers).toEqual(
    Object.fromEntries(
      (request ?? '')
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    ),
  )
})

test.skipIf(process.platform === 'win32')('the files of LDAP are not read for a URL of another scheme', async () => {
  const home = join(folder(), 'home')
  mkdirSync(home)
  // A program that opens this file waits for a writer.
  execFileSync('mkfifo', [join(home, '.ldaprc')])
  const { status } = await retrieve(['explain', 'ftp://h/x'], { env: { HOME: home } })
  expect(status).toBe(0)
})
