import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTerminal, onPty, type Session } from '../../support/cli/pty.ts'
import { temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { httpProxy, scriptedProxy } from '../../support/wire/scripted-proxy.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  const files = {
    '/escapes.txt': 'a\x1b[2J\tb\r\nc\rd\x9b\n',
    '/octets.bin': Buffer.from([65, 0, 66]),
    '/wide.txt': Buffer.from('\ufeffgr\xFCn \x1b\n', 'utf16le'),
  }
  servers = await startServers({ files })
})
afterAll(() => servers.close())

const filesOf = (name: string): string[] =>
  readdirSync(folder())
    .filter((each) => each.startsWith(name))
    .sort()

/** The screen with messages of several lines as one. */
const unwrapped = (screen: string): string => screen.replace(/\r\n {2}/g, ' ')

const onTerminal = (args: string, typed: Readonly<Record<string, string>> = {}, term = 'xterm'): Promise<Session> =>
  onPty(folder(), args, typed, { term })

describe.skipIf(!hasTerminal)('on a terminal (script of util-linux)', () => {
  test('text has its control characters made visible, LF and TAB kept', async () => {
    expect(await onTerminal(`${servers.http.url}escapes.txt`)).toEqual({
      status: 0,
      screen: 'a\\e[2J\tb\r\nc\\rd\\x9b\r\n',
    })
  })

  test('text in UTF-16, which its byte order mark tells, is no binary', async () => {
    const screen = 'gr\xFCn \\e\r\n'
    expect(await onTerminal(`${servers.http.url}wide.txt`)).toEqual({ status: 0, screen })
  })

  test('binary data is not shown, except with -o -', async () => {
    const url = `${servers.http.url}octets.bin`
    const { status, screen } = await onTerminal(url)
    expect(status).toBe(23)
    expect(unwrapped(screen)).toMatch(/^retrieve: [^\n]*Not shown: this is binary data .*-o -\.\r\n$/)
    expect(await onTerminal(`-o - ${url}`)).toEqual({ status: 0, screen: 'A\0B' })
  })

  test.each(['-i', '-I', '-I --no-fail'])('%s drives no terminal', async (flags) => {
    const reply = 'HTTP/1.1 200 Fine\r\nX-Odd: \xfc\x9b[2J\tb\r\nContent-Length: 0\r\n\r\n'
    servers.http.setFaults({ replies: { '/odd': reply } })
    const { status, screen } = await onTerminal(`${flags} ${servers.http.url}odd`)
    servers.http.setFaults({ replies: {} })
    expect(status).toBe(0)
    expect(screen).toBe('HTTP/1.1 200 Fine\r\nX-Odd: ü\\x9b[2J\\tb\r\nContent-Length: 0\r\n\r\n')
  })

  test.each(['ftp', 'file'])('a listing of %s is shown as a table', async (scheme) => {
    const { screen } = await onTerminal(scheme === 'ftp' ? `${servers.ftp.url}pub/` : `file://${folder()}/`)
    expect(screen).toMatch(/^ +# +KIND +SIZE +NAME\r\n/)
  })

  test('a bar shows how far a file has come, is redrawn ten times a second at most, and goes away', async () => {
    const { status, screen } = await onTerminal(`-m 2 --limit-rate 9M -o bar ${servers.http.url}big`)
    expect(status).toBe(28)
    const lines = screen.split('\r').filter((line) => line.includes('%'))
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.length).toBeLessThanOrEqual(21)
    for (const line of lines) {
      const [bar = ''] = line.split('\x1b[K')
      expect(bar).toMatch(/^ *\d+% (?:\[=*>? *\] )?[\d.]+ \wi?B of 2\.0 GiB, [\d.]+ \w+\/s(?:, [\d:]+ left)?$/)
      expect(bar.length).toBeLessThan(60)
    }
    expect(unwrapped(screen)).toMatch(/\r\x1b\[Kretrieve: [^\r]*--max-time\.\r\n/)
    expect(unwrapped(screen)).toMatch(/\r\nretrieve: [^\r]*: bar\.part keeps the [^\r]* that came; [^\r]*\.\r\n$/)
    expect(filesOf('bar')).toEqual(['bar.part', 'bar.part.json'])
  })

  test('Ctrl-C takes the bar away, with the ^C behind it, and says what it leaves', async () => {
    const { status, screen } = await onTerminal(`-o stopped ${servers.http.url}big`, { '%': '\x03' })
    expect(status).toBe(130)
    expect(unwrapped(screen)).toMatch(
      /\^C(?:\r[^\r]*\x1b\[K)*\r\x1b\[Kretrieve: [^\r]*: stopped\.part keeps the [^\r]*\.\r\n$/,
    )
    // The text on the line when ^C came, and ^C itself, end before the edge.
    const line = /([^\r]*\^C)/.exec(screen)?.[1]?.replace('\x1b[K', '') ?? ''
    expect(line).toContain('%')
    expect(line.length).toBeLessThan(60)
    expect(filesOf('stopped')).toEqual(['stopped.part', 'stopped.part.json'])
  })

  test('no bar on a dumb terminal', async () => {
    // Long enough for a busy machine to begin the body, of which the file keeps what came.
    const { screen } = await onTerminal(`-m 2 --limit-rate 9M -o bar ${servers.http.url}big`, {}, 'dumb')
    expect(unwrapped(screen)).toMatch(/^(?:retrieve: [^\r]*\r\n){2}$/)
  })

  test.each(['-s', '--json'])('no bar with %s', async (flag) => {
    expect((await onTerminal(`${flag} -m 0.5 --limit-rate 9M -o bar ${servers.http.url}big`)).screen).not.toContain('%')
  })

  test('a password is asked for, and not shown', async () => {
    const prompt = `Password of alice at ${new URL(servers.http.url).host} ("retriever test"): `
    const url = `${servers.http.url}auth/readme.txt`
    const { status, screen } = await onTerminal(`-s -u alice -o asked ${url} -o again ${url}`, { [prompt]: 'secret\r' })
    expect({ status, screen: screen.replace(/\x1b\[\d*[A-Z]/g, '') }).toEqual({ status: 0, screen: `${prompt}\r\n` })
    expect(readFileSync(join(folder(), 'asked'), 'utf8')).toContain('test server')
    expect(readFileSync(join(folder(), 'again'), 'utf8')).toContain('test server')
  })

  test('so is a user', async () => {
    const { host } = new URL(servers.http.url)
    const typed = {
      [`User at ${host} ("retriever test"): `]: 'alice\r',
      [`alice at ${host} ("retriever test"): `]: 'secret\r',
    }
    const { status, screen } = await onTerminal(`-o asked ${servers.http.url}auth/readme.txt`, typed)
    expect(status).toBe(0)
    expect(screen).not.toContain('secret')
  })

  test('a question is wrapped between words, and tells nothing but the port where a realm repeats the host', async () => {
    const challenge = `Basic realm="${'Only for the staff of the harbour office, '.repeat(3)}\x9b[2J"`
    const reply = `HTTP/1.1 401 No\r\nWWW-Authenticate: ${challenge}\r\nContent-Length: 0\r\n\r\n`
    servers.http.setFaults({ replies: { '/long': reply } })
    const { screen } = await onPty(folder(), `${servers.http.url}long`, { '[2J"): ': '\x04' }, { columns: 40 })
    servers.http.setFaults({ replies: {} })
    const lines = screen.replace(/\x1b\[\d*[A-Z]/g, '').split(/\r+\n/)
    expect(lines[0]).toMatch(/^User at 127\.0\.0\.1:\d+ \("Only for the$/)
    expect(lines.slice(0, 4).every((line) => line.length <= 40)).toBe(true)
    const ftp = await onTerminal(`${servers.ftp.url.replace('//', '//alice@')}x`, { 'Password of': '\x04' })
    expect(ftp.screen).toContain(`Password of alice at ${new URL(servers.ftp.url).host}: `)
  })

  test('so is an account, once for all that the session retrieves', async () => {
    const prompt = `Account for bob@${new URL(servers.ftp.url).host}: `
    const url = `${servers.ftp.url.replace('//', '//bob:secret@')}etc/motd`
    const { status, screen } = await onTerminal(`-s -o asked ${url} -o again ${url}`, { [prompt]: 's4les\r' })
    expect({ status, screen: screen.replace(/\x1b\[\d*[A-Z]/g, '') }).toEqual({ status: 0, screen: `${prompt}\r\n` })
    expect(servers.ftp.received.filter((line) => line.startsWith('ACCT'))).toEqual(['ACCT s4les'])
    expect(readFileSync(join(folder(), 'again'), 'utf8')).toContain('test server')
  })

  test('that of a proxy is asked for once, for all URLs', async () => {
    await using proxy = await scriptedProxy(httpProxy({ login: 'alice:s3cr3t' }))
    const prompt = 'Password of alice at the proxy: '
    const args = `-U alice -x 127.0.0.1:${proxy.port} http://one.example/ http://two.example/`
    const { status, screen } = await onTerminal(args, { [prompt]: 's3cr3t\r' })
    expect(status).toBe(0)
    expect(screen.split(prompt)).toHaveLength(2)
    expect(screen.match(/through the proxy/g)).toHaveLength(2)
    expect(screen).not.toContain('s3cr3t')
  })

  test('Ctrl-C at the prompt is an interrupt', async () => {
    const { status } = await onTerminal(`-u alice ${servers.http.url}auth/`, { 'Password of alice': '\x03' })
    expect(status).toBe(130)
  })

  test('Ctrl-D at the prompt is no answer', async () => {
    const { status } = await onTerminal(`${servers.http.url}auth/`, { 'User at': '\x04' })
    expect(status).toBe(67)
  })
})

test.skipIf(hasTerminal)('SKIPPED: terminal tests need script(1) of util-linux', () => {})
