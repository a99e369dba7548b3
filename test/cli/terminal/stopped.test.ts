/** A question goes on after Ctrl-Z and fg. */
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bin, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux } from '../../support/cli/tmux.ts'
import { onScreen } from '../../support/cli/tmux-session.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'ftp'>

beforeAll(async () => {
  servers = await startServers({ ftp: true })
})
afterAll(() => servers.close())

describe.skipIf(!hasTmux)('after Ctrl-Z and fg, the question for a password', () => {
  const stopped = async (): Promise<ReturnType<typeof onScreen>> => {
    const command = `'${process.execPath}' '${bin}' -u alice ${servers.ftp.url}pub/hello.txt`
    // With -m, the shell has jobs.
    const screen = onScreen(folder(), `--version; set -m; ${command}; fg`, 80)
    await screen.shows(/Password of alice/)
    screen.type('C-z')
    await screen.shows(/Password of alice[^]*Password of alice/)
    return screen
  }

  test('comes again, and takes the answer', async () => {
    using screen = await stopped()
    screen.type('secret', 'Enter')
    expect(await screen.shows(/ended with/)).toMatch(/Hello, world\.\nended with 0/)
  })

  test('can be broken off', async () => {
    using screen = await stopped()
    screen.type('C-c')
    await screen.shows(/ended with 130/)
  })
})
