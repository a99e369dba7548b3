import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEntries } from '../../../packages/cli/src/line/config-file.ts'
import { bin, retrieve, shell, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http'>

beforeAll(async () => {
  servers = await startServers({ http: { accounts: { alice: 'wonderland' } } })
})
afterAll(() => servers.close())

/** Writes a file, and returns its name. */
function file(name: string, ...lines: string[]): string {
  const path = join(folder(), name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const entries = (text: string): string[] =>
  [...readEntries(text)].map(({ option, value, isCut }) => `${option}|${value ?? 'none'}${isCut ? '|cut' : ''}`)

test.each<[string, string[]]>([
  ['url = "http://h/"', ['url|http://h/']],
  ['url:http://h/', ['url|http://h/']],
  ['url http://h/', ['url|http://h/']],
  ['\turl\t=\thttp://h/a=b \r', ['url|http://h/a=b']],
  ['--url http://h/', ['--url|http://h/']],
  ['-o=x', ['-o=x|none']],
  ['-o x # a comment', ['-o|x']],
  ['silent\r\n\r\nverbose', ['silent|none', 'verbose|none']],
  ['# a\n  / b\n* c\n\n  silent', ['silent|none']],
  ['output = "a\\tb\\"c\\\\d\\qe" rest', ['output|a\tb"c\\dqe']],
  ['output = "open', ['output|open']],
  ['output = ""', ['output|']],
  ['output = a b', ['output|a|cut']],
  ['user = a#b', ['user|a#b']],
  ['\uFEFFurl = x', ['url|x']],
  ['output = \u00A0a\u3000b ', ['output|\u00A0a\u3000b']],
])('%j is %j', (text, expected) => {
  expect(entries(text)).toEqual(expected)
})

describe('-K', () => {
  test('gives options and URLs, from a file, from another one within it, and from standard input', async () => {
    const inner = file('inner', 'silent', 'url = "data:,inner"')
    const outer = file('outer', `config = "${inner}"`, 'url = data:,outer')
    expect(await retrieve(['-K', outer, 'data:,typed'])).toEqual({
      status: 0,
      stdout: 'innerouter'.concat('typed'),
      stderr: '',
    })
    expect(shell("echo 'url = data:,stdin' | retrieve -K -").stdout).toBe('stdin')
  })

  test.each<[string[], number, string]>([
    [['silent', 'foo = bar'], 2, 'line 2: There is no option --foo. retrieve help all lists all options.'],
    [['output'], 2, 'line 1: --output needs FILE, as in: retrieve -o page.html http://www.example.org/'],
    [['silent = yes'], 2, 'line 1: silent is a switch and takes no value.'],
    [['', 'max-time = abc', 'url = data:,x'], 2, 'line 2: --max-time needs'],
    [['silent # yes', 'max-time = abc'], 2, 'line 2: --max-time needs'],
    [['json = "{}"'], 2, 'line 1: json with data is refused.'],
    [['data = x'], 2, 'line 1: --data is refused.'],
    [['"alice:secret"'], 2, 'line 1: It must begin with the name of an option.'],
    [['url = data:,x', 'output = a b'], 0, 'line 2: output has a value with white space, which ends there: quote it.'],
  ])('names the file and the line of a mistake: %j', async (lines, status, said) => {
    const name = file('wrong', ...lines)
    const outcome = await retrieve(['-K', name], { cwd: folder() })
    expect(outcome.status).toBe(status)
    expect(outcome.stderr).toContain(`${name}, ${said}`)
    expect(outcome.stderr).not.toContain('secret')
  })

  test('--url @FILE gives the URLs of a file, each saved as by -O', async () => {
    const list = file(
      'urls',
      '# a comment',
      '',
      `${servers.http.url}readme.txt\r`,
      `  ${servers.http.url}pub/hello.txt`,
    )
    const cwd = join(folder(), 'by-list')
    mkdirSync(cwd)
    expect(await retrieve(['-u', 'alice:wonderland', '--url', `@${list}`], { cwd })).toMatchObject({
      status: 0,
      stdout: '',
    })
    expect(readdirSync(cwd).sort()).toEqual(['hello.txt', 'readme.txt'])
    expect(await retrieve(['--url', '@missing'], { cwd })).toMatchObject({ status: 37 })
  })

  test('of a file that cannot be read, or that names itself, is one sentence', async () => {
    const missing = await retrieve(['-K', '/nope'])
    expect(missing).toEqual({
      status: 37,
      stdout: '',
      stderr: 'retrieve: --config /nope cannot be read: there is no such file.\n',
    })
    const self = join(folder(), 'self')
    writeFileSync(self, `config = ${self}\n`)
    const { status, stderr } = await retrieve(['-K', self])
    expect(status).toBe(2)
    expect(stderr).toContain('is the 11th configuration file within others.')
  })

  test('may hold a password, which is shown nowhere', async () => {
    const name = file('login', 'user = "alice:wonderland"', 'verbose', `url = ${servers.http.url}auth/readme.txt`)
    const { stderr } = await retrieve(['-K', name])
    expect(stderr).toContain('> GET')
    expect(stderr).not.toMatch(/wonderland|YWxpY2U6/)
  })
})

describe('the default file', () => {
  const home = (...lines: string[]): Record<string, string> => {
    const base = join(folder(), 'config')
    mkdirSync(join(base, 'retrieve'), { recursive: true })
    writeFileSync(join(base, 'retrieve/config'), `${lines.join('\n')}\n`)
    return { XDG_CONFIG_HOME: base }
  }

  test('is read before the command line, for the commands that take its options', async () => {
    const env = home('user-agent = default/1', 'include')
    const url = `${servers.http.url}readme.txt`
    expect((await retrieve(['-v', url], { env })).stderr).toContain('User-Agent: default/1')
    expect((await retrieve(['-v', '-A', 'typed/1', url], { env })).stderr).toContain('User-Agent: typed/1')
    expect((await retrieve([url], { env })).stdout).toMatch(/^HTTP\/1.1 200/)
    expect((await retrieve(['--no-include', url], { env })).stdout).not.toMatch(/^HTTP/)
    expect((await retrieve(['explain', url], { env })).status).toBe(0)
    const next = ['-s', 'data:,a', '--next', '-v', url]
    expect((await retrieve(next, { env })).stderr).toContain('User-Agent: default/1')
  })

  test('is left out with -q as the first option, and for help and the version', async () => {
    const env = home('foo')
    expect((await retrieve(['data:,x'], { env })).stderr).toMatch(
      /config\/retrieve\/config, line 1: There is no option/,
    )
    for (const args of [['-q', 'data:,x'], ['-qs', 'data:,x'], ['get', '--disable', 'data:,x'], ['--help'], ['-V']]) {
      expect((await retrieve(args, { env })).status, args.join(' ')).toBe(0)
    }
    expect((await retrieve(['-s', '-q', 'data:,x'], { env })).status).toBe(2)
  })

  test('is ~/.config/retrieve/config without XDG_CONFIG_HOME, and a folder of that name is an error', async () => {
    const home = join(folder(), 'home')
    mkdirSync(join(home, '.config/retrieve/config'), { recursive: true })
    const { status, stderr } = await retrieve(['data:,x'], { env: { XDG_CONFIG_HOME: '', HOME: home } })
    expect(status).toBe(37)
    expect(stderr).toContain(
      '.config/retrieve/config cannot be read: it is a directory; -q as the first word leaves it out.',
    )
  })
})

test('a password of a variable does not stand in the process list', async () => {
  const password = file('password', 'wonderland')
  const args = ['--variable', `pw@${password}`, '--expand-user', 'alice:{{pw:trim}}', '-K', '-']
  const child = spawn(process.execPath, [bin, '-q', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  const done = new Promise<number | null>((resolve) => child.on('close', resolve))
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
  })
  expect(child.spawnargs.join(' ')).not.toContain('wonderland')
  child.stdin.end(`url = ${servers.http.url}auth/readme.txt\n`)
  expect(await done).toBe(0)
  expect(stdout).not.toBe('')
})

test('a gateway for a scheme that is not known, with its port and its syntax', async () => {
  const { url, port } = servers.http
  const gateways = [`gateway = "x-foo://:${port}=${url}{+path}?{host}:{port}"`, `gateway x-name:=${url}{+path}`]
  const config = file('gateways', ...gateways)
  for (const target of ['x-foo://h.invalid/pub/hello.txt', 'x-name:pub/hello.txt']) {
    expect(await retrieve(['-K', config, target])).toMatchObject({ status: 0, stdout: 'Hello, world.\n' })
  }
})
