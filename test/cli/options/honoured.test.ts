import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
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

test('-C with Gopher, News and data gets the whole, and leaves out what comes before', async () => {
  const whole = (url: string, mechanism: string): string =>
    `retrieve: ${url}: The option -C gets the resource from its beginning: ${mechanism} does not support it.\n`
  const text = `${servers.gopher.url}0/pub/hello.txt`
  expect(await retrieve(['-C', '7', text])).toEqual({ status: 0, stdout: 'world.\r\n', stderr: whole(text, 'Gopher') })
  const article = `${servers.nntp.url}retriever.test/1`
  const all = await retrieve([article])
  const rest = await retrieve(['-C', '7', article])
  expect(rest).toEqual({ status: 0, stdout: all.stdout.slice(7), stderr: whole(article, 'NNTP') })
  expect((await retrieve(['-C', '3', 'data:,hello'])).stdout).toBe('lo')
  const head = await retrieve(['-I', '-C', '3', text])
  expect(head.stderr).toBe(`retrieve: ${text}: The option -C has no effect: Gopher does not support it.\n`)
})

test.runIf(hasTerminal)('-C on a terminal shows the rest of a menu, not the page of all', async () => {
  const { screen } = await onPty(folder(), `-s -C 4 ${servers.gopher.url}`)
  const { stdout } = await retrieve(['-s', '-C', '4', servers.gopher.url])
  expect(screen.split('\r\n')[0]).toBe(stdout.split('\r\n')[0])
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
