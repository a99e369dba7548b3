import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startServers } from '@retriever/servers'
import { beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let url = ''

beforeAll(() => {
  writeFileSync(join(folder(), 'page'), 'new')
  url = `${pathToFileURL(folder()).href}/page`
})

/** A folder with the files `page` and `page.1`. */
function used(name: string): string {
  const cwd = join(folder(), name)
  mkdirSync(cwd)
  for (const file of ['page', 'page.1']) writeFileSync(join(cwd, file), 'old')
  return cwd
}

const contents = (cwd: string): Record<string, string> =>
  Object.fromEntries(readdirSync(cwd).map((file) => [file, readFileSync(join(cwd, file), 'utf8')]))

test.each([
  ['-O', ['--no-clobber', '-O'], { page: 'old', 'page.1': 'old', 'page.2': 'new' }],
  ['-o', ['--no-clobber', '-o', 'page'], { page: 'old', 'page.1': 'old', 'page.2': 'new' }],
  ['a free name', ['--no-clobber', '-o', 'other'], { other: 'new', page: 'old', 'page.1': 'old' }],
  ['--clobber', ['--clobber', '-O'], { page: 'new', 'page.1': 'old' }],
  ['the last one', ['--no-clobber', '--clobber', '-O'], { page: 'new', 'page.1': 'old' }],
])('%s: the file gets a free name, or replaces the old one', async (name, args, files) => {
  const cwd = used(name)
  const stderr = args.join() === '--no-clobber,-O' ? `retrieve: ${url}: saved as page.2, since page is taken\n` : ''
  expect(await retrieve([...args, url], { cwd })).toEqual({ status: 0, stdout: '', stderr })
  expect(contents(cwd)).toEqual(files)
})

test.each([
  ['page', 'page.part', { page: 'new', 'page.part.1': 'second' }],
  ['page.part', 'page', { 'page.part': 'new', 'page.1': 'second' }],
])(
  '%s and %s of one command, of which one is written under the name of the other: both come',
  async (one, two, files) => {
    const cwd = join(folder(), `beside-${one}`)
    mkdirSync(cwd)
    writeFileSync(join(folder(), 'second'), 'second')
    const args = ['--no-clobber', '-Z', '-o', one, url, '-o', two, url.replace(/page$/, 'second')]
    expect(await retrieve(args, { cwd })).toMatchObject({ status: 0, stdout: '' })
    expect(contents(cwd)).toEqual(files)
  },
)

test('-J takes a free name, too', async () => {
  await using server = (await startServers({ http: true })).http
  const cwd = join(folder(), 'by-server')
  mkdirSync(cwd)
  for (let count = 0; count < 2; count++) await retrieve(['--no-clobber', '-OJ', `${server.url}readme.txt`], { cwd })
  expect(readdirSync(cwd).sort()).toEqual(['readme.txt', 'readme.txt.1'])
})

test('an -o FILE beyond the URLs is named, and the others are written', async () => {
  const cwd = used('unused')
  expect(await retrieve(['-o', 'first', '-o', 'second', url], { cwd })).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('-o second has no URL, and is ignored.\n'),
  })
  expect(Object.keys(contents(cwd))).toEqual(['first', 'page', 'page.1'])
})

test('--no-clobber and -C make no sense together', async () => {
  expect(await retrieve(['--no-clobber', '-C', '-', '-O', url])).toMatchObject({ status: 2 })
})

/** Whether files without permission to write may be written all the same, as by root. */
function passesPermissions(): boolean {
  const file = join(mkdtempSync(join(tmpdir(), 'clobber-')), 'protected')
  writeFileSync(file, '', { mode: 0o444 })
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  } finally {
    rmSync(dirname(file), { recursive: true })
  }
}

test.skipIf(passesPermissions())('a write-protected file is not replaced', async () => {
  const cwd = used('protected')
  chmodSync(join(cwd, 'page'), 0o444)
  const stderr = 'retrieve: page cannot be written: permission denied.\n'
  for (const args of [
    ['-o', 'page'],
    ['--clobber', '-O'],
  ]) {
    expect(await retrieve([...args, url], { cwd })).toEqual({ status: 23, stdout: '', stderr })
  }
  expect(contents(cwd)).toEqual({ page: 'old', 'page.1': 'old' })
})
