/** Real programs get URLs: what reaches the browser behind xdg-open and gio, octet by octet; telnet takes our words. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolve } from '@retriever/core'
import { handoffOf } from '@retriever/fetchers'
import { startTelnetServer } from '@retriever/servers'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakePrograms, type Recorded } from '../support/fake-programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'retriever-handoff-'))
afterAll(() => rmSync(folder, { recursive: true }))
const programs = new FakePrograms(join(folder, 'bin'))
const browser = programs.add('browser')

/** A desktop whose program for http and mailto is the fake browser. */
const applications = join(folder, 'data/applications')
mkdirSync(applications, { recursive: true })
mkdirSync(join(folder, 'config'))
mkdirSync(join(folder, 'empty'))
const types = ['x-scheme-handler/http', 'x-scheme-handler/mailto']
const entry = ['[Desktop Entry]', 'Type=Application', 'Name=Fake', `Exec=${browser} %u`, `MimeType=${types.join(';')};`]
writeFileSync(join(applications, 'fake.desktop'), `${entry.join('\n')}\n`)
const defaults = ['[Default Applications]', ...types.map((type) => `${type}=fake.desktop`)]
writeFileSync(join(folder, 'config/mimeapps.list'), `${defaults.join('\n')}\n`)

const desktop = {
  PATH: '/usr/bin:/bin',
  HOME: folder,
  XDG_CURRENT_DESKTOP: 'X-Generic',
  XDG_DATA_HOME: join(folder, 'data'),
  XDG_DATA_DIRS: join(folder, 'none'),
  XDG_CONFIG_HOME: join(folder, 'config'),
}

/** Runs a program of a handoff in an empty folder, which must stay empty. */
async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const cwd = join(folder, 'empty')
  const child = spawn(program, args, { cwd, env, stdio: 'ignore' })
  const [status]: number[] = await once(child, 'exit')
  expect(readdirSync(cwd)).toEqual([])
  return status ?? -1
}

/** The arguments of the browser, once it has been run: gio does not wait for it. */
async function opened(): Promise<readonly string[]> {
  const recorded = (): Recorded => programs.take('browser') ?? expect.fail('the browser was not run')
  return (await vi.waitFor(recorded, { timeout: 10_000, interval: 10 })).args
}

function needs(program: string, skip: (reason: string) => void): void {
  if (existsSync(program)) return
  const reason = `${program} is not installed: test/interop/install.sh installs it`
  if (process.env.RETRIEVER_INTEROP !== 'required') skip(reason)
  expect.fail(reason)
}

const hostile = [
  'http://h.example/a;touch%20pwned',
  'http://h.example/$(touch%20pwned)',
  'http://h.example/?a=b&touch%20pwned&',
  'http://h.example/%60touch%20pwned%60',
  'http://h.example/\'"touch%20pwned',
  'http://h.example/a%0Atouch%20pwned%0A',
  'http://h.example/-x/--help',
  'http://h.example/%25s%25n',
  'http://h.example/*?[a-z]*',
  `http://h.example/~root/$${'{HOME}'}`,
  'http://h.example/|touch%20pwned>pwned<pwned',
  'mailto:a@b?subject=%22;touch%20pwned&body=x%0D%0Ay&attach=/etc/passwd',
]

describe.each([
  ['xdg-open with $BROWSER', 'xdg-open', { BROWSER: browser }],
  ['xdg-open with %s in $BROWSER', 'xdg-open', { BROWSER: `${browser} -x %s` }],
  ['xdg-open with a desktop file', 'xdg-open', { DISPLAY: ':99' }],
  ['gio with a desktop file', 'gio', {}],
] as const)('%s', (_, name, env) => {
  beforeEach(({ skip }) => needs(`/usr/bin/${name}`, skip))

  test.each(hostile)('gives the browser the one argument: %s', async (url) => {
    const handoff = handoffOf(resolve(url), { platform: 'linux' })
    const { program, args } =
      [handoff, ...(handoff.alternatives ?? [])].find((each) => each.program === name) ?? handoff
    expect(program).toBe(name)
    expect(await run(program, args, { ...desktop, ...env })).toBe(0)
    const words = await opened()
    expect(words.at(-1)).toBe(args.at(-1))
    expect(words.slice(0, -1)).toEqual('BROWSER' in env && env.BROWSER.includes('%s') ? ['-x'] : [])
  })
})

describe('telnet', () => {
  beforeEach(({ skip }) => needs('/usr/bin/telnet', skip))

  test.each(['telnet://127.0.0.1:PORT/', 'telnet://a%3Btouch%20pwned@127.0.0.1:PORT/'])(
    'takes the words of %s',
    async (url) => {
      await using server = await startTelnetServer()
      const { program, args, argsWithUser = args } = handoffOf(resolve(url.replace('PORT', `${server.port}`)))
      await run(program, argsWithUser, desktop)
      expect(server.accepted).toBe(1)
    },
  )
})
