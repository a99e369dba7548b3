import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { reply } from '../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let server: ScriptedHttp
let etag: string | null

beforeAll(async () => {
  server = await scriptedHttp(({ fields, target }) => {
    if (target.endsWith('short'))
      return { octets: reply('200', { ETag: '"s"', 'Content-Length': '9' }, 'x'), end: 'fin' }
    if (target.endsWith('missing')) return reply('404', { ETag: '"m"' })
    const isSame = etag !== null && fields['if-none-match'] === etag
    return isSame ? reply('304', { ETag: etag }) : reply('200', { ETag: etag }, 'hello')
  })
  return () => server[Symbol.asyncDispose]()
})
beforeEach(() => {
  etag = '"a"'
  server.asked.splice(0)
  for (const name of readdirSync(folder())) rmSync(join(folder(), name), { force: true })
})

const run = (...args: string[]) => retrieve(args, { cwd: folder() })
const content = (name: string): string => readFileSync(join(folder(), name), 'utf8')
const conditions = (): (string | undefined)[] => server.asked.map(({ fields }) => fields['if-none-match'])
const both = ['--etag-compare', 'tag', '--etag-save', 'tag', '-o', 'x']

test.each(['"a"', 'W/"a"'])(
  'one file for both: the first time all comes, then only what has changed (%s)',
  async (tag) => {
    etag = tag
    expect(await run(...both, server.url)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect([content('tag'), content('x')]).toEqual([`${tag}\n`, 'hello'])
    writeFileSync(join(folder(), 'x'), 'kept')
    const notice = `retrieve: ${server.url}: not modified\n`
    expect(await run(...both, server.url)).toEqual({ status: 0, stdout: '', stderr: notice })
    expect([content('tag'), content('x')]).toEqual([`${tag}\n`, 'kept'])
    etag = '"b"'
    expect(await run(...both, server.url)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect([content('tag'), content('x')]).toEqual(['"b"\n', 'hello'])
    expect(conditions()).toEqual([undefined, tag, tag])
  },
)

test('a file that is empty is no condition, and where there is no tag it becomes empty', async () => {
  writeFileSync(join(folder(), 'tag'), '\n')
  etag = null
  expect(await run(...both, server.url)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect([content('tag'), conditions()]).toEqual(['', [undefined]])
})

test.each(['missing', 'short'])('an incomplete response leaves the file as it is (%s)', async (path) => {
  writeFileSync(join(folder(), 'tag'), '"old"')
  expect((await run('--retry', '0', ...both, `${server.url}${path}`)).status).toBeGreaterThan(0)
  expect(content('tag')).toBe('"old"')
  rmSync(join(folder(), 'tag'))
  expect((await run('--retry', '0', ...both, `${server.url}${path}`)).status).toBeGreaterThan(0)
  expect(existsSync(join(folder(), 'tag'))).toBe(false)
})

test('standard output counts as well', async () => {
  expect(await run('--etag-save', 'tag', server.url)).toEqual({ status: 0, stdout: 'hello', stderr: '' })
  expect(content('tag')).toBe('"a"\n')
})

test.each(['a\r\nX: y', 'half"', '"a" "b"', '"a "'])(
  'a damaged file is ignored with a warning, and written anew (%j)',
  async (damaged) => {
    writeFileSync(join(folder(), 'tag'), damaged)
    const warning = 'retrieve: warning: --etag-compare tag holds no entity tag, and is ignored.\n'
    expect(await run(...both, server.url)).toEqual({ status: 0, stdout: '', stderr: warning })
    expect([content('tag'), conditions()]).toEqual(['"a"\n', [undefined]])
  },
)

test.each(['unquoted', 'W/', '"a"b"'])('an invalid entity tag is not stored: %s', async (tag) => {
  etag = tag
  expect(await run(...both, server.url)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect([content('tag'), content('x')]).toEqual(['', 'hello'])
  expect((await run(...both, server.url)).status).toBe(0)
})

test('an error page has no say, also with --no-fail', async () => {
  writeFileSync(join(folder(), 'tag'), '"old"\n')
  expect((await run('--no-fail', ...both, `${server.url}missing`)).status).toBe(0)
  expect(content('tag')).toBe('"old"\n')
})

test('a private file stays private, and nothing is left beside it', async () => {
  writeFileSync(join(folder(), 'tag'), '"old"\n', { mode: 0o600 })
  expect(await run('--etag-save', 'tag', '-o', 'x', server.url)).toMatchObject({ status: 0 })
  expect(statSync(join(folder(), 'tag')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder()).sort()).toEqual(['tag', 'x'])
})

test('no FIFO is waited for', async () => {
  execFileSync('mkfifo', [join(folder(), 'pipe')])
  expect((await run('--etag-save', 'pipe', server.url)).status).toBe(23)
  expect((await run('--etag-compare', 'pipe', server.url)).status).toBe(2)
  expect(server.asked).toEqual([])
})

test('impossible options are refused before anything is requested', async () => {
  const two = await run('--etag-save', 'tag', server.url, server.url)
  expect(two).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--etag-save goes with one URL, and 2 are given.'),
  })
  expect((await run('--etag-compare', '.', server.url)).status).toBe(2)
  expect((await run('--etag-save', '', server.url)).status).toBe(2)
  const nowhere = await run('--etag-save', 'no/tag', server.url)
  expect(nowhere).toMatchObject({ status: 23, stdout: '' })
  expect(nowhere.stderr).toBe('retrieve: no/tag cannot be written: its folder does not exist.\n')
  expect(server.asked).toHaveLength(0)
})
