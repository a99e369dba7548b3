import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTerminal } from '../../support/cli/pty.ts'
import { bin, cleanEnv, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux, onTmux } from '../../support/cli/tmux.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

const state = (name: string): { cwd: string; env: { XDG_STATE_HOME: string } } => {
  return { cwd: folder(), env: { XDG_STATE_HOME: join(folder(), name) } }
}
const run = (name: string, ...args: string[]) => retrieve(args, state(name))

test('a number is that of the last listing, page or newsgroup', async () => {
  await run('each', 'ls', `${servers.ftp.url}pub/`)
  expect(await run('each', 'open', '6')).toMatchObject({ status: 0, stdout: 'Hello, world.\n', stderr: '' })
  expect((await run('each', 'open', '6', '-I')).stdout).toContain('Content-Length: 14')
  const menu = await run('each', '--page', servers.gopher.url)
  expect(menu.stdout).toMatch(/^ {2}3 {2}menu {4}pub\n/m)
  expect(menu.stdout).toContain(`\n  3. ${servers.gopher.url}1/pub\n`)
  expect((await run('each', 'open', '3', '--page')).stdout).toMatch(/^ {2}6 {2}text {4}hello\.txt\n/m)
  expect((await run('each', 'open', '6')).stdout.trimEnd()).toBe('Hello, world.')
  const group = await run('each', '--page', `${servers.nntp.url}retriever.test`)
  expect(group.stdout).toMatch(/^ {6}2 {2}2001-02-03 .*Re: A first test/m)
  expect((await run('each', 'open', '2', '--page')).stdout).toMatch(/^From: Ann Author <ann@example\.net>\n/)
})

test('a listing of which only the beginning was read is the last one', async () => {
  await run('cut', 'ls', `${servers.ftp.url}pub/sub/`)
  const command = `'${process.execPath}' '${bin}' ls '${servers.ftp.url}pub/' | head -n 2`
  await once(spawn('sh', ['-c', command], { cwd: folder(), env: { ...cleanEnv, ...state('cut').env } }), 'close')
  expect((await run('cut', 'open', 'x')).stderr).toContain(`last page, ${servers.ftp.url}pub/, `)
})

test('without a number, the page comes again; an object leaves it the last one', async () => {
  const listing = await run('again', 'ls', `${servers.ftp.url}pub/sub/`)
  await run('again', `${servers.http.url}readme.txt`)
  await run('again', 'open', '1')
  expect(await run('again', 'open')).toEqual({ ...listing, stdout: expect.stringContaining('deep') })
})

test('entries are saved like other URLs', async () => {
  await run('saved', 'ls', `${servers.ftp.url}pub/`)
  expect(await run('saved', 'open', '3', '6', '-OO')).toMatchObject({ status: 0 })
  expect(readdirSync(folder())).toEqual(expect.arrayContaining(['dots.txt', 'hello.txt']))
})

test.each(['-O', '-ox'])('without a number, %s is an error', async (option) => {
  const { status, stderr } = await run('saved', 'open', option)
  expect([status, stderr]).toEqual([2, expect.stringContaining('open without a number')])
})

test('only the owner can read what is kept, and it holds no password', async () => {
  const url = servers.ftp.url.replace('//', '//alice:secret@')
  await run('private', 'ls', `${url}`)
  const kept = join(folder(), 'private', 'retrieve')
  expect(statSync(kept).mode & 0o777).toBe(0o700)
  for (const file of readdirSync(kept)) {
    expect(statSync(join(kept, file)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(kept, file), 'utf8')).not.toContain('secret')
  }
})

test('no page, no such number, and a number that is none are sentences', async () => {
  expect(await run('none', 'open', '1')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^retrieve: No page has been shown on this terminal\. .*\n$/),
  })
  await run('few', 'ls', `${servers.ftp.url}pub/sub/`)
  for (const number of ['2', '0', '-1', 'x', '__proto__']) {
    const { status, stderr } = await run('few', 'open', '--', number)
    expect([status, stderr]).toEqual([2, expect.stringContaining(`"${number}" is no number on the last page`)])
  }
})

test.each(['{', '[]', 'null', '{"url":1}', '{"url":"x","command":"rm","entries":{}}'])(
  '%j is no page',
  async (text) => {
    await run('damaged', 'ls', `${servers.ftp.url}pub/sub/`)
    const kept = join(folder(), 'damaged', 'retrieve')
    for (const file of readdirSync(kept)) writeFileSync(join(kept, file), text)
    expect((await run('damaged', 'open', '1')).stderr).toContain('No page has been shown')
  },
)

test('the policy holds: a server leads to no file of this machine, and to no port of another protocol', async () => {
  await run('policy', 'ls', servers.gopher.url)
  const kept = join(folder(), 'policy', 'retrieve')
  const entries = { 1: 'file:///etc/hostname', 2: 'gopher://gopher.example.org:25/1/m', 3: servers.http.url }
  const page = { url: 'gopher://gopher.example.org/', command: 'get', entries }
  for (const file of readdirSync(kept)) writeFileSync(join(kept, file), JSON.stringify(page))
  for (const [number, why] of [
    ['1', 'it leads to this machine itself'],
    ['2', 'Port 25 is for mail'],
    ['3', 'it points inward'],
  ]) {
    const outcome = await run('policy', 'open', `${number}`)
    expect(outcome).toMatchObject({ status: 9, stdout: '', stderr: expect.stringContaining(`${why}`) })
  }
  expect(await run('policy', 'open', '3', '--allow-inward')).toMatchObject({ status: 0 })
})

test('a page that cannot be kept is shown all the same', async () => {
  const outcome = await retrieve(['ls', `${servers.ftp.url}pub/sub/`], { env: { XDG_STATE_HOME: '/dev/null' } })
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
})

describe('--page', () => {
  test('gives an article in a pipe as on a terminal, and other bodies as they are', async () => {
    const { stdout } = await run('page', '--page', `${servers.nntp.url}retriever.test/2`)
    expect(stdout).toMatch(/^From: .*\nSubject: .*\n/)
    expect((await run('page', '--page', `${servers.http.url}pub/a.bin`)).stdout).toHaveLength(
      (await run('page', `${servers.http.url}pub/a.bin`)).stdout.length,
    )
  })

  test.each(['-O', '-o x', '-o -'])('not with %s', async (option) => {
    const outcome = await run('page', '--page', ...option.split(' '), `${servers.http.url}readme.txt`)
    expect(outcome).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--page shows a page on standard output'),
    })
  })
})

describe.skipIf(!(hasTmux && hasTerminal))('on a terminal of tmux', () => {
  test.each([80, 50, 25])('pages fit %i columns, and each terminal has its own last page', async (columns) => {
    const env = { XDG_STATE_HOME: join(folder(), `tmux-${columns}`) }
    const script = `retrieve ls ${servers.ftp.url}pub/; retrieve ${servers.gopher.url}; retrieve open 3; retrieve open 6
      retrieve ${servers.nntp.url}retriever.test; retrieve open 2`
    const { lines } = await onTmux(folder(), script, { columns, env })
    // Only a URL that is longer than a line may pass the edge.
    const long = lines.filter((line) => line.length > columns).map((line) => line.split(' ').at(-1) ?? '')
    expect(long.filter((word) => word.length <= columns)).toEqual([])
    expect(lines.join('\n')).toContain('Hello, world.\n')
    expect(lines.join('\n')).toMatch(/^Subject: Re: A first test$/m)
    const other = await retrieve(['open'], { env })
    expect(other.stderr).toContain('No page has been shown on this terminal')
  })
})

test.skipIf(hasTmux)('SKIPPED: these tests need tmux', () => {})
