/** The size of a cache folder: what is removed when it is full, and what a killed process left. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { cacheSetup } from '../support/cache-setup.ts'
import { cacheable } from '../support/http-answers.ts'

const setup = cacheSetup()
const block = 4096
/** An index and a body of one block each. */
const entry = 2 * block
const hours = 3_600_000

beforeEach(() => {
  setup.server.script = cacheable('x'.repeat(4000), { 'cache-control': 'max-age=6000' })
})

const names = (): string[] => readdirSync(setup.folder)
const path = (name: string): string => join(setup.folder, name)

/** Sets the time of a file to so many hours ago, by the clock of the test. */
function age(name: string, count: number): void {
  const time = new Date(Date.now() - count * hours)
  utimesSync(path(name), time, time)
}

/** Stores the response of a path by a client of its own. Returns the names of the new files, the index last. */
async function store(target: string, maxSize: number, options = {}): Promise<readonly string[]> {
  const before = new Set(names())
  const client = setup.clientWith(setup.inFolder({ maxSize }))
  await setup.read(client, target, options)
  await client.close()
  return names()
    .filter((name) => !before.has(name))
    .sort((one, other) => Number(one.endsWith('.json')) - Number(other.endsWith('.json')))
}

/** The paths of so many that are still stored. */
async function stored(count: number): Promise<number[]> {
  const client = setup.clientWith(setup.inFolder())
  const only = { headers: { 'cache-control': 'only-if-cached' } }
  const left: number[] = []
  for (let number = 0; number < count; number++) {
    const text = await setup.read(client, `${number}`, only).catch(() => null)
    if (text !== null) left.push(number)
  }
  return left
}

/** Fills the folder to its limit. The higher the number of a path, the longer ago it was used. */
async function fill(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const files = await store(`${number}`, count * entry)
    age(files.at(-1) ?? '', number + 1)
  }
}

test('a folder of just its limit keeps all; with one more, it is emptied to nine tenths of it', async () => {
  await fill(10)
  expect(names()).toHaveLength(20)
  await store('10', 10 * entry)
  expect(names()).toHaveLength(18)
  expect(await stored(11)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 10])
})

test('what is used again is kept', async () => {
  await fill(10)
  await store('9', 10 * entry)
  await store('10', 10 * entry)
  expect(await stored(11)).toEqual([0, 1, 2, 3, 4, 5, 6, 9, 10])
})

test('a client that goes on writing keeps to the size', async () => {
  setup.server.script = cacheable('x'.repeat(10 * block), { 'cache-control': 'max-age=6000' })
  const maxSize = 100 * block
  const client = setup.clientWith(setup.inFolder({ maxSize }))
  for (let number = 0; number < 60; number++) await setup.read(client, `${number}`)
  await client.close()
  const blocks = names().reduce((sum, name) => sum + Math.ceil(statSync(path(name)).size / block), 0)
  // It knows the size of bodies alone, until it measures the folder again.
  expect(blocks).toBeLessThan(140)
  expect(blocks).toBeGreaterThan(60)
})

test.skipIf(process.platform === 'win32')('what is written while the folder is measured counts', async () => {
  // Opening this index waits for a writer, and with it the sweep that the first store begins.
  const index = path(`${'a'.repeat(64)}.json`)
  execFileSync('mkfifo', [index])
  const client = setup.clientWith(setup.inFolder({ maxSize: 10 * entry }))
  for (let number = 0; number < 20; number++) await setup.read(client, `${number}`)
  expect(names()).toHaveLength(41)
  const writer = await vi.waitFor(() => openSync(index, constants.O_WRONLY | constants.O_NONBLOCK))
  unlinkSync(index)
  closeSync(writer)
  await client.close()
  expect(names().length).toBeLessThanOrEqual(20)
  expect(names().length).toBeGreaterThan(14)
})

test('old bodies that an index names are no leftovers', async () => {
  const vary = cacheable('x', { 'cache-control': 'max-age=6000', vary: 'accept' })
  setup.server.script = vary
  const files: string[] = []
  for (const accept of ['a/a', 'b/b']) files.push(...(await store('0', 100 * entry, { headers: { accept } })))
  files.push(...(await store('1', 100 * entry)))
  for (const name of files) age(name, 3)
  expect(files).toHaveLength(5)
  await store('2', 100 * entry)
  for (const name of files) expect(names()).toContain(name)
})

test('old bodies beside an index that is none are leftovers', async () => {
  const [body = '', index = ''] = await store('0', 100 * entry)
  const other = `${body.slice(0, 64)}.${'0'.repeat(16)}`
  writeFileSync(path(other), 'x')
  writeFileSync(path(index), '{}')
  for (const name of [body, other]) age(name, 2)
  await store('1', 100 * entry)
  expect(names()).toHaveLength(3)
  expect(names()).toContain(index)
})

test('leftovers go before what is stored, and count no more', async () => {
  await fill(10)
  const left = `${'a'.repeat(64)}.${'0'.repeat(16)}`
  writeFileSync(path(left), 'x'.repeat(20 * block))
  age(left, 2)
  await store('10', 11 * entry)
  expect(names()).not.toContain(left)
  expect(await stored(11)).toHaveLength(11)
})

test('a body that another process still writes stays in a full folder', async () => {
  await fill(10)
  const written = `${'a'.repeat(64)}.${'0'.repeat(16)}`
  writeFileSync(path(written), 'x')
  await store('10', 10 * entry)
  expect(names()).toContain(written)
  expect(await stored(11)).toEqual([0, 1, 2, 3, 4, 5, 6, 10])
})

test('a folder with the name of a body is left alone, and the others are removed all the same', async () => {
  await fill(10)
  const odd = `${'a'.repeat(64)}.${'0'.repeat(16)}`
  mkdirSync(path(odd))
  age(odd, 2)
  await store('10', 10 * entry)
  expect(names()).toContain(odd)
  // It counts for one block.
  expect(await stored(11)).toEqual([0, 1, 2, 3, 4, 5, 6, 10])
})
