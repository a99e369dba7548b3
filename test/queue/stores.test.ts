/** Where workers keep what they retrieve. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolve } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { folderStore, functionStore } from '@retriever/queue'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { placeOf } from '../../packages/cli/src/many/place.ts'
import { sumOf } from '../../packages/queue/src/frontier/host.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const stored = { url: 'http://www.example.org/a.TXT?b', id: '0123456789abcdef0123456789abcdef' }

test('a file gets its name once: the first of two workers makes it', async () => {
  await using client = createClient()
  const [one, other] = [folderStore(folder), folderStore(folder)]
  expect(one.has(stored)).toBe(false)
  expect(await one.put(stored, await client.retrieve('data:,first'))).toBe(true)
  expect(await other.put(stored, await client.retrieve('data:,second'))).toBe(false)
  expect(other.has(stored)).toBe(true)
  expect(readFileSync(join(folder, '01', '23456789abcdef0123456789abcdef.txt'), 'utf8')).toBe('first')
  expect(readdirSync(join(folder, '.unfinished'))).toEqual([])
})

test.each(['http://www.example.org/', 'ftp://ftp.example.org/pub/', 'http://www.example.org/A.Tar.GZ?b=1'])(
  '%s has the place that the command gives it',
  async (url) => {
    await using client = createClient()
    const id = sumOf(url).toString('hex')
    await folderStore(folder).put({ url, id }, await client.retrieve('data:,x'))
    expect(readFileSync(join(folder, placeOf('hash', resolve(url))), 'utf8')).toBe('x')
  },
)

test('what a killed worker has left goes after a day', async () => {
  await using client = createClient()
  const left = join(folder, '.unfinished')
  mkdirSync(left)
  for (const name of ['0123456789abcdef-1', 'thesis.txt']) writeFileSync(join(left, name), '')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 90_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  await folderStore(folder).put(stored, await client.retrieve('data:,x'))
  expect(readdirSync(left)).toEqual(['thesis.txt'])
})

test('what another worker is about to name stays, however old the server says it is', async () => {
  await using client = createClient()
  const left = join(folder, '.unfinished')
  mkdirSync(left)
  writeFileSync(join(left, '0123456789abcdef-1'), '')
  utimesSync(join(left, '0123456789abcdef-1'), 1e9, 1e9)
  await folderStore(folder).put(stored, await client.retrieve('data:,x'))
  expect(readdirSync(left)).toEqual(['0123456789abcdef-1'])
})

test.each(['a link to nothing', 'a folder'])('%s at the name of a record is an error, no record', async (kind) => {
  await using client = createClient()
  const path = join(folder, '01', '23456789abcdef0123456789abcdef.txt')
  mkdirSync(join(folder, '01'))
  if (kind === 'a folder') mkdirSync(path)
  else symlinkSync('nothing', path)
  const store = folderStore(folder)
  const refused = { code: 'write-failed', message: expect.stringContaining('something else than a file') }
  expect(() => store.has(stored)).toThrow(expect.objectContaining(refused))
  await expect(store.put(stored, await client.retrieve('data:,x'))).rejects.toMatchObject(refused)
})

test('a folder that cannot be made is an error of the store', async () => {
  await using client = createClient()
  const store = folderStore(join(process.execPath, 'x'))
  await expect(store.put(stored, await client.retrieve('data:,x'))).rejects.toMatchObject({ code: 'write-failed' })
})

test.runIf(process.platform === 'linux')('a system that makes no folders is an error of the store', async () => {
  await using client = createClient()
  const put = folderStore('/proc/a/b').put(stored, await client.retrieve('data:,x'))
  await expect(put).rejects.toMatchObject({ code: 'write-failed' })
})

test('two functions are a store', async () => {
  await using client = createClient()
  const texts = new Map<string, string>()
  const store = functionStore({
    has: ({ id }) => texts.has(id),
    put: async ({ id }, representation) => {
      const text = await representation.text()
      if (texts.has(id)) return false
      texts.set(id, text)
      return true
    },
  })
  expect(await store.put(stored, await client.retrieve('data:,x'))).toBe(true)
  expect(await store.put(stored, await client.retrieve('data:,x'))).toBe(false)
  expect(await store.has(stored)).toBe(true)
  expect(() => functionStore({ has: () => true } as never)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
})
