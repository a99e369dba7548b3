import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHttpServer, startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http'>

beforeAll(async () => {
  servers = await startServers({ http: true })
})
afterAll(() => servers.close())

const url = (path: string): string => `${servers.http.url}${path}`

test('--next begins a group with options and URLs of its own', async () => {
  const first = ['-o', 'first', '-A', 'first/1', url('readme.txt')]
  const { status, stdout, stderr } = await retrieve([...first, '--next', '-Iv', url('pub/hello.txt')], {
    cwd: folder(),
  })
  expect(status).toBe(0)
  expect(readFileSync(join(folder(), 'first'), 'utf8')).toContain("Retriever's test server")
  expect(stdout).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  // -v is for all groups, -A for its own.
  expect(stderr.match(/User-Agent: \S+/g)).toEqual(['User-Agent: first/1', 'User-Agent: Retriever/0.2'])
})

test('groups share connections, but not over another TLS identity', async () => {
  const connects = ['-s', '-o', 'x', '-w', '%{num_connects} ']
  const plain = [...connects, url('readme.txt'), '--next', ...connects, '-A', 'other/1', url('pub/hello.txt')]
  expect((await retrieve(plain, { cwd: folder() })).stdout).toBe('1 0 ')
  const secure = await startHttpServer({ tls: true })
  const page = `${secure.url}readme.txt`
  const same = [...connects, '-k', page, '--next', ...connects, '-k', page]
  expect((await retrieve(same, { cwd: folder() })).stdout).toBe('1 0 ')
  const others = [...connects, '-k', page, '--next', ...connects, page]
  expect(await retrieve(others, { cwd: folder() })).toMatchObject({ status: 60 })
  await secure.close()
})

test('the exit status is that of the first failure, and the groups after it are retrieved', async () => {
  const groups = [url('nope'), '--next', 'data:,x', '-:', '-m', '10', 'file:///nope']
  expect(await retrieve(['-s', ...groups])).toMatchObject({ status: 22, stdout: 'x' })
  expect(await retrieve(['-s', 'data:,a', '--next', '--quux'])).toMatchObject({ status: 2, stdout: '' })
  expect(await retrieve(['-s', 'data:,a', '--next', '-m', 'x', 'data:,b'])).toMatchObject({ status: 2, stdout: '' })
})

test('--next without a URL before it has no effect, and without one after it is an error, as in curl', async () => {
  expect(await retrieve(['get', '-s', '--next', 'data:,a'])).toMatchObject({ status: 0, stdout: 'a' })
  expect(await retrieve(['-s', 'data:,a', '--next', '-k'])).toMatchObject({ status: 2, stdout: 'a' })
})

test('the trace is of all groups, in the file that is named last', async () => {
  const trace = (...args: string[]) => ['--trace-ascii', ...args]
  const first = [...trace('one'), '-o', 'x', url('readme.txt')]
  const second = ['--next', ...trace('two'), '--trace-ids', '-o', 'y', url('pub/hello.txt')]
  expect((await retrieve(['-s', ...first, ...second], { cwd: folder() })).status).toBe(0)
  const text = readFileSync(join(folder(), 'two'), 'utf8')
  expect(text.match(/: GET \S+/g)).toEqual([': GET /readme.txt', ': GET /pub/hello.txt'])
  expect(text.match(/^(?!\[\d+\] |[\da-f]{4}: ).+/gm)).toBeNull()
  expect(existsSync(join(folder(), 'one'))).toBe(false)
})

test('the groups that keep cookies have the same ones, as in curl', async () => {
  servers.http.route('/cookie', new Response('', { headers: { 'set-cookie': 'a=1; Path=/' } }))
  servers.http.route('/echo', ({ headers }) => `${headers.cookie}\n`)
  const first = ['-s', '-c', 'jar', url('cookie')]
  const kept = await retrieve([...first, '--next', '-s', '-b', '', url('echo')], { cwd: folder() })
  expect(kept).toMatchObject({ status: 0, stdout: 'a=1\n' })
  expect(readFileSync(join(folder(), 'jar'), 'utf8')).toMatch(/\ta\t1\n$/)
  const others = await retrieve([...first, '--next', '-s', url('echo')], { cwd: folder() })
  expect(others.stdout).toBe('undefined\n')
  const again = await retrieve([...first, '--next', '-s', '-c', 'jar', url('readme.txt')], { cwd: folder() })
  expect(again.status).toBe(0)
  expect(readFileSync(join(folder(), 'jar'), 'utf8')).toMatch(/\ta\t1\n$/)
})
