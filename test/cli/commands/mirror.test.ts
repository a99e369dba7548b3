/** `retrieve mirror URL DIR`: a tree comes to disk. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHttpServer, startServers, type TestServers } from '@retriever/servers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readRobots } from '../../../packages/fetchers/src/pages/robots.ts'
import { scriptedFtp, sending } from '../../protocols/ftp/support/scripted-ftp.ts'
import { reply } from '../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { results } from '../../support/cli/json-lines.ts'
import { retrieve, shell, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux } from '../../support/cli/tmux.ts'
import { onScreen } from '../../support/cli/tmux-session.ts'
import { closedPort } from '../../support/closed-port.ts'
import { startScriptedServer } from '../../support/scripted-server.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http' | 'ftp' | 'gopher'>
const files = {
  '/robots.txt': 'User-agent: *\nDisallow: /t/private/\nDisallow: /secret/\n',
  '/t/a.txt': 'first',
  '/t/b/c.bin': 'second',
  '/t/private/d.txt': 'third',
  '/secret/e.txt': 'fourth',
}

beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true, gopher: true, files })
})
afterAll(() => servers.close())
afterEach(() => rmSync(join(folder(), 'to'), { recursive: true, force: true }))

const run = (...args: string[]) => retrieve(['mirror', '--retry', '0', ...args, 'to'], { cwd: folder() })
const left = (): string[] =>
  readdirSync(join(folder(), 'to'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

test.each(['http', 'ftp', 'gopher'] as const)('over %s the tree comes once', async (name) => {
  const url = `${servers[name].url}${name === 'gopher' ? '1/' : ''}t/`
  const first = await run('--no-robots', url)
  expect(first).toMatchObject({ status: 0, stdout: '' })
  // A Gopher menu without an end mark may be cut, which is a warning.
  expect(first.stderr).toMatch(/^retrieve: \d saved \(\d+ B\), /m)
  expect(left()).toEqual(['a.txt', 'c.bin', 'd.txt'])
  if (name !== 'gopher') expect((await run('--no-robots', url)).stderr).toMatch(/^retrieve: 0 saved \(0 B\), 3 /)
})

test.each([
  [[], 22],
  [['--wait-for-hosts'], 0],
])('a server that answers 503 eight times, with %j', async (flags, status) => {
  const busy = 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'
  const faults = { replies: { '/t/a.txt': Array<string>(8).fill(busy) } }
  await using site = await startHttpServer({ files: { '/t/a.txt': 'first' }, faults })
  const args = ['mirror', '--no-robots', '--retry-delay', '0.01', ...flags, `${site.url}t/`, 'to']
  expect(await retrieve(args, { cwd: folder() })).toMatchObject({ status })
})

test('a folder of this machine, by patterns and depth', async () => {
  mkdirSync(join(folder(), 'from/sub'), { recursive: true })
  for (const name of ['x.txt', 'y.bin', 'sub/z.txt']) writeFileSync(join(folder(), 'from', name), name)
  const url = `file://${folder()}/from/`
  await run('--include-path', '*.txt', '--exclude-path', 'sub', url)
  expect(left()).toEqual(['x.txt'])
  await run('--depth', '1', url)
  expect(left()).toEqual(['x.txt', 'y.bin'])
})

test('entries that all lead to another host are told', async () => {
  await using server = await startScriptedServer((socket) => {
    socket.end(`0a.txt\t/t/a.txt\t127.0.0.1\t${server.port}\r\n.\r\n`)
  })
  const url = `gopher://localhost:${server.port}/1/t`
  const { stdout, stderr } = await run('--delete', url)
  expect(stdout).toBe('')
  expect(stderr.split('\n')).toEqual([
    `retrieve: warning: ${url}: A listing may be incomplete, so files may be missing here, and nothing was deleted.`,
    'retrieve: 0 saved (0 B), 1 unchanged or left out',
    'retrieve: The only entry leads to another host or folder, such as ' +
      `gopher://127.0.0.1:${server.port}/0/t/a.txt; mirror that one instead.`,
    '',
  ])
})

describe('robots.txt', () => {
  test('is obeyed', async () => {
    expect((await run(`${servers.http.url}t/`)).status).toBe(0)
    expect(left()).toEqual(['a.txt', 'c.bin'])
    const refused = await run(`${servers.http.url}secret/`)
    expect(refused.status).toBe(9)
    expect(refused.stderr).toContain('give --no-robots')
  })

  test.each([
    ['500', reply(500, {}, 'out of order'), false],
    ['503', reply(503, {}, 'busy'), false],
    ['over 512 KiB', reply(200, {}, 'User-agent: *\nAllow: /\n'.repeat(30_000)), false],
    ['404', reply(404, {}, 'none'), true],
    ['403', reply(403, {}, 'not for you'), true],
  ])('that is %s forbids all, or nothing (RFC 9309 2.3.1)', async (_, robots, isAllowed) => {
    await using server = await scriptedHttp(({ target }) => {
      if (target === '/robots.txt') return robots
      return target === '/'
        ? reply(200, { 'Content-Type': 'text/html' }, '<a href="a.txt">a.txt</a>')
        : reply(200, {}, 'a')
    })
    expect((await run(server.url)).status).toBe(isAllowed ? 0 : 9)
    expect(server.asked.map(({ target }) => target)).toEqual(['/robots.txt', ...(isAllowed ? ['/', '/a.txt'] : [])])
  })

  test.each([
    ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/c', false],
    ['User-agent: *\nDisallow: /\nUser-agent: Retriever/1\nDisallow:', '/x', true],
    ['User-agent: other\nDisallow: /', '/x', true],
    ['User-agent: other\nUser-agent: retriever\nDisallow: /x', '/x', false],
    ['user-agent: *\ndisallow: /*.gif$ # images', '/a/b.gif', false],
    ['user-agent: *\ndisallow: /*.gif$', '/a/b.gif?x', true],
    ['user-agent: *\ndisallow: /%7Ejoe/', '/~joe/x', false],
    ['Disallow: /', '/x', true],
    ['User-agent: *\nDisallow: /page\nAllow: /page', '/page', true],
  ])('%j: %s', (text, path, isAllowed) => expect(readRobots(text).allows(path)).toBe(isAllowed))
})

test('--delete deletes what the server does not have, and --dry-run only says so', async () => {
  const url = `${servers.ftp.url}t/`
  const dry = await run('--dry-run', url)
  expect(dry.stdout.split('\n').sort()).toEqual(
    ['', 'would be saved: a.txt', 'would be saved: b/c.bin', 'would be saved: private/d.txt'].sort(),
  )
  expect(existsSync(join(folder(), 'to'))).toBe(false)
  await run(url)
  writeFileSync(join(folder(), 'to/old'), 'old')
  expect((await run('--delete', '--dry-run', url)).stdout).toBe('would be deleted: old\n')
  expect(left()).toContain('old')
  expect((await run('--delete', url)).stdout).toBe('deleted: old\n')
  expect(left()).not.toContain('old')
})

test('a robots.txt may forbid files of a folder that it allows, and allow a folder of one that it forbids', async () => {
  const forbidden = ['/', '/t/*.bin$', '/t/private/', '/t/c%2541.txt', '/t/d%3F']
  const rules = `User-agent: *\nAllow: /t/\n${forbidden.map((path) => `Disallow: ${path}\n`).join('')}`
  const named = { '/t/c%41.txt': 'a name with an escape', '/t/d?': 'a name with a delimiter' }
  await using other = await startServers({ http: true, files: { ...files, ...named, '/robots.txt': rules } })
  expect((await run('-v', `${other.http.url}t/`)).stderr).not.toContain('GET /t/private')
  expect(left()).toEqual(['a.txt'])
})

test('--include-path with a folder, and with one that nothing fits', async () => {
  const url = `${servers.ftp.url}t/`
  expect((await run('--include-path', 'b', url)).stderr).toContain('No file fits --include-path. For all in a folder')
  const { stderr } = await run('--include-path', 'b/', url)
  expect(left()).toEqual(['c.bin'])
  expect(stderr).not.toContain('No file fits')
})

test('--json gives status and seconds of each file, and --dry-run the sizes that listings tell', async () => {
  for (const [name, status] of [
    ['http', 200],
    ['ftp', 226],
  ] as const) {
    const url = `${servers[name].url}t/`
    const dry = await run('--no-robots', '--dry-run', url)
    expect(dry.stderr).toContain('dry run: 3 to save')
    const found = results((await run('--no-robots', '--json', url)).stdout)
    expect(found.map(({ status }) => status)).toEqual([status, status, status])
    for (const { seconds } of found) expect(seconds).toBeGreaterThan(0)
    rmSync(join(folder(), 'to'), { recursive: true })
  }
})

test('--json gives one object a file; a limit ends with an error', async () => {
  const url = `${servers.ftp.url}t/`
  const { stdout, stderr } = await run('--json', url)
  expect(results(stdout)).toHaveLength(3)
  expect(results(stdout)).toContainEqual(
    expect.objectContaining({ url: `${url}a.txt`, outcome: 'retrieved', size: 5, file: join(folder(), 'to/a.txt') }),
  )
  expect(JSON.parse(stderr)).toMatchObject({ summary: { saved: 3, failed: 0, isComplete: true } })
  rmSync(join(folder(), 'to'), { recursive: true })
  expect((await run('--quota', '3', url)).status).toBe(63)
  expect((await run('--max-entries', '1', url)).status).toBe(63)
  expect((await retrieve(['mirror', url], { cwd: folder() })).status).toBe(2)
})

test.skipIf(!hasTmux).each([80, 25])('on a terminal of %i columns, the file that comes has a bar', async (columns) => {
  await using big = await startServers({ http: true })
  using screen = onScreen(folder(), `mirror --limit-rate 1m --include-path big ${big.http.url} to`, columns)
  await screen.shows(/^big +\d+%.*\n0 files: /m)
  screen.type('C-c')
  const ended = await screen.shows(/ended with 130/)
  expect(ended).not.toMatch(/^big/m)
  expect(ended.replace(/\s+/g, ' ')).toContain('retrieve: broken off after 0 files (0 B); the same command goes on.')
})

test('-H Host:, -b FILE, --trace and -j hold for robots.txt, listings and files', async () => {
  const listing = '<title>Index of /</title><h1>Index of /</h1><a href="a.txt">a.txt</a> 2024-01-01 10:00 1'
  await using server = await scriptedHttp(({ target }) =>
    target === '/' ? reply(200, { 'Content-Type': 'text/html' }, listing) : reply(200, {}, 'x'),
  )
  writeFileSync(join(folder(), 'cookies.txt'), '127.0.0.1\tFALSE\t/\tFALSE\t0\told\t1\n')
  await run('-b', 'cookies.txt', '--trace-ascii', 'trace.txt', server.url)
  expect(server.asked.map(({ target }) => target)).toEqual(['/robots.txt', '/', '/a.txt'])
  for (const { fields } of server.asked) expect(fields.cookie).toBe('old=1')
  for (const { target } of server.asked) {
    expect(readFileSync(join(folder(), 'trace.txt'), 'utf8')).toContain(`GET ${target} HTTP/1.1`)
  }
  server.asked.splice(0)
  rmSync(join(folder(), 'to'), { recursive: true })
  await run('-H', 'Host: virtual.example', '-j', '2', server.url)
  expect(server.asked.map(({ fields }) => fields.host)).toEqual(Array(3).fill('virtual.example'))
  expect(await run('-j', '17', server.url)).toMatchObject({ status: 2, stderr: expect.stringContaining('1 to 16') })
})

test('names that lead out of their folder are failures: the exit status tells, and nothing is uncertain', async () => {
  await using server = await scriptedFtp({
    LIST: sending('-rw-r--r-- 1 u g 14 Feb 3 2001 ../../x\r\n-rw-r--r-- 1 u g 14 Feb 3 2001 a\r\n'),
  })
  const { status, stderr } = await run(server.url)
  expect(status).toBe(9)
  expect(stderr).toContain('The name "..%2F..%2Fx" leads out of its folder, so it is not retrieved.')
  expect(stderr).toMatch(/^retrieve: 1 saved .*, 1 failed$/m)
  expect(stderr).not.toContain('not certain')
  expect(left()).toEqual(['a'])
})

test('of a server that is not there, it says so, with exit status 7', async () => {
  const { status, stderr } = await run(`http://127.0.0.1:${await closedPort()}/`)
  expect({ status, stderr }).toEqual({ status: 7, stderr: expect.stringContaining('refused') })
  expect(stderr).not.toContain('robots.txt asks')
})

test.each(['--json', '--dry-run'])('%s | head -1 ends quietly, as of SIGPIPE', (option) => {
  mkdirSync(join(folder(), 'many'), { recursive: true })
  // More than a pipe holds.
  for (let n = 0; n < 700; n++) writeFileSync(join(folder(), 'many', String(n).padStart(150, 'x')), '')
  const { status, stdout, stderr } = shell(`retrieve mirror ${option} file://${folder()}/many/ to | head -1`, folder())
  expect({ status, lines: stdout.match(/\n/g)?.length, stderr }).toEqual({ status: 141, lines: 1, stderr: '' })
})

test.each([['mirror', 'x'], ['check']])('%s refuses --form, which it would ignore', async (command, ...rest) => {
  const { status, stderr } = await retrieve([command, '--form', '1=x', 'gopher://127.0.0.1:1/', ...rest])
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`${command} fills in no forms`) })
})
