/** The pages of the gateway in lynx and w3m: a person's way, by links and by forms. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPages } from '../gateway/support/pages.ts'
import { programOnScreen, type RunningScreen } from '../support/cli/tmux-session.ts'

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

  /** The browser with the page of a URL, ready for keys. */
  async function browse(url: string, shown: string): Promise<RunningScreen> {
    const address = pages.origin + (await pages.addressOf(url))
    const screen = programOnScreen(folder, `HOME=${folder} ${command} '${address}'`, 100)
    // lynx drops keys until its status line tells of a link. It asks whether to show the page of a 401.
    const isReady = (text: string): boolean =>
      text.includes(shown) && (name !== 'lynx' || text.includes('(NORMAL LINK)'))
    const first = await screen.shows((text) => isReady(text) || text.includes('401 message body'))
    if (!isReady(first)) screen.type('y')
    await screen.shows(isReady)
    return screen
  }

  /**
   * Types texts into the fields of a form, and sends it. The first field, whose label is given, is the Nth link of the
   * page; lynx passes so many others between the last text and the button.
   */
  function fillIn(
    screen: RunningScreen,
    [label, link]: readonly [string, number],
    texts: readonly string[],
    [button, others]: readonly [string, number],
  ): void {
    const downs = (count: number): string[] => Array.from({ length: count }, () => 'Down')
    const steps =
      name === 'lynx'
        ? [...downs(link - 1), ...texts.flatMap((text) => [text, 'Down']), ...downs(others)]
        : ['/', label, 'Enter', ...texts.flatMap((text) => ['Tab', 'Enter', text, 'Enter']), '/', button, 'Enter']
    for (const step of [...steps, 'Enter']) screen.type(step)
  }

  test('fills in a form: a login', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    using screen = await browse(`${guarded.ftp.url}pub/hello.txt`, 'User')
    fillIn(screen, ['User', 5], ['alice', 'secret'], ['Log in', 0])
    await screen.shows(/Hello, world\./)
  })

  test('searches an index from its menu', async () => {
    using screen = await browse(servers.gopher.url, 'Search the files')
    fillIn(screen, ['Search the files', 9], ['read'], ['Search', 0])
    await screen.shows((text) => text.includes('search%09read') && text.includes('text readme.txt'))
  })

  test('fills in a form of Gopher+', async () => {
    using screen = await browse(`${servers.gopher.url}0/ask`, 'Your name?')
    // Each question begins a line, also without style.
    await screen.shows(/^ *A secret\?/m)
    fillIn(screen, ['Your name?', 5], ['Ann', 'xyz'], ['Send', 2])
    await screen.shows(/Name: nobodyAnn\n *Secret: 3 characters/)
  })

  test("answers Gemini's question", async () => {
    using screen = await browse(`${servers.gemini.url}input`, 'Your name?')
    fillIn(screen, ['Your name?', 5], ['a word'], ['Send', 0])
    await screen.shows(/a%20word/)
  })
})
