/** --handoff and `open URL`: programs get their arguments octet by octet, never through a shell. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { type Outcome, retrieve, retrieveApart, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { FakePrograms } from '../../support/fake-programs.ts'

useBundle()
const folder = temporaryFolder()
let programs: FakePrograms
let servers: TestServers<'gopher'>

const names = ['telnet', 'c3270', 'weechat', 'mpv', 'sftp', 'man', 'info', 'whatis', 'yelp', 'xdg-open', 'open']

beforeAll(async () => {
  programs = new FakePrograms(join(folder(), 'bin'))
  for (const name of names) programs.add(name)
  const menu = '8A service\tguest\th.example\t23\r\nhA file\tURL:file:///etc/hostname\t(NULL)\t0\r\n.\r\n'
  servers = await startServers({ gopher: { faults: { replies: { '/services': menu } } } })
})
afterAll(() => servers.close())

// What the tests before have run is forgotten.
beforeEach(() => {
  for (const name of names) programs.take(name)
})

/** Runs the command with the fake programs as the only ones, in a folder that must stay empty. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  command = retrieve,
): Promise<Outcome> {
  const cwd = join(folder(), 'cwd')
  mkdirSync(cwd, { recursive: true })
  const outcome = await command(args, { cwd, env: { PATH: programs.folder, ...env } })
  expect(readdirSync(cwd)).toEqual([])
  return outcome
}

/** The only program that was run, with its arguments. */
function ran(): (string | undefined)[] {
  const runs = names.flatMap((name) => {
    const recorded = programs.take(name)
    return recorded === null ? [] : [[name, ...recorded.args]]
  })
  expect(runs.length).toBeLessThanOrEqual(1)
  return runs[0] ?? []
}

const isMac = process.platform === 'darwin'
const opener = isMac ? 'open' : 'xdg-open'

describe.skipIf(process.platform === 'win32')('a program gets the URL', () => {
  test.each<[url: string, words: string[]]>([
    ['telnet://h.example:2323/', ['telnet', '--', 'h.example', '2323']],
    ['telnet://x%3Btouch%20pwned@h.example/', ['telnet', '-l', 'x;touch pwned', '--', 'h.example', '23']],
    ['telnet://$(touch%20pwned)@h.example/', ['telnet', '-l', '$(touch pwned)', '--', 'h.example', '23']],
    ['telnet://%60touch%20pwned%60@h.example/', ['telnet', '-l', '`touch pwned`', '--', 'h.example', '23']],
    ["telnet://'%22@h.example/", ['telnet', '-l', '\'"', '--', 'h.example', '23']],
    ['telnet://gr%C3%BC%C3%9F@h.example/', ['telnet', '-l', 'gr\xc3\xbc\xc3\x9f', '--', 'h.example', '23']],
    ['telnet://[::1]/', ['telnet', '--', '::1', '23']],
    ['tn3270://h.example:2323/', ['c3270', 'h.example:2323']],
    ['sftp://alice@h.example/pub/a;b', ['sftp', '-P', '22', '--', 'alice@h.example:/pub/']],
    ['sftp://h.example/%60touch%20pwned%60/a', ['sftp', '-P', '22', '--', 'h.example']],
    ['irc://h.example/a%3Btouch%20pwned', ['weechat', 'irc://h.example:6667/#a%3Btouch%20pwned']],
    ['man:ls(1)', ['man', '--', '1', 'ls']],
    ['info:(gcc)%60touch%20pwned%60', ['info', '-f', 'gcc', '-n', '`touch pwned`']],
    ['whatis:a%3Btouch%20pwned', ['whatis', '--', 'a;touch pwned']],
    [
      'http://h.example/$(touch%20pwned);touch%20pwned',
      [opener, 'http://h.example/%24%28touch%20pwned%29;touch%20pwned'],
    ],
    ["http://h.example/'%22%60touch%60", [opener, 'http://h.example/%27%22%60touch%60']],
    ['http://h.example/a%0Ab', [opener, 'http://h.example/a%0Ab']],
    ['mailto:a@b?subject=%22%3Btouch%20pwned', [opener, 'mailto:a@b?subject=%22%3Btouch%20pwned']],
    ['mailto:a@b?attach=/etc/passwd&bcc=c@d&body=x%0D%0Ay', [opener, 'mailto:a@b?body=x%0D%0Ay']],
    ['ftp://alice:s3cret@h.example/a', [opener, 'ftp://alice@h.example/a']],
    ['WWW.example.org/a', [opener, 'http://www.example.org/a']],
    ['<URL:http://h.example/a>', [opener, 'http://h.example/a']],
  ])('%s', async (url, words) => {
    for (const line of [
      ['--handoff', url],
      ['open', url],
    ]) {
      const { status, stdout, stderr } = await run(line)
      expect(ran()).toEqual(words)
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
      expect(stderr).toContain(`retrieve: running: ${words[0]} `)
      expect(stderr).not.toContain('s3cret')
    }
  })

  test('it is printed before it runs, and its exit status is that of the command', async () => {
    programs.add('telnet', { status: 5, says: 'the program speaks' })
    const { status, stderr } = await run(['--handoff', 'telnet://h.example/'], {}, retrieveApart)
    programs.add('telnet')
    expect({ status, stderr }).toEqual({
      status: 5,
      stderr: 'retrieve: running: telnet -- h.example 23\nthe program speaks',
    })
  })

  test('--json has the fields; a password is not among them', async () => {
    const { stderr } = await run(['--handoff', '--json', '-s', 'telnet://alice:s3cret@h.example/'])
    const handoffs = stderr
      .trimEnd()
      .split('\n')
      .flatMap((line) => JSON.parse(line).handoff ?? [])
    expect(handoffs).toEqual([
      {
        url: 'telnet://alice:***@h.example/',
        service: 'telnet',
        host: 'h.example',
        port: 23,
        user: 'alice',
        program: 'telnet',
        args: ['-l', 'alice', '--', 'h.example', '23'],
      },
    ])
  })

  test('it gets what it needs of the environment, and no secrets', async () => {
    await run(['--handoff', 'telnet://h.example/'], {
      AWS_SECRET_ACCESS_KEY: 's3cret',
      LD_PRELOAD_OF_MINE: 's3cret',
      http_proxy: 'http://alice:s3cret@proxy.example/',
      https_proxy: 'http://proxy.example/',
      DISPLAY: ':99',
      XDG_RUNTIME_DIR: '/nonexistent',
      LC_ALL: 'C',
      BROWSER: 'lynx',
    })
    const { env } = programs.take('telnet') ?? expect.fail('telnet was not run')
    expect([...env.values()].join('\n')).not.toContain('s3cret')
    const wanted = {
      DISPLAY: ':99',
      XDG_RUNTIME_DIR: '/nonexistent',
      LC_ALL: 'C',
      BROWSER: 'lynx',
      PATH: programs.folder,
    }
    for (const [name, value] of Object.entries(wanted)) expect(env.get(name)).toBe(value)
    expect(env.get('https_proxy')).toBe('http://proxy.example/')
  })

  test('several URLs, one after another; the first exit status that is not 0 counts', async () => {
    programs.add('c3270', { status: 7 })
    const { status, stderr } = await run(['--handoff', 'tn3270://a.example/', 'nosuch:x', 'telnet://b.example/'])
    programs.add('c3270')
    expect(status).toBe(7)
    expect(stderr).toMatch(/running: c3270 a\.example:23\n.*nosuch.*\n.*running: telnet -- b\.example 23\n$/s)
    expect(programs.take('telnet')?.args).toEqual(['--', 'b.example', '23'])
    programs.take('c3270')
  })

  test('a desktop without a program for a scheme: a sentence, and not what the desktop tried', async () => {
    programs.add(opener, { status: 3, says: 'firefox: not found\\nw3m: not found' })
    const { status, stderr } = await run(['open', 'afs://h.example/x', 'mailto:a@b.example'])
    programs.add(opener)
    programs.take(opener)
    expect(status).toBe(3)
    const what = `No program of this desktop opened it \\(exit status 3 of ${opener}\\)\\.`
    expect(stderr).toMatch(new RegExp(`^retrieve: afs://h\\.example/x: ${what} \\S.*\\.$`, 'm'))
    expect(stderr).toMatch(new RegExp(`${what} Install a program for mailto URLs, or choose one in the settings`))
    expect(stderr).not.toContain('not found')
  })

  test('-u gives the user; -o makes no sense', async () => {
    await run(['--handoff', '-u', 'alice:s3cret', 'telnet://h.example/'])
    expect(ran()).toEqual(['telnet', '-l', 'alice', '--', 'h.example', '23'])
    const outcome = await run(['open', 'http://h.example/', '-o', 'x'])
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('leave -o and -O out') })
    expect(ran()).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('no program is run', () => {
  test.each([
    ['telnet://-lroot@h.example/', 9],
    ['telnet://-oProxyCommand=touch%20pwned/', 3],
    ['telnet://h;id/', 3],
    ['telnet://-nfoo/', 3],
    ['telnet://u%0d%0a@h.example/', 9],
    ['sftp://-oProxyCommand=id/x', 3],
    ['sftp://-oProxyCommand=id@h.example/x', 9],
    ['man:-Hxcalc', 9],
    ['man:-Pid', 9],
    ['info:--output=.bashrc', 9],
    ['whatis:-C.', 9],
    ['man:../x', 3],
    ['mailto:a@b%0d%0aBcc:c@d', 9],
    ['mailto:a@b?subject=x%0d%0aBcc:c@d', 9],
  ])('for %s', async (url, status) => {
    const outcome = await run(['--handoff', url])
    expect(ran()).toEqual([])
    expect(outcome).toMatchObject({ status, stdout: '' })
    expect(outcome.stderr).not.toContain('running:')
  })

  test('that is not installed: a sentence says what to install', async () => {
    const empty = { PATH: join(folder(), 'none') }
    expect(await run(['--handoff', 'tn3270://h.example/'], empty)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^retrieve: tn3270:\/\/h\.example\/: Neither c3270 nor x3270 is installed\. Install .*c3270.*\.\n$/,
      ),
    })
    if (isMac) return
    const { stderr } = await run(['open', 'http://h.example/'], empty)
    expect(stderr).toMatch(
      /^retrieve: http:\/\/h\.example\/: Neither xdg-open nor gio is installed\. Install .*xdg-utils/,
    )
  })

  test('from a relative folder of PATH', async () => {
    const cwd = join(folder(), 'planted')
    mkdirSync(cwd, { recursive: true })
    const planted = new FakePrograms(cwd)
    planted.add('telnet')
    const { status, stderr } = await retrieve(['--handoff', 'telnet://h.example/'], { cwd, env: { PATH: '.::bin' } })
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('telnet is not installed') })
    expect(planted.take('telnet')).toBeNull()
  })

  test('that cannot be run: a sentence, and no stack', async () => {
    const broken = new FakePrograms(join(folder(), 'broken'))
    writeFileSync(broken.add('c3270'), '#!/nonexistent/interpreter\n')
    const { status, stderr } = await run(['--handoff', 'tn3270://h.example/'], { PATH: broken.folder })
    expect(status).toBe(1)
    expect(stderr).toMatch(/c3270 cannot be run: .*\.\n$/)
  })
})

test.skipIf(!hasTerminal)('it has the terminal: what is typed reaches it, and its exit status comes back', async () => {
  const talking = new FakePrograms(join(folder(), 'talking'))
  const script = [
    '#!/bin/sh',
    'test -t 0 && test -t 1 || exit 9',
    'printf "login: "',
    'read name',
    'echo "hello $name"',
    'exit 4',
  ]
  writeFileSync(talking.add('telnet'), `${script.join('\n')}\n`)
  const env = { PATH: `${talking.folder}:/usr/bin:/bin`, NO_COLOR: '1' }
  const { status, screen } = await onPty(folder(), '--handoff telnet://h.example/', { 'login: ': 'ann\r' }, { env })
  expect(status).toBe(4)
  expect(screen).toMatch(/running: telnet -- h\.example 23\r\nlogin: ann\r\nhello ann\r\n/)
})

test.skipIf(!hasTerminal)('a person is told the password of a service, which is advice; no program is', async () => {
  const env = { PATH: `${programs.folder}:/usr/bin:/bin`, NO_COLOR: '1' }
  const { screen } = await onPty(folder(), '--handoff telnet://guest:pl4nted@h.example/', {}, { env })
  expect(screen.replace(/\s+/g, ' ')).toContain(
    'The URL suggests logging in as guest with the password pl4nted. The password of the URL is given to no program',
  )
  expect(ran()).toEqual(['telnet', '-l', 'guest', '--', 'h.example', '23'])
})

test.skipIf(process.platform === 'win32')('a log is told no password, of a service or another URL', async () => {
  for (const url of ['telnet://guest:pl4nted@h.example/', 'tn3270://guest:pl4nted@h.example/']) {
    const { status, stdout, stderr } = await run(['--handoff', url])
    expect(status).toBe(0)
    expect(stderr).toContain('The password of the URL is given to no program')
    expect(stdout + stderr).not.toContain('pl4nted')
    expect(ran().join()).not.toContain('pl4nted')
  }
})

test.skipIf(!hasTerminal)('the password of a URL that is no service is shown to nobody', async () => {
  const env = { PATH: `${programs.folder}:/usr/bin:/bin`, NO_COLOR: '1' }
  for (const url of ['ftp://guest:pl4nted@h.example/', 'tn3270://guest:pl4nted@h.example/']) {
    const { screen } = await onPty(folder(), `--handoff ${url}`, {}, { env })
    expect(screen.replace(/\s+/g, ' ')).toContain('is given to no program')
    expect(screen).not.toContain('pl4nted')
  }
  for (const name of names) programs.take(name)
})

test.skipIf(isMac || process.platform === 'win32')('without xdg-open, gio opens it', async () => {
  const other = new FakePrograms(join(folder(), 'gio'))
  other.add('gio')
  await run(['open', 'http://h.example/'], { PATH: other.folder })
  expect(other.take('gio')?.args).toEqual(['open', '--', 'http://h.example/'])
})

describe.skipIf(process.platform === 'win32')('open', () => {
  const state = (): Record<string, string> => ({ XDG_STATE_HOME: join(folder(), 'state') })

  test('hands over the entry of a number with --handoff only, by the rules for links', async () => {
    await run(['ls', `${servers.gopher.url}1/services`], state())
    const told = await run(['open', '-I', '1'], state())
    expect(told).toMatchObject({ status: 1, stderr: expect.stringContaining('run: telnet -- h.example 23') })
    expect(ran()).toEqual([])
    expect(await run(['open', '--handoff', '1'], state())).toMatchObject({ status: 0 })
    expect(ran()).toEqual(['telnet', '-l', 'guest', '--', 'h.example', '23'])
  })

  test('takes numbers or URLs', async () => {
    const outcome = await run(['open', '1', 'http://h.example/'], state())
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('numbers or URLs') })
    expect(ran()).toEqual([])
    expect(existsSync(join(folder(), 'cwd', 'pwned'))).toBe(false)
  })
})
