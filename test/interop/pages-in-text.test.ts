/** The pages of the gateway in lynx and w3m: a person's way, by links and by forms. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPages } from '../gateway/support/pages.ts'
import { programOnScreen } from '../support/cli/tmux-session.ts'

let servers: TestServers
let pages: Awaited<ReturnType<typeof startPages>>
let folder: string
beforeAll(async () => {
  servers = await startServers()
  pages = await startPages()
  folder = await mkdtemp(join(tmpdir(), 'retriever-pages-'))
})
afterAll(async () => {
  await pages[Symbol.asyncDispose]()
  await servers.close()
  await rm(folder, { recursive: true })
})

describe.each([
  ['lynx', 'lynx -nocolor -accept_all_cookies'],
  ['w3m', 'w3m -no-cookie'],
])('%s', (name, command) => {
  beforeEach(({ skip }) => {
    for (const program of [name, 'tmux']) {
      if (spawnSync('sh', ['-c', `command -v ${program}`]).status === 0) continue
      const reason = `${program} is not installed`
      if (process.env.RETRIEVER_INTEROP !== 'required') skip(reason)
      expect.fail(reason)
    }
  })

  const env = { ...process.env, HOME: tmpdir(), LANG: 'C.UTF-8' }

  /** The page of a URL as text. */
  async function dump(url: string): Promise<string> {
    const address = pages.origin + (await pages.addressOf(url))
    // lynx writes the page of an error, too, and ends with a status of 1.
    return new Promise((resolve) => {
      execFile(name, ['-dump', address], { env, timeout: 30_000 }, (_, stdout) => resolve(stdout))
    })
  }

  test.each([
    ['a folder', () => `${servers.ftp.url}pub/`, 'hello.txt'],
    ['a file', () => `${servers.ftp.url}pub/hello.txt`, 'Hello, world.'],
    ['a menu', () => servers.gopher.url, 'Search the files'],
    ['results', () => `${servers.gopher.url}7/search%09read`, 'readme.txt'],
    ['a form', () => `${servers.gopher.url}0/ask`, 'Your name?'],
    ['Gemini', () => servers.gemini.url, 'The test server'],
    ['a group', () => `${servers.nntp.url}retriever.test`, 'A text and an attachment'],
    ['an article', () => `${servers.nntp.url}retriever.test/5`, 'a.bin'],
    ['an error', () => `${servers.ftp.url}no/such`, 'check the path'],
    ['a danger', () => 'gopher://127.0.0.1:25/1HELO', 'Port 25'],
  ])('shows %s', async (_, url, text) => {
    expect((await dump(url())).replace(/\s+/g, ' ')).toContain(text)
  })

  test('fills in a form: a login', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    const address = pages.origin + (await pages.addressOf(`${guarded.ftp.url}pub/hello.txt`))
    using screen = programOnScreen(folder, `HOME=${folder} ${command} '${address}'`, 100)
    // lynx asks whether to show the page of a 401.
    await screen.shows(name === 'lynx' ? /401 message body/ : /Log in/)
    if (name === 'lynx') screen.type('y')
    await screen.shows(/Log in/)
    const steps =
      name === 'lynx'
        ? [['Down', 'Down', 'Down', 'Down'], ['alice', 'Down'], ['secret', 'Down'], ['Enter']]
        : [
            ['/', 'User', 'Enter'],
            ['Tab'],
            ['Enter', 'alice', 'Enter'],
            ['Tab'],
            ['Enter', 'secret', 'Enter'],
            ['Tab'],
            ['Enter'],
          ]
    for (const keys of steps) screen.type(...keys)
    await screen.shows(/Hello, world\./)
  })
})
