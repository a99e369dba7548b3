import { mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFtpServer, startGopherServer, startHttpServer, startServers, type TestServers } from '../src/index.ts'
import { exchange } from './dialogue.ts'
import { fetchData, login } from './ftp-client.ts'

const modified = new Date('2020-01-02T03:04:05Z')
let place: string
let folder: string
let servers: TestServers<'http' | 'ftp' | 'gopher'>

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'retriever-folder-'))
  folder = join(place, 'shown')
  await mkdir(join(folder, 'sub'), { recursive: true })
  await mkdir(join(place, 'shown-not'))
  await writeFile(join(place, 'shown-not', 'secret.txt'), 'secret')
  await writeFile(join(folder, 'grüße.txt'), 'Hello.\n')
  await utimes(join(folder, 'grüße.txt'), modified, modified)
  await writeFile(join(folder, 'sub', 'a.json'), '{}')
  await writeFile(join(folder, 'big.bin'), Buffer.alloc(200_000))
  await writeFile(join(folder, 'two\nlines'), '')
  await symlink(join(place, 'shown-not'), join(folder, 'out'))
  await symlink('../shown-not/secret.txt', join(folder, 'out.txt'))
  await symlink('sub/a.json', join(folder, 'in.json'))
  await symlink('.', join(folder, 'sub', 'loop'))
  await symlink('nowhere', join(folder, 'dangling'))
  servers = await startServers({ folder, http: true, ftp: true, gopher: true })
})
afterAll(async () => {
  await servers.close()
  await rm(place, { recursive: true })
})

test('the files of the folder, and nothing else, by HTTP', async () => {
  const page = await (await fetch(servers.http.url)).text()
  expect([...page.matchAll(/>([^<]+)<\/a>/g)].map(([, name]) => name)).toEqual([
    'big.bin',
    Buffer.from('grüße.txt').toString(),
    'in.json',
    'sub/',
  ])
  const response = await fetch(`${servers.http.url}gr%C3%BC%C3%9Fe.txt`)
  expect(await response.text()).toBe('Hello.\n')
  expect(response.headers.get('last-modified')).toBe(modified.toUTCString())
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect((await fetch(`${servers.http.url}sub/a.json`)).headers.get('content-type')).toBe('application/json')
  const range = await fetch(`${servers.http.url}big.bin`, { headers: { range: 'bytes=150000-150001' } })
  expect([range.status, new Uint8Array(await range.arrayBuffer())]).toEqual([206, Uint8Array.of(0, 0)])
})

test.each([
  'out/secret.txt',
  'out.txt',
  'out/',
  'dangling',
  '../shown-not/secret.txt',
  '%2e%2e/shown-not/secret.txt',
  '..%2fshown-not%2fsecret.txt',
  'sub/../../shown-not/secret.txt',
  'a%00b',
  'status/200',
  'readme.txt',
])('%s is not there', async (path) => {
  // Not fetch: it takes dots out of a path.
  const answer = await exchange(servers.http, `GET /${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  expect(answer).not.toContain('secret')
})

test('by FTP', async () => {
  const control = await login(servers.ftp)
  await control.ask('TYPE I')
  expect((await fetchData(control, servers.ftp, 'RETR big.bin')).data).toBe('\0'.repeat(200_000))
  expect((await fetchData(control, servers.ftp, 'NLST')).data).toBe(
    'big.bin\r\ngr\xc3\xbc\xc3\x9fe.txt\r\nin.json\r\nsub\r\n',
  )
  expect(await control.ask('MDTM gr\xc3\xbc\xc3\x9fe.txt')).toBe('213 20200102030405\r\n')
  for (const name of ['out/secret.txt', 'out.txt', '/../shown-not/secret.txt']) {
    expect(await control.ask(`SIZE ${name}`)).toMatch(/^550/)
  }
  expect(await control.ask('STOR x')).toMatch(/^502/)
  control.close()
})

test('by Gopher', async () => {
  const menu = await exchange(servers.gopher, '\r\n')
  expect(menu.split('\r\n').map((line) => line.split('\t')[0])).toEqual([
    '9big.bin',
    '0gr\xc3\xbc\xc3\x9fe.txt',
    '0in.json',
    '1sub',
    '.',
    '',
  ])
  expect(await exchange(servers.gopher, '/gr\xc3\xbc\xc3\x9fe.txt\r\n')).toBe('Hello.\r\n.\r\n')
  expect(await exchange(servers.gopher, '/out.txt\r\n')).toMatch(/^3/)
})

test('a file that changes is shown as it is', async () => {
  await writeFile(join(folder, 'sub', 'new.txt'), 'one')
  const first = await fetch(`${servers.http.url}sub/new.txt`)
  await writeFile(join(folder, 'sub', 'new.txt'), 'three')
  const second = await fetch(`${servers.http.url}sub/new.txt`)
  expect([await first.text(), await second.text()]).toEqual(['one', 'three'])
  expect(first.headers.get('etag')).not.toBe(second.headers.get('etag'))
})

test('a file that becomes shorter while it is sent ends the connection', async () => {
  await using server = await startHttpServer({ folder, faults: { latency: { down: 20 } } })
  const file = join(folder, 'sub', 'shrinks.bin')
  await writeFile(file, Buffer.alloc(64 * 1024 * 1024))
  const response = await fetch(`${server.url}sub/shrinks.bin`)
  await truncate(file, 100)
  await expect(response.arrayBuffer()).rejects.toThrow()
  await rm(file)
})

test.each([
  [() => startHttpServer({ folder: join(place, 'none') }), /folder: expected a directory, got .*none/],
  [() => startFtpServer({ folder: join(folder, 'big.bin') }), /folder: expected a directory/],
  [() => startGopherServer({ folder, files: {} }), /folder: expected alone/],
])('a wrong folder is an error: %s', async (start, message) => {
  await expect(start()).rejects.toThrow(message)
})

test('setFiles is refused for a folder', () => {
  expect(() => servers.setFiles({})).toThrow(/serves a folder/)
})
