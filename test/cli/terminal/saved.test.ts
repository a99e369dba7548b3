import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

describe.skipIf(!hasTerminal)('on a terminal (script of util-linux), a saved file gets a line', () => {
  const screenOf = async (args: string): Promise<string> => {
    const { screen } = await onPty(folder(), args, {}, { columns: 80 })
    return screen.replace(/\r[^\r]*\x1b\[K/g, '').replace(/\d+ ms|\d\.\d s/g, 'N')
  }

  test.each<[string, () => string, string]>([
    [
      'of http',
      () => `-o page.bin ${servers.http.url}pub/a.bin`,
      'saved page.bin, 4.0 KiB in N, application/octet-stream',
    ],
    [
      'of ftp, which has no media type',
      () => `-o hello.txt ${servers.ftp.url}pub/hello.txt`,
      'saved hello.txt, 14 B in N',
    ],
    [
      'of the rest',
      () => `-C 4 --continue-unverified -o hello.txt ${servers.ftp.url}pub/hello.txt`,
      'saved hello.txt, 14 B, 10 B of it now in N',
    ],
  ])('%s', async (_, args, line) => {
    const isRest = args().startsWith('-C')
    if (isRest) await retrieve(['-r', '0-3', '-o', 'hello.txt', `${servers.ftp.url}pub/hello.txt`], { cwd: folder() })
    const screen = await screenOf(args())
    expect(isRest ? screen.split('\r\n').at(-2) : screen.replace(/\r\n$/, '')).toBe(line)
  })

  test('with the reason for its name, where -J was to find one', async () => {
    const screen = await screenOf(`-OJ ${servers.http.url}readme.txt`)
    expect(screen.replace('\r\n  ', ' ')).toBe(
      'saved readme.txt, 280 B in N, text/plain; named after the URL: the server gives no usable name\r\n',
    )
  })

  test.each(['-s -o quiet', '-o /dev/null'])('not with %s', async (args) => {
    expect(await screenOf(`${args} ${servers.http.url}readme.txt`)).toBe('')
  })
})

test('in a pipe there is none, except with -v', async () => {
  const url = `${servers.http.url}readme.txt`
  expect((await retrieve(['-o', 'x', url], { cwd: folder() })).stderr).toBe('')
  expect((await retrieve(['-v', '-o', 'x', url], { cwd: folder() })).stderr).toMatch(/^saved x, 280 B in /m)
})

test.skipIf(hasTerminal)('SKIPPED: terminal tests need script(1) of util-linux', () => {})
