/** `retrieve mirror --pages URL DIR`: a web site comes to disk, and its copy has no dead links. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reply } from '../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { results } from '../../support/cli/json-lines.ts'
import { retrieve, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http'>
const files = {
  '/robots.txt': 'User-agent: *\nDisallow: /s/private/\n',
  '/s/index.html':
    '<link rel=stylesheet href=../a.css><a href="b%20c.html#x">1</a><a href=private/d.html>2</a><img src="ü.png">' +
    '<a href=sub/>3</a>',
  '/s/b c.html': '<a href="./">up</a><p id=x style="background: url(ü.png)">',
  '/s/sub/index.html': '<a href="../b c.html#x">1</a>',
  '/s/private/d.html': 'd',
  '/s/ü.png': 'an image',
  '/a.css': 'p { background: url("s/%C3%BC.png") }',
}

beforeAll(async () => {
  servers = await startServers({ http: true, files })
})
afterAll(() => servers.close())

const run = (...args: string[]) => retrieve(['mirror', '--pages', ...args], { cwd: folder() })

test('the copy can be checked, and the same line brings it up to date', async () => {
  const url = `${servers.http.url}s/`
  const first = await run(url, 'to')
  expect(first).toMatchObject({ status: 0, stdout: '' })
  expect(first.stderr).toMatch(/^retrieve: 5 saved \(\d+ B\), 0 unchanged or left out\n$/)
  const pages = ['index.html', 'b c.html', 'sub/index.html']
  expect(readFileSync(join(folder(), 'to/index.html'), 'utf8')).toContain(`<a href=${url}private/d.html>`)
  const checked = await retrieve(['check', ...pages], { cwd: join(folder(), 'to') })
  expect(checked.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('alive'))).toEqual([])
  expect(checked.stdout).toContain(pathToFileURL(join(folder(), 'to/ü.png')).href)
  const again = results((await run('--json', url, 'to')).stdout)
  expect(again.map(({ outcome }) => outcome)).not.toContain('failed')
  expect(readdirSync(join(folder(), 'to'))).toContain('_elsewhere')
})

test('--dry-run, --depth and --no-robots are those of pages', async () => {
  const { stdout } = await run('--dry-run', '--depth', '2', '--no-robots', `${servers.http.url}s/`, 'dry')
  expect(stdout.match(/^would be saved: .*$/gm)?.sort()).toEqual(
    ['_elsewhere', 'b c.html', 'index.html', 'private/d.html', 'sub/index.html', 'ü.png'].map((path) =>
      expect.stringContaining(`: ${path}`),
    ),
  )
  expect(existsSync(join(folder(), 'dry'))).toBe(false)
})

test('a start that robots.txt forbids, another protocol, a journal, and --other-hosts without --pages are refused', async () => {
  const refused = await run(`${servers.http.url}s/private/d.html`, 'no')
  expect([refused.status, refused.stderr]).toEqual([9, expect.stringContaining('give --no-robots')])
  const other = await run('ftp://127.0.0.1:1/', 'no')
  expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('--pages')])
  const alone = await retrieve(['mirror', '--other-hosts', servers.http.url, 'no'], { cwd: folder() })
  expect([alone.status, alone.stderr]).toEqual([2, expect.stringContaining('--other-hosts needs --pages')])
  const journal = await run('--journal', 'j', `${servers.http.url}s/`, 'no')
  expect([journal.status, journal.stderr]).toEqual([2, expect.stringContaining('leave --journal out')])
  expect(existsSync(join(folder(), 'no'))).toBe(false)
})

test('Ctrl-C ends the run with the links rewritten of what has come', async () => {
  await using server = await scriptedHttp(({ target, line }) => {
    if (target === '/robots.txt') return reply(404, {})
    // This one is never answered.
    if (target === '/b.html') return undefined
    const body = target === '/' ? '<a href=a.html>a</a><a href=b.html>b</a>' : 'a'
    return reply(200, { 'Content-Type': 'text/html' }, line.startsWith('HEAD') ? '' : body)
  })
  const child = start(['mirror', '--pages', '-j', '1', server.url, 'cut'], { cwd: folder() })
  let stderr = ''
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  const ended = new Promise((resolve) => child.on('close', resolve))
  // The page behind it is asked for by then, or soon.
  await expect.poll(() => existsSync(join(folder(), 'cut/a.html')), { timeout: 30_000 }).toBe(true)
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  expect(stderr).toMatch(/rewriting the links.*\n.*broken off after [12] files?/)
  expect(readFileSync(join(folder(), 'cut/index.html'), 'utf8')).toBe(
    `<a href=a.html>a</a><a href=${server.url}b.html>b</a>`,
  )
})
