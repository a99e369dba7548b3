/** `--jail`: the second process, and what Node's permission model lets it do. */
import { execFile, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { promisify } from 'node:util'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jailedHost } from '../../packages/cli/src/start/jailed-host.ts'
import { bin, retrieve, retrieveApart, start, temporaryFolder, useBundle } from '../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http' | 'ftp'>
let url = ''
/** A folder that the second process may write, within one that it may not. */
let inner = ''
/** Without the guard of the tests, which the second process has no right to read. */
const env = { NODE_OPTIONS: '' }

beforeAll(async () => {
  servers = await startServers({ http: true, ftp: { faults: { stall: 'body' } } })
  url = `${servers.http.url}pub/hello.txt`
  inner = join(folder(), 'inner')
  mkdirSync(inner)
})
afterAll(() => servers.close())

const run = (...args: string[]) => retrieveApart(args, { cwd: inner, env })

test('a file is written in the folder, and nowhere else', async () => {
  const above = join(folder(), 'above')
  expect(await run('-s', '--jail', '-o', 'here', url)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(inner, 'here'), 'utf8')).toBe('Hello, world.\n')
  const refused = await run('-sS', '--jail', '-o', '../above', url)
  expect(refused).toMatchObject({ status: 23, stdout: '' })
  expect(refused.stderr).toContain("Node's permission model refuses it")
  expect(existsSync(above)).toBe(false)
  expect(await retrieve(['-s', '-o', '../above', url], { cwd: inner })).toMatchObject({ status: 0 })
})

test('a folder that is not there is named before any connection, unless the line makes it', async () => {
  const count = servers.http.accepted
  const missing = await run('-sS', '--jail', '--output-dir', 'none', '-O', url)
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('let --create-dirs make it') })
  expect(servers.http.accepted).toBe(count)
  expect(await run('-s', '--jail', '--create-dirs', '--output-dir', 'made/here', '-O', url)).toMatchObject({
    status: 0,
  })
  expect(existsSync(join(inner, 'made/here/hello.txt'))).toBe(true)
})

test('mirror writes its own folder, which may be new', async () => {
  const tree = join(folder(), 'new/tree')
  expect(await run('mirror', '-s', '--jail', `${servers.http.url}pub/sub/`, tree)).toMatchObject({ status: 0 })
  expect(existsSync(join(tree, 'deep/file.txt'))).toBe(true)
})

test('what the line names is read, other files are not, and no program runs', async () => {
  writeFileSync(join(folder(), 'list'), `${url}\n${servers.http.url}missing\n`)
  writeFileSync(join(folder(), 'config'), 'from = ../list\n')
  const listed = await run('-sS', '--jail', '-K', '../config')
  expect(listed).toMatchObject({ status: 22, stdout: 'Hello, world.\n' })
  expect(await run('-sS', '--jail', `file://${join(folder(), 'list')}`)).toMatchObject({ status: 37, stdout: '' })
  const logged = await run('-sS', '--jail', '--journal', 'journal', '--from', '../list', '-O')
  expect(logged).toMatchObject({ status: 22, stderr: expect.not.stringContaining('permission model') })
  const program = await run('-sS', '--jail', 'man:ls')
  expect(program.status).toBe(37)
  expect(program.stderr).toContain("could not be started (Node's permission model refuses it)")
})

test('a folder that holds Node itself is no reason to start a third process; the root is refused', async () => {
  const node = join(folder(), 'home/.nvm/node')
  mkdirSync(dirname(node), { recursive: true })
  copyFileSync(process.execPath, node)
  const home = dirname(dirname(node))
  const said = await promisify(execFile)(node, [bin, '-sS', '--jail', '-o', 'here', url], {
    cwd: home,
    env: { ...process.env, ...env },
  })
  expect(said).toEqual({ stdout: '', stderr: '' })
  expect(readFileSync(join(home, 'here'), 'utf8')).toBe('Hello, world.\n')
  const root = await run('-sS', '--jail', '--output-dir', parse(inner).root, '-O', url)
  expect(root).toMatchObject({ status: 2, stderr: expect.stringContaining('a folder of its own') })
})

test.each([
  ['-K', '-'],
  ['--variable', 'name@-'],
  ['--url', '@-'],
])('what %s takes from standard input would be read twice', async (...args) => {
  const child = start(['--jail', ...args, url], { cwd: inner, env })
  const [text] = await once(child.stderr ?? child, 'data')
  expect(`${text}`).toContain('needs a regular file, not standard input')
  expect(await once(child, 'close')).toEqual([2, null])
})

test('a value that cannot be the path of a file is no matter', async () => {
  expect(await run('-sS', '--jail', '-H', `X: ${'x'.repeat(5000)}`, url)).toMatchObject({ status: 0, stderr: '' })
})

test('a folder that cannot be made is named, and why', async () => {
  writeFileSync(join(inner, 'file'), '')
  const below = await run('-sS', '--jail', '--create-dirs', '--output-dir', 'file/below', '-O', url)
  expect(below).toMatchObject({ status: 23, stderr: expect.stringContaining('a part of its path is no folder') })
  const mirrored = await run('mirror', '-sS', '--jail', `${servers.http.url}pub/sub/`, 'file')
  expect(mirrored).toMatchObject({ status: 23, stderr: expect.stringContaining('it is no folder, and one is needed') })
  expect(await run('-sS', '--jail', '-o', 'file/below', url)).toMatchObject({ status: 23 })
})

test('a variable and URLs come from files that the line names', async () => {
  writeFileSync(join(folder(), 'name'), 'hello.txt')
  writeFileSync(join(folder(), 'urls'), `${url}\n`)
  const expanded = `${servers.http.url}pub/{{name}}`
  const args = ['-sS', '--jail', '--variable', 'name@../name', '--expand-url', expanded]
  expect(await run(...args)).toMatchObject({ status: 0, stdout: 'Hello, world.\n' })
  expect(await run('-sS', '--jail', '--clobber', '--url', '@../urls')).toMatchObject({ status: 0, stderr: '' })
})

test('the null device may be written', async () => {
  const options = ['-o', '-c', '-D'].flatMap((option) => [option, '/dev/null'])
  expect(await run('-sS', '--jail', ...options, url)).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('a program cannot be started, which is said at once', async () => {
  const refused = await run('-sS', '--jail', '--handoff', url)
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('--handoff does not go with it') })
})

test('a dry run of mirror needs no folder, and makes none', async () => {
  const tree = join(folder(), 'dry/tree')
  const dry = await run('mirror', '--dry-run', '--jail', `${servers.http.url}pub/sub/`, tree)
  expect(dry).toMatchObject({ status: 0, stderr: expect.stringContaining('to save') })
  expect(existsSync(join(folder(), 'dry'))).toBe(false)
})

test('standard input is that of the second process', async () => {
  const child = start(['-sS', '--jail', '--from', '-'], { cwd: inner, env, input: 'pipe' })
  child.stdin?.end(`${url}\n`)
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk
  })
  expect(await once(child, 'close')).toEqual([0, null])
  expect(text).toBe('Hello, world.\n')
})

/** A process that waits for the rest of a file, which it has begun to write. */
async function waiting(name: string, more: object = {}) {
  const args = ['-sS', '--jail', '-o', name, `${servers.ftp.url}pub/a.bin`]
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: inner,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...more,
  })
  await expect.poll(() => existsSync(join(inner, `${name}.part`))).toBe(true)
  return child
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s to the first process ends both', async (signal) => {
  const child = await waiting(signal)
  child.kill(signal)
  // The second process has the pipes open, too.
  expect(await once(child, 'close')).toEqual([{ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal], null])
})

test('Ctrl-C, which reaches both processes, ends them as one: what came is kept', async () => {
  const child = await waiting('kept', { detached: true })
  process.kill(-(child.pid ?? 0), 'SIGINT')
  expect(await once(child, 'close')).toEqual([130, null])
  expect(existsSync(join(inner, 'kept.part.json'))).toBe(true)
})

test('if the first process is killed, so is the second', async () => {
  const child = await waiting('killed')
  child.kill('SIGKILL')
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
})

test('a signal that reaches both processes counts once, a second one again', () => {
  const [process, tie, seen] = [new EventEmitter(), new EventEmitter(), [] as string[]]
  const end = (signal: string) => seen.push(`ended by ${signal}`)
  const host = jailedHost(process as never, Object.assign(tie, { end }))
  const listener = (name: string) => seen.push(name)
  const told = () => tie.emit('message', { signal: 'SIGINT' })
  host.on('SIGINT', listener)
  process.emit('SIGINT', 'SIGINT')
  told()
  expect(seen).toEqual(['SIGINT'])
  told()
  process.emit('SIGINT', 'SIGINT')
  expect(seen).toEqual(['SIGINT', 'SIGINT'])
  host.off('SIGINT', listener)
  expect(process.listenerCount('SIGINT')).toBe(0)
  told()
  expect(seen.at(-1)).toBe('ended by SIGINT')
})
