import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'gopher' | 'nntp' | 'ftp'>

beforeAll(async () => {
  servers = await startServers({ gopher: true, nntp: true, ftp: true })
})
afterAll(() => servers.close())

test.each([
  ['-z', ['-z', '2020-01-01']],
  ['--etag-compare', ['--etag-compare', 'tag']],
  ['--compressed', ['--compressed']],
  ['--no-fail', ['--no-fail']],
  ['--split', ['--split', '2']],
  ['-C', ['-C', '5']],
])('%s with Gopher and News has no effect, which is one line each', async (name, args) => {
  writeFileSync(join(folder(), 'tag'), '"x"')
  for (const [url, mechanism] of [
    [`${servers.gopher.url}0/pub/hello.txt`, 'Gopher'],
    [`${servers.nntp.url}retriever.test/1`, 'NNTP'],
  ] as const) {
    const { status, stderr, stdout } = await retrieve([...args, url], { cwd: folder() })
    expect(status).toBe(0)
    expect(stdout).not.toBe('')
    expect(stderr).toBe(`retrieve: ${url}: The option ${name} has no effect: ${mechanism} does not support it.\n`)
  }
})

test('--limit and -H with FTP too, and -s says nothing', async () => {
  const url = `${servers.ftp.url}pub/hello.txt`
  const { stderr } = await retrieve(['--limit', '5', '-H', 'X-A: b', url])
  expect(stderr.split('\n')).toEqual([
    `retrieve: ${url}: The option --limit has no effect: FTP does not support it.`,
    `retrieve: ${url}: The option -H, -A or -e has no effect: FTP does not support it.`,
    '',
  ])
  expect((await retrieve(['-s', '--limit', '5', url])).stderr).toBe('')
})
