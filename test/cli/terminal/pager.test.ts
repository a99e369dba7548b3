import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startServers } from '@retriever/servers'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const urlOf = (name: string): string => `${pathToFileURL(join(folder(), name)).href}/`

beforeAll(() => {
  for (const [name, count] of [
    ['long', 40],
    ['short', 3],
  ] as const) {
    mkdirSync(join(folder(), name))
    for (let number = 1; number <= count; number++) writeFileSync(join(folder(), name, `file-${number}`), '')
  }
})

/** A pager that marks each line. */
const marking = "sed 's/^/| /'"

describe.skipIf(!hasTerminal)('a pager on a terminal (script of util-linux)', () => {
  const on = (args: string, env: Readonly<Record<string, string>>) =>
    onPty(folder(), args, {}, { env: { NO_COLOR: '1', ...env } })

  test('a listing that is longer than the terminal goes through $PAGER, a short one does not', async () => {
    const long = await on(`ls '${urlOf('long')}'`, { PAGER: marking })
    expect(long.status).toBe(0)
    expect(long.screen.match(/^\| +\d+ {2}file .* file-\d+\r$/gm)).toHaveLength(40)
    expect(long.screen).toContain('| To open one: retrieve open N.')
    const short = await on(`ls '${urlOf('short')}'`, { PAGER: marking })
    expect(short.screen).toMatch(/^ +3 {2}file /m)
    expect(short.screen).not.toContain('|')
  })

  test.each([
    ['PAGER=cat', { PAGER: 'cat' }, ''],
    ['an empty PAGER', { PAGER: '' }, ''],
    ['RETRIEVE_PAGER=cat, before PAGER', { PAGER: marking, RETRIEVE_PAGER: 'cat' }, ''],
    ['--no-pager', { PAGER: marking }, '--no-pager'],
    ['a pager that is not installed', { PAGER: 'no-such-pager' }, ''],
  ])('%s means none', async (_, env, option) => {
    const { status, screen } = await on(`ls ${option} '${urlOf('long')}'`, env)
    expect([status, screen.match(/^ +\d+ {2}file .* file-\d+\r$/gm)?.length]).toEqual([0, 40])
  })

  test('less gets the options of git and man, unless $LESS says others', async () => {
    const pager = 'printf "<%s>" "$LESS"; cat >/dev/null'
    expect((await on(`ls '${urlOf('long')}'`, { PAGER: pager })).screen).toContain('<FRX>')
    expect((await on(`ls '${urlOf('long')}'`, { PAGER: pager, LESS: 'M' })).screen).toContain('<M>')
  })

  test('a page of --page goes through it, without characters that control the terminal', async () => {
    const evil = '1\x1b]0;evil\x07 $(touch pwned)\t/m\tgopher.example\t70\r\n'
    await using servers = await startServers({ gopher: { faults: { replies: { '': `${evil.repeat(30)}.\r\n` } } } })
    const { screen } = await on(`--page ${servers.gopher.url}`, { PAGER: marking })
    expect(screen.match(/^\| +\d+ {2}menu {4}\\e\]0;evil\\x07 \$\(touch pwned\)\r$/gm)).toHaveLength(30)
    expect(await on('ls .', {})).toMatchObject({ screen: expect.not.stringContaining('pwned') })
  })

  test.each([
    ['q', 'less', 0],
    // less goes on after Ctrl-C, too.
    ['\x03', 'trap "" INT; cat; echo over', 130],
  ])('%j ends a retrieval that still goes on, quietly', async (keys, pager, expected) => {
    const items = Array.from({ length: 100 }, (_, number) => `1Item ${number}\t/m\tgopher.example\t70\r\n`).join('')
    const server = createServer((socket) => {
      socket.once('data', () => socket.write(items))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const env = { NO_COLOR: '1', PAGER: pager }
    const { status, screen } = await onPty(folder(), `ls gopher://127.0.0.1:${port}/`, { 'Item 20': keys }, { env })
    server.close()
    // The connection is closed.
    await once(server, 'close')
    expect(screen.includes('over')).toBe(expected === 130)
    expect([status, screen]).toEqual([expected, expect.not.stringContaining('retrieve:')])
  })

  test.each([
    ['is not there', 'PAGES=1 no-such-pager'],
    ['may not be run', 'PAGES=1 ./short/file-1'],
  ])('a pager that %s is a sentence', async (_, pager) => {
    const { status, screen } = await on(`ls '${urlOf('long')}'`, { PAGER: pager })
    expect([status, screen]).toEqual([2, expect.stringContaining(`The pager "${pager}" cannot be run:`)])
  })
})

test('there is none in a pipe', async () => {
  const { stdout } = await retrieve(['ls', urlOf('long')], { env: { PAGER: marking } })
  expect(stdout.split('\n')).toHaveLength(42)
})

test.skipIf(hasTerminal)('SKIPPED: terminal tests need script(1) of util-linux', () => {})
