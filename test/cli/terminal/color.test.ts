import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wantsColor } from '../../../packages/cli/src/terminal/style.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux, onTmux } from '../../support/cli/tmux.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers({ files: { '/escapes.txt': 'a\x1b[31mred\x1b[0m\n' } })
})
afterAll(() => servers.close())

const url = 'gopher://localhost:25/x'
const sgr = /\x1b\[/

test.each<[Record<string, string>, isTerminal: boolean, color: boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ CLICOLOR_FORCE: '1' }, false, true],
  [{ CLICOLOR_FORCE: '0' }, false, false],
  [{ CLICOLOR: '0' }, true, false],
  [{ TERM: 'dumb' }, true, false],
])('in the environment %j, terminal %j: %j', (env, isTerminal, color) => {
  expect(wantsColor('auto', env, isTerminal)).toBe(color)
  expect(wantsColor('always', env, isTerminal)).toBe(true)
  expect(wantsColor('never', env, isTerminal)).toBe(false)
})

describe('in a pipe', () => {
  test('there are no colours, unless they are asked for', async () => {
    const { stdout, stderr } = await retrieve(['explain', url])
    expect(stdout + stderr).not.toMatch(sgr)
    expect((await retrieve(['--color', 'always', 'explain', url])).stdout).toContain(
      '\x1b[1;31mREFUSED:\x1b[0m Port 25',
    )
    expect((await retrieve(['explain', url], { env: { FORCE_COLOR: '1' } })).stdout).toMatch(sgr)
    expect((await retrieve(['--color=always', url])).stderr).toMatch(/^\x1b\[1;31mretrieve:\x1b\[0m gopher:/)
  })

  test('text of a server has neither its colours nor ours', async () => {
    const page = await retrieve(['--color', 'always', `${servers.http.url}escapes.txt`])
    expect(page.stdout).toBe('a\x1b[31mred\x1b[0m\n')
    const { stderr } = await retrieve(['--color', 'always', '-v', `${servers.http.url}%1b[31m`])
    expect(stderr.replace(/^\x1b\[[\d;]+m[^\x1b]*\x1b\[0m/gm, '')).not.toMatch(sgr)
  })

  test.each(['sometimes', ''])('--color %j is an error', async (value) => {
    const { status, stderr } = await retrieve([`--color=${value}`, url])
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('always, never or auto') })
  })
})

describe.skipIf(!hasTmux)('on a terminal of tmux', () => {
  test('errors are red, and findings have the colour of their severity', async () => {
    const { colored } = await onTmux(folder(), `retrieve explain ${url}; retrieve ${url}`, { columns: 80 })
    expect(colored).toMatch(/\x1b\[1m\x1b\[31mREFUSED:/)
    expect(colored).toMatch(/\x1b\[1m\x1b\[31mretrieve:/)
  })

  test.each<Record<string, string>>([{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }])('not with %j', async (env) => {
    const { colored } = await onTmux(folder(), `retrieve explain ${url}; retrieve ${url}`, { columns: 80, env })
    expect(colored).toContain('REFUSED: Port 25')
    expect(colored).not.toMatch(sgr)
  })

  test('what a server sends is shown without colours', async () => {
    const { lines, colored } = await onTmux(folder(), `retrieve ${servers.http.url}escapes.txt`, { columns: 80 })
    expect(lines[0]).toBe('a\\e[31mred\\e[0m')
    expect(colored).not.toMatch(sgr)
  })
})

test.skipIf(hasTmux)('SKIPPED: these tests need tmux', () => {})
