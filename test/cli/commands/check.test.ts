/** `retrieve check FILE|URL...`: whether links are alive. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { htmlLinks } from '../../../packages/cli/src/check/html-links.ts'
import { results } from '../../support/cli/json-lines.ts'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { redirectTo, reply } from '../../support/http/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../support/http/scripted-http.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http' | 'gopher' | 'ftp'>
let server: ScriptedHttp

beforeAll(async () => {
  servers = await startServers({ http: true, gopher: true, ftp: true })
  server = await scriptedHttp(({ line, target, fields }) => {
    const method = line.split(' ')[0]
    const page =
      '<base href="/sub/"><a href="ok">1</a> <a href="#x">2</a> <img src=/gone> <a href="javascript:x()">3</a>'
    if (target === '/page') return reply(200, { 'Content-Type': 'text/html' }, method === 'HEAD' ? '' : page)
    if (target === '/moved') return redirectTo('/ok')
    if (target === '/nohead' && method === 'HEAD') return reply(405, {}, '')
    if (target === '/nohead') return reply(fields.range === 'bytes=0-0' ? 200 : 500, {}, 'hello')
    return target.endsWith('ok') ? reply(200, {}, '') : reply(404, {}, '')
  })
})
afterAll(async () => {
  await servers.close()
  await server[Symbol.asyncDispose]()
})
beforeEach(() => void server.asked.splice(0))

const run = (...args: string[]) => retrieve(['check', '--retry', '0', ...args], { cwd: folder() })

test('the links of a text, one line each; 0 only if all are alive', async () => {
  const text = `See ${servers.http.url}pub/hello.txt, <URL:${servers.ftp.url}pub/hello.txt> and mailto:me@example.org.`
  writeFileSync(join(folder(), 'good.txt'), text)
  const good = await run('good.txt')
  expect(good.status).toBe(0)
  expect(good.stdout).toMatch(/^alive 200 http:\S+hello\.txt$/m)
  expect(good.stdout).toMatch(/^alive .* ftp:\S+hello\.txt$/m)
  expect(good.stdout).toMatch(/^skip {4}- mailto:me@example\.org: /m)
  expect(good.stderr).toBe('retrieve: 2 of 2 links alive, 0 dead; 1 not checked\n')
  writeFileSync(join(folder(), 'bad.txt'), `${server.url}gone\n${server.url}ok#a\n${server.url}ok#b\n`)
  const bad = await run('bad.txt')
  expect(bad).toMatchObject({ status: 22, stderr: 'retrieve: 1 of 2 links alive, 1 dead\n' })
  expect(bad.stdout).toMatch(/^dead {2}404 http:\S+gone: The server has no such resource/m)
})

test.skipIf(!hasTerminal).each([80, 40, 25])(
  'on a terminal of %i columns, no line breaks within a word',
  async (columns) => {
    writeFileSync(join(folder(), 'list'), `${server.url}gone\n${server.url}ok\nmailto:me@example.org`)
    const { screen } = await onPty(folder(), 'check --retry 0 list', {}, { columns })
    const lines = screen.split('\r\n')
    // A URL stays whole.
    expect(lines.filter((line) => line.length > columns && !/^\w+ +\S+ \S+$/.test(line))).toEqual([])
    expect(lines.map((line) => line.trim()).join(' ')).toContain('The server has no such resource; check the path.')
  },
)

test('a server that refuses HEAD is asked for one octet', async () => {
  writeFileSync(join(folder(), 'list'), `${server.url}nohead`)
  expect(await run('list')).toMatchObject({ status: 0, stdout: `alive 200 ${server.url}nohead\n` })
  expect(server.asked.map(({ line }) => line.split(' ')[0])).toEqual(['HEAD', 'GET'])
})

test('a redirect shows the new URL', async () => {
  writeFileSync(join(folder(), 'list'), `${server.url}moved`)
  const { status, stdout } = await run('list')
  expect(status).toBe(0)
  expect(stdout).toMatch(new RegExp(` ${server.url}moved -> ${server.url}ok\n$`))
  expect(results((await run('--json', 'list')).stdout)).toMatchObject([
    { url: `${server.url}moved`, finalUrl: `${server.url}ok`, outcome: 'retrieved', redirects: [{ location: '/ok' }] },
  ])
})

test('a URL stands for itself and the links of its page', async () => {
  const { status, stdout } = await run('--json', `${server.url}page`)
  expect(status).toBe(22)
  const found = results(stdout).map(({ url, status }) => [String(url).slice(server.url.length), status])
  expect(found.sort()).toEqual([
    ['gone', 404],
    ['page', 200],
    ['sub/#x', 404],
    ['sub/ok', 200],
  ])
  const menu = await run(servers.gopher.url)
  expect(menu.stdout).toMatch(/^alive +- gopher:\S+0\S+$/m)
})

test('a file or URL that does not come is reported', async () => {
  expect((await run()).status).toBe(2)
  expect(await run(`${server.url}gone`)).toMatchObject({ status: 22, stdout: expect.stringContaining('dead  404') })
})

test('the links of a page at another origin get no logins and cookies', async () => {
  await using other = await scriptedHttp(() => reply(200, {}, ''))
  const html = { 'Content-Type': 'text/html' }
  await using page = await scriptedHttp(() => reply(200, html, `<a href="${other.url}x"></a><a href="/own"></a>`))
  const fields = ['-H', 'Authorization: Bearer t0ken', '-H', 'X-Own: 1', '-b', 'a=1', '-H', 'Accept-Language: de']
  expect((await run(...fields, page.url)).status).toBe(0)
  const [own] = page.asked.filter(({ target }) => target === '/own')
  expect(own?.fields).toMatchObject({ authorization: 'Bearer t0ken', cookie: 'a=1' })
  expect(other.asked).toHaveLength(1)
  expect(other.asked[0]?.fields).toMatchObject({ 'accept-language': 'de' })
  for (const name of ['authorization', 'x-own', 'cookie']) expect(other.asked[0]?.fields).not.toHaveProperty(name)
  // A URL that is typed gets them, also if a page names it, too.
  expect((await run(...fields, page.url, `${other.url}x`)).status).toBe(0)
  expect(other.asked.at(-1)?.fields).toMatchObject({ authorization: 'Bearer t0ken' })
})

test('HTML: a long name of an attribute takes no quadratic time', () => {
  const html = `<a ${'-'.repeat(16_000)}>`.repeat(100)
  const began = performance.now()
  expect(htmlLinks(html).links).toEqual([])
  // A search that began again at each letter would take 30 s.
  expect(performance.now() - began).toBeLessThan(3000)
})

test('HTML: attributes of any kind, no comments, no scripts', () => {
  const html = `<A HREF=a><!-- <a href=no> --><script src='s.js'>'<a href=no>'</script><a class=x href="b?c&amp;d"><p href=no>`
  expect(htmlLinks(html)).toEqual({ links: ['a', 's.js', 'b?c&d'], base: null })
  expect(htmlLinks(`<a title="a > b" href='c>d'><title><a href=no></title>`).links).toEqual(['c>d'])
  expect(htmlLinks(`${'<b>'.repeat(5000)}<a href=deep>${'</b>'.repeat(5000)}<a href=after>`).links).toEqual([
    'deep',
    'after',
  ])
  const long = `<a ${'x'.repeat(16_000)}>`.repeat(500)
  expect(htmlLinks(`${long}<a href=end>`).links).toEqual(['end'])
})

test('behind a proxy the links of a remote page are checked, except those that name this network', async () => {
  const html = '<a href="a">1</a> <a href="http://other.example/b">2</a> <a href="http://127.0.0.1/c">3</a>'
  await using proxy = await scriptedHttp(({ target }) =>
    reply(200, { 'Content-Type': 'text/html' }, target.endsWith('/page') ? html : ''),
  )
  const { stdout, status } = await run('-x', proxy.url, 'http://page.example/page')
  expect(stdout.split('\n').sort()).toEqual([
    '',
    'alive 200 http://other.example/b',
    'alive 200 http://page.example/a',
    'alive 200 http://page.example/page',
    expect.stringMatching(/^dead {4}- http:\/\/127\.0\.0\.1\/c: Refused: /),
  ])
  expect(status).toBe(9)
  expect(proxy.asked.map(({ target }) => target)).not.toContain('http://127.0.0.1/c')
})

test('-j says how many links are asked for at a time', async () => {
  const urls = [1, 2, 3, 4, 5, 6].map((number) => `${server.url}${number}ok\n`)
  writeFileSync(join(folder(), 'many.txt'), urls.join(''))
  const connections = async (...args: string[]): Promise<number> => {
    server.asked.splice(0)
    expect((await run(...args, 'many.txt')).stderr).toContain('6 of 6 links alive')
    return new Set(server.asked.map(({ socket }) => socket)).size
  }
  expect(await connections('-j', '1')).toBe(1)
  expect(await connections()).toBeGreaterThan(1)
  expect((await run('--jobs', 'x', 'many.txt')).status).toBe(2)
})
