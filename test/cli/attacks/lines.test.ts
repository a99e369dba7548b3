/**
 * Cases of docs/internals/threats.md, section 1, by number, through the command: lines that forge others, what is said
 * about secrets, and files that nobody asked for.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ok, redirectTo } from '../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder } from '../../support/cli/run.ts'

const folder = temporaryFolder()
let servers: TestServers<'ftp' | 'http'>
beforeAll(async () => {
  servers = await startServers({ ftp: true, http: true })
})
afterAll(() => servers.close())

test('case 74, a Location whose escapes are line ends forges no object of --json', async () => {
  const forged = 'x%0a{"url":"http://bank.example/","outcome":"retrieved"}\x85{"event":"forged"}'
  await using server = await scriptedHttp(({ index }) => (index % 2 === 0 ? redirectTo(`/${forged}`) : ok('body')))
  for (const more of [[], ['-v']]) {
    const { stdout, stderr } = await retrieve(['--json', ...more, '-o', join(folder(), 'x'), server.url])
    const lines = (stdout + stderr).trimEnd().split(/[\n\r\x85\u2028]/)
    const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(objects.filter((object) => 'outcome' in object)).toMatchObject([{ url: server.url, outcome: 'retrieved' }])
    expect(objects.filter(({ event }) => event === 'forged')).toEqual([])
  }
})

test('case 75, a password that crosses the network in the clear is warned about once, and none on loopback', async () => {
  const { port } = servers.ftp
  const away = ['--resolve', `www.example.org:${port}:127.0.0.1`]
  const urls = ['hello.txt', 'a.bin'].map((name) => `ftp://alice:secret@www.example.org:${port}/pub/${name}`)
  const warnings = async (...args: string[]): Promise<string[]> => {
    const { status, stderr } = await retrieve(['-o', '/dev/null', '-o', '/dev/null', ...args])
    expect(status).toBe(0)
    return stderr.split('\n').filter((line) => line.includes('unencrypted'))
  }
  expect(await warnings(...away, ...urls)).toEqual([expect.stringMatching(/^retrieve: warning: .*"alice"/)])
  expect(await warnings('-s', ...away, ...urls)).toEqual([])
  expect(await warnings(...urls.map((url) => url.replace('www.example.org', '127.0.0.1')))).toEqual([])
  expect(await warnings(...away, ...urls.map((url) => url.replace('alice:secret', 'anonymous:me%40here')))).toEqual([])
})

test('case 89, files of the current folder are no configuration', async () => {
  const cwd = join(folder(), 'hostile')
  const home = join(folder(), 'home')
  for (const made of [home, join(cwd, 'retrieve'), join(cwd, '.config/retrieve')]) mkdirSync(made, { recursive: true })
  const options = 'user-agent = "evil"\noutput = evil\n'
  for (const name of ['.curlrc', '_curlrc', '.retrieverc', 'config', 'retrieve/config', '.config/retrieve/config']) {
    writeFileSync(join(cwd, name), options)
  }
  for (const name of ['.netrc', '_netrc']) writeFileSync(join(cwd, name), 'default login evil password evil\n')
  writeFileSync(join(cwd, 'package.json'), '{"retrieve":{"user-agent":"evil"}}')
  await using server = await scriptedHttp(({ head }) => ok(head))
  const { status, stdout } = await retrieve(['-n', '-s', server.url], { cwd, env: { HOME: home } })
  expect(status).toBe(0)
  expect(stdout).not.toMatch(/evil|authorization/i)
})

test('case 91, a cookie for a whole top-level domain, or for another host, is not kept', async () => {
  const domains = ['org', '.org', 'co.uk', 'org.', 'example.com', 'other.example.org', '', 'www.example.org']
  const fields = domains.map((domain, n) => `Set-Cookie: c${n}=1; Domain=${domain}`)
  await using server = await scriptedHttp(() => ok('x', fields))
  const resolved = ['--resolve', `www.example.org:${server.port}:127.0.0.1`]
  const jar = join(folder(), 'jar')
  expect((await retrieve([...resolved, '-c', jar, `http://www.example.org:${server.port}/`])).status).toBe(0)
  const kept = readFileSync(jar, 'utf8')
    .split('\n')
    .filter((line) => line.includes('\t'))
  expect(kept.map((row) => row.split('\t')[5])).toEqual(['c7', 'c6'])
})

test('case 91, what -b gives goes to the first origin alone', async () => {
  await using second = await scriptedHttp(({ fields }) => ok(`second ${fields.cookie}`))
  await using first = await scriptedHttp(({ fields }) => redirectTo(`${second.url}${fields.cookie}`))
  const { stdout } = await retrieve(['-b', 'mine=1', first.url])
  expect(first.asked[0]?.fields.cookie).toBe('mine=1')
  expect(stdout).toBe('second undefined')
})
