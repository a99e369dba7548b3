/** The files of the state folder: pages that were shown, and certificates of Gemini servers. */
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startGeminiServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve, retrieveApart, temporaryFolder, useBundle } from '../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** The state folder of a name, empty, and how to run with it. */
function stateOf(name: string) {
  const path = join(folder(), name, 'retrieve')
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  const run = (...args: string[]) => {
    return retrieveApart(args, { cwd: folder(), env: { XDG_STATE_HOME: join(folder(), name) } })
  }
  return { path, run }
}

test.skipIf(process.platform === 'win32')('open does not wait for the other end of a FIFO', async () => {
  const { path, run } = stateOf('fifo')
  execFileSync('mkfifo', [join(path, 'page.json')])
  const { status, stderr } = await run('open', '1')
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('No page has been shown') })
})

test.skipIf(process.platform === 'win32')('what was visited is for its owner alone to read', async () => {
  const { path, run } = stateOf('modes')
  rmSync(path, { recursive: true })
  await using server = await startGeminiServer()
  expect(await run('ls', server.url)).toMatchObject({ status: 0 })
  const modes = ['', 'gemini-certificates', 'page.json'].map((name) => statSync(join(path, name)).mode & 0o777)
  expect(modes.map((mode) => mode.toString(8))).toEqual(['700', '600', '600'])
})

test.skipIf(process.platform === 'win32')('what has the name of the new file already is replaced', async () => {
  const { path } = stateOf('left')
  await using server = await startGeminiServer()
  const victim = join(folder(), 'victim')
  writeFileSync(victim, 'mine')
  // This command runs in the process of the test, whose number is known.
  const begun = join(path, `page.json.${process.pid}`)
  for (const plant of [() => symlinkSync(victim, begun), () => writeFileSync(begun, 'left', { mode: 0o644 })]) {
    plant()
    const outcome = await retrieve(['ls', server.url], { env: { XDG_STATE_HOME: join(folder(), 'left') } })
    expect(outcome).toMatchObject({ status: 0, stderr: expect.not.stringContaining('cannot') })
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    const page = lstatSync(join(path, 'page.json'))
    expect([page.isFile(), (page.mode & 0o777).toString(8)]).toEqual([true, '600'])
  }
})

test('commands that run at a time keep the certificates of all their Gemini servers', async () => {
  const { path, run } = stateOf('gemini')
  const servers = await Promise.all(Array.from({ length: 6 }, () => startGeminiServer()))
  const outcomes = await Promise.all(servers.map(({ url }) => run(url)))
  await Promise.all(servers.map((server) => server.close()))
  expect(outcomes.map(({ status }) => status)).toEqual(servers.map(() => 0))
  const places = readFileSync(join(path, 'gemini-certificates'), 'utf8').match(/^\S+/gm)
  expect(places?.sort()).toEqual(servers.map(({ url }) => new URL(url).host).sort())
})

test.skipIf(process.platform !== 'linux').each([
  ['its file is a folder', (path: string) => mkdirSync(join(path, 'gemini-certificates')), null],
  ['the system makes no folders', () => {}, '/proc/none'],
])('a certificate is trusted this time only if %s', async (_why, prepare, home) => {
  const { path } = stateOf('unstored')
  prepare(path)
  await using server = await startGeminiServer()
  const env = { XDG_STATE_HOME: home ?? dirname(path) }
  const { status, stderr } = await retrieveApart([server.url], { cwd: folder(), env })
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringContaining(' is trusted this time only, since it could not be stored, on first use: SHA-256 '),
  })
})

test('the last line of a Gemini server counts, and an editor may leave out the end of a line', async () => {
  const { path, run } = stateOf('lines')
  const file = join(path, 'gemini-certificates')
  await using server = await startGeminiServer()
  const { host } = new URL(server.url)
  writeFileSync(file, `other:1965 ${'a'.repeat(64)} -`)
  expect(await run(server.url)).toMatchObject({ status: 0 })
  const [, line = ''] = readFileSync(file, 'utf8').split('\n')
  expect(line).toMatch(new RegExp(`^${host} [0-9a-f]{64} \\S+$`))
  writeFileSync(file, `${host} ${'b'.repeat(64)} -\n${line}\n`)
  expect(await run(server.url)).toMatchObject({ status: 0, stderr: '' })
  writeFileSync(file, `${line}\n${host} ${'b'.repeat(64)} -\n`)
  expect(await run(server.url)).toMatchObject({ status: 60, stdout: '' })
})
