import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { netrcLogin, readNetrcText } from '../../../../packages/cli/src/netrc.ts'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** The logins that came, in order; a server that wants one, and takes any. */
const logins: string[] = []
const server = createServer(({ headers, url }, response) => {
  const [, octets = ''] = /^Basic (.*)$/.exec(headers.authorization ?? '') ?? []
  if (octets === '') response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' })
  else logins.push(Buffer.from(octets, 'base64').toString())
  if (url === '/other' && octets !== '')
    response.writeHead(302, { Location: `http://localhost:${host.split(':')[1]}/` })
  response.end('ok')
})
let host = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  writeFileSync(join(folder(), 'logins'), text)
  writeFileSync(join(folder(), '.netrc'), 'machine 127.0.0.1 login home password own\n')
})
afterAll(() => server.close())

const text = `# machine 127.0.0.1 login not password not
machine 127.0.0.1 login bob password s3same
macdef init
machine 127.0.0.1 login macro password macro

machine 127.0.0.1
  login "al ice"
  account x
  password "a \\"b\\""
default login anonymous password me
`

const file = ['--netrc-file', 'logins']
test.each([
  [file, '', 'bob:s3same'],
  [['-n', ...file], '', 'bob:s3same'],
  [[...file, '-u', 'z:y'], '', 'z:y'],
  [file, 'bob@', 'bob:s3same'],
  [file, 'al%20ice@', 'al ice:a "b"'],
  [file, 'u:p@', 'u:me'],
  [['--netrc-optional', ...file], 'u:p@', 'u:p'],
  [['--netrc-optional', ...file], '', 'bob:s3same'],
  [['-n'], '', 'home:own'],
  [['--netrc-optional'], '', 'home:own'],
  [['--netrc-optional', '--netrc-file', 'missing'], 'u:p@', 'u:p'],
])('%j with http://%s is the login of curl', async (typed, user, login) => {
  const settings = { cwd: folder(), env: { HOME: folder() } }
  const argv = ['-sS', ...typed, `http://${user}${host}/`]
  logins.length = 0
  expect(await retrieve(argv, settings)).toMatchObject({ status: 0, stdout: 'ok' })
  expect(logins).toEqual([login])
  const byCurl = await curl(argv, folder())
  if (byCurl !== null) expect(logins).toEqual([login, login])
})

/** The output of curl; null where it is not there. */
async function curl(argv: readonly string[], home: string): Promise<string | null> {
  try {
    const env = { PATH: process.env.PATH, HOME: home }
    return (await promisify(execFile)('curl', argv, { cwd: home, env })).stdout
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

test('a host that a redirect names has its own login, which goes with the first request', async () => {
  writeFileSync(join(folder(), 'two'), 'machine 127.0.0.1 login a password b\nmachine localhost login c password d\n')
  const argv = ['-sS', '-L', '--netrc-file', 'two', `http://${host}/other`]
  logins.length = 0
  expect(await retrieve(argv, { cwd: folder() })).toMatchObject({ status: 0, stdout: 'ok' })
  expect(logins).toEqual(['a:b', 'c:d'])
  if ((await curl(argv, folder())) !== null) expect(logins).toEqual(['a:b', 'c:d', 'a:b', 'c:d'])
})

test('$NETRC names the file in place of ~/.netrc', async () => {
  const env = { HOME: folder(), NETRC: join(folder(), 'logins') }
  logins.length = 0
  expect(await retrieve(['-sS', '-n', `http://${host}/`], { cwd: folder(), env })).toMatchObject({ status: 0 })
  expect(logins).toEqual(['bob:s3same'])
})

test('an entry without a user has a password for any', () => {
  const netrc = { entries: readNetrcText('machine h password p machine h login b password q'), overrides: true }
  expect(netrcLogin(netrc, 'h', 'a')).toEqual({ user: 'a', password: 'p' })
  expect(netrcLogin(netrc, 'h', null)).toEqual({ user: '', password: 'p' })
})

test('a macro ends with an empty line, also where lines end in CRLF', () => {
  const lines = ['macdef init', 'machine evil login a password b', 'cd x', '', 'machine h login c password d', '']
  for (const end of ['\n', '\r\n'])
    expect(readNetrcText(lines.join(end))).toEqual([{ machine: 'h', login: 'c', password: 'd' }])
})

test('FTP logs in with it, and not as anonymous first', async () => {
  await using servers = await startServers({ ftp: { auth: 'required', accounts: { bob: 's3same' } } })
  const url = `${servers.ftp.url}pub/hello.txt`
  const { status, stdout, stderr } = await retrieve(['-v', ...file, url], { cwd: folder() })
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Hello, world.\n' })
  expect(stderr).toContain('> USER bob')
  expect(stderr).not.toContain('anonymous')
  expect(stderr).not.toContain('s3same')
})

test('a ~/.netrc that is missing is empty, and a FILE that is missing is an error', async () => {
  const settings = { cwd: folder(), env: { HOME: join(folder(), 'missing') } }
  expect(await retrieve(['-n', 'data:,x'], settings)).toEqual({ status: 0, stdout: 'x', stderr: '' })
  const stderr = 'retrieve: --netrc-file missing cannot be read: there is no such file.\n'
  expect(await retrieve(['--netrc-file', 'missing', 'data:,x'], settings)).toEqual({ status: 37, stdout: '', stderr })
})

test('hosts are compared without case, and without the brackets of IPv6', () => {
  const entries = readNetrcText('machine WWW.Example.org login a password b machine ::1 login c password d')
  const netrc = { entries, overrides: true }
  expect(netrcLogin(netrc, 'www.example.ORG', null)).toEqual({ user: 'a', password: 'b' })
  expect(netrcLogin(netrc, '[::1]', null)).toEqual({ user: 'c', password: 'd' })
  expect(netrcLogin(netrc, 'other.example.org', null)).toBeNull()
  expect(netrcLogin(netrc, '[::1]', 'a')).toBeNull()
})

test('case 16, `default` is for the hosts that were typed alone: a redirect gets nothing, at once or when it asks', async () => {
  writeFileSync(join(folder(), 'any'), 'default login d password e\n', { mode: 0o600 })
  for (const more of [[], ['--anyauth']]) {
    logins.length = 0
    const argv = ['-sS', '--netrc-file', 'any', ...more]
    expect(await retrieve([...argv, `http://${host}/`], { cwd: folder() })).toMatchObject({ status: 0 })
    expect(logins).toEqual(['d:e'])
    logins.length = 0
    expect(await retrieve([...argv, `http://${host}/other`], { cwd: folder() })).toMatchObject({ status: 67 })
    expect(logins).toEqual(['d:e'])
  }
})

test('case 88, a file that others may read is warned about once', async () => {
  const path = join(folder(), 'open')
  writeFileSync(path, 'machine 127.0.0.1 login a password b\n')
  const argv = ['-sS', '--netrc-file', path, 'data:,x', 'data:,y']
  chmodSync(path, 0o600)
  expect(await retrieve(argv)).toEqual({ status: 0, stdout: 'xy', stderr: '' })
  chmodSync(path, 0o604)
  expect((await retrieve(argv)).stderr).toBe('')
  const { stderr } = await retrieve(argv.slice(1))
  expect(stderr).toBe(`retrieve: warning: Other users can read ${path}, which holds passwords: chmod 600 ${path}\n`)
})

test('case 88, a ~/.netrc that is no regular file is not waited for', async () => {
  const home = join(folder(), 'special')
  mkdirSync(home)
  await promisify(execFile)('mkfifo', [join(home, '.netrc')])
  // Without this program, a defect would wait in a call that no test can end.
  const writer = execFile('sh', ['-c', `echo 'default login d password e' > "$HOME/.netrc"`], { env: { HOME: home } })
  logins.length = 0
  expect(await retrieve(['-sSn', `http://${host}/`], { env: { HOME: home } })).toMatchObject({ status: 67 })
  expect(logins).toEqual([])
  writer.kill()
})

test('case 88, a line end in a password ends no command', async () => {
  await using servers = await startServers({ ftp: true })
  writeFileSync(join(folder(), 'lines'), 'default login bob password "s3same\\r\\nDELE x"\n', { mode: 0o600 })
  const { status, stderr } = await retrieve(['--netrc-file', 'lines', servers.ftp.url], { cwd: folder() })
  expect(status).toBe(9)
  expect(stderr).not.toContain('s3same')
  expect(servers.ftp.received.join('\n')).not.toMatch(/DELE|s3same/)
})

test.each([
  // Without quotes, a password ends at a blank; the next words are no keys that would take the words behind them.
  ['machine h login a password my secret\ndefault login b password c', 'a:my'],
  ['machine h login a password my secret x\nmachine other login b password c', 'a:my'],
  ['machine x login b password my secret\nmachine h login a password p', 'a:p'],
  ['machine h account login login a password p', 'a:p'],
  // A quote that stays open does not take the next lines.
  ['machine h login a password "p\nmachine x login b password "q"', 'a:p'],
])('words without a meaning change no other login: %j', (text, expected) => {
  const login = netrcLogin({ entries: readNetrcText(text), overrides: true }, 'h', null)
  expect(`${login?.user}:${login?.password}`).toBe(expected)
})
