/** `retrieve gateway --offline`: a cache or archives answer in place of servers, and a list has what was not there. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ask, type RawAnswer } from '../../gateway/support/proxy.ts'
import { archivesIn } from '../../support/cli/archives.ts'
import { retrieve, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()
const newFolder = (): string => mkdtempSync(join(outer(), 'offline-'))

let servers: TestServers<'http' | 'ftp' | 'gopher'>
beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true, gopher: true })
})
afterAll(() => servers.close())

const contacts = (): number[] => [servers.http.accepted, servers.ftp.accepted, servers.gopher.accepted]

const replies = (given: Readonly<Record<string, readonly string[]>>): void => {
  const texts = Object.entries(given).map(([path, [first, body = '', ...fields]]) => {
    const head = [`HTTP/1.1 ${first}`, `Content-Length: ${body.length}`, ...fields]
    return [path, `${head.join('\r\n')}\r\n\r\n${body}`]
  })
  servers.http.setFaults({ replies: Object.fromEntries(texts) })
}

/** Runs the gateway until the test ends. */
async function offline(cwd: string, ...args: readonly string[]) {
  const child = start(['gateway', '--json', '--port', '0', '--proxy-port', '0', '--offline', ...args], { cwd })
  onTestFinished(() => void child.kill('SIGINT'))
  const [line = ''] = await once(child.stdout ?? child, 'data')
  const { port: proxy, pages }: { port: number; pages: string } = JSON.parse(String(line))
  const get = (url: string, method = 'GET'): Promise<RawAnswer> => ask(proxy, url, { method })
  return { get, proxy, pages: Number(new URL(pages).port), pid: child.pid }
}

test('archives answer for every protocol, with the heads and statuses of HTTP', async () => {
  const cwd = newFolder()
  replies({
    '/x': ['200 Fine', 'body', 'X-Odd: a', 'Content-Type: text/plain'],
    '/gone': ['410 Gone', 'gone'],
    '/moved': ['302 Found', '', 'Location: /x'],
  })
  const [file, text] = [`${servers.ftp.url}pub/hello.txt`, `${servers.gopher.url}0/readme.txt`]
  const [x, gone, moved] = ['x', 'gone', 'moved'].map((path) => `${servers.http.url}${path}`) as [
    string,
    string,
    string,
  ]
  await retrieve(['-s', '--warc', 'a', '--no-fail', file, x, gone, moved], { cwd })
  const { stdout } = await retrieve(['--warc', 'b', text], { cwd })
  const before = contacts()
  const { get } = await offline(cwd, ...archivesIn(cwd))
  expect(await get(file)).toMatchObject({ status: 200, isWhole: true, body: Buffer.from('Hello, world.\n') })
  expect(String((await get(text)).body)).toBe(stdout)
  expect(await get(x)).toMatchObject({ status: 200, fields: { 'x-odd': 'a' }, body: Buffer.from('body') })
  expect(await get(x, 'HEAD')).toMatchObject({ status: 200, fields: { 'x-odd': 'a' }, body: Buffer.alloc(0) })
  expect(await get(x, 'POST')).toMatchObject({ status: 405 })
  expect(await get(gone)).toMatchObject({ status: 410, body: Buffer.from('gone') })
  expect(await get(moved)).toMatchObject({ status: 302, fields: { location: '/x' } })
  expect(contacts()).toEqual(before)
})

test('listings of archives have their links, as those of servers', async () => {
  const cwd = newFolder()
  const urls = [servers.gopher.url, `${servers.ftp.url}pub/`, `${servers.http.url}pub/`]
  await retrieve(['-s', '--warc', 'a', ...urls], { cwd })
  const before = contacts()
  const { proxy, pages } = await offline(cwd, ...archivesIn(cwd))
  for (const url of urls) {
    if (!url.startsWith('http:')) {
      const { body } = await ask(proxy, url, { fields: { accept: 'text/html' } })
      expect(String(body)).toContain(`<a href="${url}${url.startsWith('ftp') ? 'hello.txt' : '1/pub'}">`)
    }
    const page = await ask(pages, `/${url.replace('://', '/')}`, { fields: { host: 'localhost' } })
    expect(String(page.body)).toMatch(/<a href="[^"]*\/(?:hello\.txt|1\/pub)">/)
  }
  expect(contacts()).toEqual(before)
})

test.skipIf(process.platform !== 'linux')('an answer from an archive leaves no file open', async () => {
  const cwd = newFolder()
  replies({ '/x': ['200 OK', 'body'], '/gone': ['410 Gone', 'gone'] })
  const urls = [`${servers.ftp.url}pub/hello.txt`, `${servers.http.url}x`, `${servers.http.url}gone`]
  await retrieve(['-s', '--warc', 'a', '--no-fail', ...urls], { cwd })
  const { get, pid } = await offline(cwd, ...archivesIn(cwd))
  const openArchives = (): string[] => {
    const names = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`))
    return names.filter((name) => name.includes('.warc'))
  }
  for (const url of urls) for (const method of ['GET', 'HEAD']) expect((await get(url, method)).status).not.toBe(504)
  await expect.poll(openArchives).toEqual([])
})

test('a body that was decoded loses the field of its coding', async () => {
  const cwd = newFolder()
  const coded = Buffer.from('H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==', 'base64').toString('latin1')
  replies({ '/x': ['200 OK', coded, 'Content-Encoding: gzip'] })
  await retrieve(['-s', '--compressed', '--warc', 'a', `${servers.http.url}x`], { cwd })
  const answer = await (await offline(cwd, ...archivesIn(cwd))).get(`${servers.http.url}x`)
  expect(answer).toMatchObject({ status: 200, body: Buffer.from('hello') })
  expect(answer.fields).not.toHaveProperty('content-encoding')
})

test('the cache of --cache answers, also with what is old by now, and never what needs its server', async () => {
  const cwd = newFolder()
  const old = ['200 OK', 'old', 'Cache-Control: max-age=1', 'Age: 100', 'ETag: "a"']
  const strict = ['200 OK', 'strict', 'Cache-Control: no-cache', 'ETag: "b"']
  replies({ '/old': old, '/strict': strict })
  const http = servers.http.url
  await retrieve(['-s', '--cache', 'kept', `${http}old`, `${http}strict`], { cwd })
  const before = contacts()
  const { get } = await offline(cwd, 'kept')
  expect(await get(`${http}old`)).toMatchObject({ status: 200, body: Buffer.from('old') })
  expect(await get(`${http}strict`)).toMatchObject({ status: 504 })
  expect(await get(`${http.replace('//', '//u:pl4nted@')}old`)).toMatchObject({ status: 504 })
  expect(contacts()).toEqual(before)
})

test('what is not there is 504, and once in the list that --from takes', async () => {
  const cwd = newFolder()
  const [http, ftp] = [`${servers.http.url}pub/hello.txt`, `${servers.ftp.url}pub/hello.txt`]
  await retrieve(['-s', '--cache', 'kept', servers.http.url], { cwd })
  writeFileSync(join(cwd, 'kept', 'missing.txt'), `# mine\n${ftp}`)
  const before = contacts()
  const { get } = await offline(cwd, 'kept')
  const { status, body } = await get(http)
  const problem = JSON.parse(String(body))
  expect({ status, ...problem }).toMatchObject({ status: 504, code: 'not-found', url: http })
  expect(problem.detail).toBe(
    `${http}: kept has no answer that serves offline. It is in kept/missing.txt now: online, ` +
      'retrieve --cache kept --from kept/missing.txt -O gets it.',
  )
  for (const url of [http, ftp, `${ftp}.no`]) expect((await get(url)).status).toBe(504)
  expect(readFileSync(join(cwd, 'kept', 'missing.txt'), 'utf8')).toBe(`# mine\n${ftp}\n${http}\n${ftp}.no\n`)
  expect(contacts()).toEqual(before)
  const online = await retrieve(['-s', '--from', 'kept/missing.txt', '--max-filesize', '1k', '-O'], { cwd })
  expect(online.status).toBe(78)
  expect(readFileSync(join(cwd, 'hello.txt'), 'latin1')).toBe('Hello, world.\n')
})

test('no secret gets into the list', async () => {
  const cwd = newFolder()
  await retrieve(['-s', '--warc', 'a', `${servers.gopher.url}0/readme.txt`], { cwd })
  const { get } = await offline(cwd, ...archivesIn(cwd), '--missing', 'wanted')
  const login = servers.ftp.url.replace('//', '//u:pl4nted@')
  for (const url of [`${login}x`, `${servers.http.url}x?token=pl4nted`]) {
    const { status, body } = await get(url)
    expect(status).toBe(504)
    expect(String(body)).not.toContain('pl4nted')
  }
  expect(readFileSync(join(cwd, 'wanted'), 'utf8')).toBe(`${servers.ftp.url.replace('//', '//u@')}x\n`)
})

test('a file that is no archive is refused at the start', async () => {
  const cwd = newFolder()
  writeFileSync(join(cwd, 'notes.txt'), 'No archive.\n')
  writeFileSync(join(cwd, 'empty'), '')
  writeFileSync(join(cwd, 'zeros'), Buffer.alloc(5_000_000))
  const no = 'it is no web archive (WARC)'
  const refused = { 'notes.txt': no, empty: no, zeros: 'the head of a record is too long' }
  for (const [name, why] of Object.entries(refused)) {
    const { status, stdout, stderr } = await retrieve(['gateway', '--offline', '.', name], { cwd })
    const taken = '--offline takes the folder of --cache and archives of --warc'
    const message = `retrieve: ${name} cannot be read: ${why}; ${taken}.\n`
    expect({ status, stdout, stderr }).toEqual({ status: 37, stdout: '', stderr: message })
  }
  expect(readdirSync(cwd)).not.toContain('missing.txt')
})

test.each([
  [['--missing', 'x'], 2, '--missing is for --offline, which is missing.'],
  [['--offline', 'no-such'], 37, 'no-such cannot be read: there is no such file.'],
  [['--offline', '.', '/'], 2, '--offline takes one folder, and there are 2; name one.'],
  [['--offline', '.', '--tunnels'], 2, '--offline contacts nothing, so --tunnels leads nowhere: give one of them.'],
])('gateway %j is refused', async (args, status, message) => {
  expect(await retrieve(['gateway', ...args])).toMatchObject({ status, stderr: `retrieve: ${message}\n` })
})
