import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../../support/cli/run.ts'

useBundle()
let servers: TestServers<'ftp' | 'http'>

beforeAll(async () => {
  servers = await startServers({ ftp: true, http: true })
})
afterAll(() => servers.close())

test('-l gets the names in a folder, as ;type=d does', async () => {
  const url = `${servers.ftp.url}pub/`
  const { stdout, stderr } = await retrieve(['-lv', url])
  expect(stderr).toContain('> NLST')
  expect(stdout.split('\n')).toContain('hello.txt')
  expect((await retrieve([`${url};type=d`])).stdout).toBe(stdout)
})

test('-B gets a file as text; a type in the URL counts more, and HTTP has none', async () => {
  const url = `${servers.ftp.url}pub/hello.txt`
  expect((await retrieve(['-Bv', url])).stderr).toContain('> TYPE A')
  expect((await retrieve(['-Bv', `${url};type=i`])).stderr).toContain('> TYPE I')
  const page = `${servers.http.url}pub/hello.txt`
  expect((await retrieve(['-B', page])).stdout).toBe((await retrieve([page])).stdout)
})

test('--disallow-username-in-url refuses a URL with a user, and contacts nobody', async () => {
  const before = servers.ftp.received.length
  const { status, stderr } = await retrieve([
    '--disallow-username-in-url',
    servers.ftp.url.replace('//', '//alice:wonderland@'),
  ])
  expect(status).toBe(67)
  expect(stderr).toMatch(/alice.*The URL names a user/)
  expect(stderr).not.toContain('wonderland')
  expect(servers.ftp.received.length).toBe(before)
  expect((await retrieve(['--disallow-username-in-url', 'data:,x'])).status).toBe(0)
})
