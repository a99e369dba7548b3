import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

test('a directory as a table', async () => {
  expect(await retrieve(['ls', `${servers.ftp.url}pub/sub/`])).toEqual({
    status: 0,
    stdout: [
      '  #  KIND           SIZE  MODIFIED          NAME                      URL',
      `  1  directory         -  2001-02-03 04:05  deep                      ${servers.ftp.url}pub/sub/deep/`,
      '',
    ].join('\n'),
    stderr: '',
  })
})

test('a menu as a table, information lines without columns', async () => {
  await using server = await startServers({
    gopher: { faults: { replies: { '': 'iWelcome\x1b[2J\tx\t(NULL)\t0\r\n0About\t/about\th\t70\r\n.\r\n' } } },
  })
  const { stdout } = await retrieve(['ls', server.gopher.url])
  expect(stdout).toBe(
    [
      '  #  KIND           SIZE  MODIFIED          NAME                      URL',
      `${' '.repeat(44)}Welcome\\e[2J`,
      '  1  file              -  -                 About                     gopher://h/0/about',
      '',
    ].join('\n'),
  )
})

test('--json gives the same keys for every listing', async () => {
  const dir = join(folder(), 'listed')
  mkdirSync(dir)
  writeFileSync(join(dir, 'a\u009b\u202e\nb'), 'four')
  utimesSync(join(dir, 'a\u009b\u202e\nb'), 981_173_106, 981_173_106)
  const urls = [
    `file://${dir}/`,
    `${servers.ftp.url}pub/`,
    `${servers.gopher.url}1/pub`,
    `${servers.nntp.url}retriever.test`,
    servers.nntp.url,
  ]
  const { status, stdout, stderr } = await retrieve(['ls', '--json', ...urls])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  for (const line of lines)
    expect(Object.keys(JSON.parse(line))).toEqual(['name', 'kind', 'url', 'size', 'modified', 'details'])
  expect(lines[0]).toContain('"a\\u009b\\u202e\\nb"')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    name: 'a\u009b\u202e\nb',
    kind: 'file',
    size: 4,
    modified: '2001-02-03T04:05:06.000Z',
  })
  expect(lines.length).toBeGreaterThan(20)
})

test('a body that is not a listing is refused, and the sentence says what to do', async () => {
  const url = `${servers.http.url}readme.txt`
  expect(await retrieve(['ls', url])).toEqual({
    status: 2,
    stdout: '',
    stderr: `retrieve: ${url} is not a listing but one object (text/plain). To get it: retrieve ${url}\n`,
  })
})

test('schemes: a table, and JSON Lines', async () => {
  const { stdout } = await retrieve(['schemes'])
  expect(stdout).toMatch(/^SCHEME +MECHANISM +PORT +TLS +FETCHED +SPEC +TITLE\n/)
  expect(stdout).toMatch(/^gophers +gopher +70 +implicit +yes +RFC 4266 +The Gopher Protocol over TLS$/m)
  expect(stdout).toMatch(/^telnet +telnet +23 +- +session /m)
  const lines = (await retrieve(['schemes', '--json'])).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toHaveLength(stdout.trimEnd().split('\n').length - 1)
  expect(lines[0]).toEqual({
    scheme: 'ftp',
    mechanism: 'ftp',
    port: 21,
    tls: 'none',
    fetched: true,
    handoff: false,
    session: false,
    spec: 'RFC 1738 3.2',
    title: 'File Transfer Protocol',
  })
})
