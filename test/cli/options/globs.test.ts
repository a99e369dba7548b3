import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expandGlob, fillName } from '../../../packages/cli/src/line/glob.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http'>

beforeAll(async () => {
  servers = await startServers({ http: true })
})
afterAll(() => servers.close())

const urls = (glob: string): string[] => [...expandGlob(glob)].map(({ url }) => url)

test.each<[string, string[]]>([
  ['http://h/a', ['http://h/a']],
  ['http://{a,b}/', ['http://a/', 'http://b/']],
  ['x{,1}', ['x', 'x1']],
  ['x{a\\,b,c\\}d}', ['xa,b', 'xc}d']],
  ['x[1-3]', ['x1', 'x2', 'x3']],
  ['x[001-100:50]', ['x001', 'x051']],
  ['x[8- 10]', ['x8', 'x9', 'x10']],
  ['x[a-e:2]', ['xa', 'xc', 'xe']],
  ['x[5-5]', ['x5']],
  ['[a-b]{1,2}', ['a1', 'a2', 'b1', 'b2']],
  ['http://[::1]:8/[1-2]', ['http://[::1]:8/1', 'http://[::1]:8/2']],
  ['http://[fe80::3%25eth-0]/', ['http://[fe80::3%25eth-0]/']],
  ['x[]', ['x[]']],
  ['x\\[1-2\\]\\{\\}\\y', ['x[1-2]{}\\y']],
  ['x%5B1-2%5D', ['x%5B1-2%5D']],
])('%s is %j', (glob, expected) => {
  expect(urls(glob)).toEqual(expected)
})

test.each([
  '{a',
  'a}',
  'a]',
  '{}',
  '{a,{b}}',
  '{[1-2]}',
  '{a]}',
  '[1-',
  '[b-a]',
  '[9-1]',
  '[a-3]',
  '[A-z]',
  '[1-3:0]',
  '[1-3:3]',
  '[5-5:2]',
  '[x]',
  '[1:2]',
  '[1-99999999999999999999]',
  '[1-9999999][1-9999999][1-9999999]',
  '{a}'.repeat(101),
])('%s is malformed', (glob) => {
  expect(() => expandGlob(glob)).toThrow(expect.objectContaining({ code: 'malformed-url' }))
})

test('millions of URLs are made one by one', () => {
  const [first, second] = expandGlob('x[1-9000000]y[1-9000000]')
  expect([first?.url, second?.url]).toEqual(['x1y1', 'x1y2'])
})

test('the message hides the password of the URL', () => {
  expect(() => expandGlob('ftp://alice:secret@h/[')).toThrow(/^(?!.*secret).*alice/)
})

test('#1 in the name of a file is a value, and stays where there is none', () => {
  expect(fillName('a#1-#2#3#0', ['x', 'y'])).toBe('ax-y#3#0')
})

describe('the command', () => {
  test('saves what a glob stands for under names of their own', async () => {
    const cwd = join(folder(), 'named')
    mkdirSync(cwd)
    const args = [`${servers.http.url}{readme,pub/hello}.txt`, '-o', 'got-#1', '--create-dirs']
    expect(await retrieve(args, { cwd })).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(readdirSync(cwd, { recursive: true }).map(String).sort()).toEqual(['got-pub', 'got-pub/hello', 'got-readme'])
  })

  test('retrieves nothing if a glob is wrong, and takes it as it is with -g and in data URLs', async () => {
    const { status, stdout, stderr } = await retrieve(['data:,a', `${servers.http.url}[1-`])
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toContain('[ needs a range such as [1-9], [001-100:2] or [a-z] (position ')
    writeFileSync(join(folder(), 'a[1].txt'), 'brackets')
    const url = `${pathToFileURL(folder()).href}/a[1].txt`
    expect(await retrieve(['-sg', url])).toMatchObject({ status: 0, stdout: 'brackets' })
    expect((await retrieve(['-s', 'data:,{"a":[1]}'])).stdout).toBe('{"a":[1]}')
  })

  test('of -o and -O, each is for one URL; the rest is standard output, or a file with --remote-name-all', async () => {
    const cwd = join(folder(), 'rest')
    mkdirSync(cwd)
    const url = (path: string): string => `${servers.http.url}${path}`
    const hello = (await retrieve([url('pub/hello.txt')])).stdout
    expect((await retrieve(['-o', 'x', url('readme.txt'), url('pub/hello.txt')], { cwd })).stdout).toBe(hello)
    expect(readdirSync(cwd)).toEqual(['x'])
    expect((await retrieve(['-o', 'y', '-o', 'z', url('readme.txt')], { cwd })).status).toBe(0)
    const all = ['--remote-name-all', '-o', '-', url('pub/hello.txt'), url('readme.txt')]
    expect(await retrieve(all, { cwd })).toMatchObject({ status: 0, stdout: hello })
    expect(readdirSync(cwd).sort()).toEqual(['readme.txt', 'x', 'y'])
  })
})

const curl = spawnSync('curl', ['--version']).status === 0

describe.runIf(curl)('beside the installed curl (skipped where there is none)', () => {
  test.each([
    ['{a,b}', 'x#1'],
    ['[a-c:2]', 'x#1'],
    ['{a,b}', '#1#2'],
    ['[a-b]', 'x'],
    ['{a,b', 'x'],
    ['{}', 'x'],
    ['[]', 'x'],
    ['\\{a', 'x'],
    ['{nope,a}', '#1'],
    ['[1-2:5]', 'x'],
    ['a}', 'x'],
  ])('%s to %s gives the same files', async (glob, name) => {
    const from = join(folder(), 'from')
    mkdirSync(from, { recursive: true })
    for (const file of ['a', 'b', 'c']) writeFileSync(join(from, file), `the file ${file}`)
    const url = `${pathToFileURL(from).href}/${glob}`
    const filesOf = async (
      program: string,
      run: (cwd: string) => Promise<unknown>,
    ): Promise<Record<string, string>> => {
      const cwd = join(folder(), `${program}-${Buffer.from(`${glob} ${name}`).toString('hex')}`)
      mkdirSync(cwd)
      await run(cwd)
      return Object.fromEntries(readdirSync(cwd).map((file) => [file, readFileSync(join(cwd, file), 'utf8')]))
    }
    const theirs = await filesOf('curl', async (cwd) => spawnSync('curl', ['-q', '-s', url, '-o', name], { cwd }))
    const ours = await filesOf('retrieve', (cwd) => retrieve(['-s', url, '-o', name], { cwd }))
    expect(ours).toEqual(theirs)
  })
})
