import { readFileSync } from 'node:fs'
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
  expect(stderr.match(/User-Agent: \S+/g)).toEqual(['User-Agent: first/1', 'User-Agent: Retriever/0.1'])
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
