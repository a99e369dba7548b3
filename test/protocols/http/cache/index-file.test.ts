/** The index of a cache folder: what is wrong with it makes a miss, and is repaired. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { cacheSetup } from '../support/cache-setup.ts'
import { cacheable } from '../support/http-answers.ts'

const setup = cacheSetup()
const { clientWith, inFolder, read } = setup

const indexPath = (): string =>
  join(setup.folder, readdirSync(setup.folder).find((name) => name.endsWith('.json')) ?? '')

interface Index {
  readonly version: number
  readonly stored: readonly Response[]
}
type Response = Readonly<Record<string, unknown>>

/** How many requests there were after the index was changed and read twice. */
async function requestsAfter(change: (index: Index) => unknown): Promise<number> {
  const client = clientWith(inFolder())
  await read(client)
  writeFileSync(indexPath(), JSON.stringify(change(JSON.parse(readFileSync(indexPath(), 'utf8')))))
  for (let round = 0; round < 2; round++) expect(await read(client)).toBe('body')
  await client.close()
  // The index and one body: nothing else is left.
  expect(readdirSync(setup.folder)).toHaveLength(2)
  return setup.server.asked.length
}

test('an index that is written again as it was is read', async () => {
  expect(await requestsAfter((index) => index)).toBe(1)
})

test.each<[string, (index: Index) => unknown]>([
  ['a text', () => 'index'],
  ['a list', (index) => [index]],
  ['of another version', (index) => ({ ...index, version: 2 })],
  ['without a list of responses', (index) => ({ ...index, stored: { length: 0 } })],
  ['of a response that is null', (index) => ({ ...index, stored: [null] })],
  ['of more than a megabyte', (index) => ({ ...index, more: 'x'.repeat(1024 * 1024) })],
])('an index that is %s is a miss', async (_name, change) => {
  expect(await requestsAfter(change)).toBe(2)
})

test.each<[string, (one: Response) => Response]>([
  ['another method', () => ({ method: 'PUT' })],
  ['a reason that is no text', () => ({ reason: 1 })],
  ['a status that is no number', () => ({ status: '200' })],
  ['a time within a millisecond', () => ({ requestTime: 1.5 })],
  ['a time that no date can hold', () => ({ responseTime: 8.64e15 + 1 })],
  ['no length', () => ({ length: undefined })],
  ['a sum that is no number', () => ({ check: null })],
  ['a list of fields', () => ({ fields: [] })],
  ['a field that is no text', () => ({ fields: { 'cache-control': 60 } })],
  ['a Vary that is no list', () => ({ vary: {} })],
  ['a varying field that is none', () => ({ vary: ['accept'] })],
  ['a varying field without a name', () => ({ vary: [[null, null]] })],
  ['a varying field whose value is a number', () => ({ vary: [['accept', 1]] })],
  ['GET and no body', () => ({ body: null })],
  ['a body with a longer name', ({ body }) => ({ body: `${body}0` })],
  ['a body with a name that begins otherwise', ({ body }) => ({ body: `x${body}` })],
  ['a body that is a list', ({ body }) => ({ body: [body] })],
  ['HEAD and a body', () => ({ method: 'HEAD' })],
])('an index whose response has %s is a miss', async (_name, change) => {
  const changed = (one: Response): Response => ({ ...one, ...change(one) })
  expect(await requestsAfter(({ version, stored }) => ({ version, stored: stored.map(changed) }))).toBe(2)
})

test('an index of which one response in two is none is a miss', async () => {
  setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', vary: 'accept' })
  const client = clientWith(inFolder())
  for (const accept of ['a/a', 'b/b']) await read(client, '', { headers: { accept } })
  const index: Index = JSON.parse(readFileSync(indexPath(), 'utf8'))
  writeFileSync(indexPath(), JSON.stringify({ ...index, stored: [index.stored[0], null] }))
  await read(client, '', { headers: { accept: 'b/b' } })
  expect(setup.server.asked).toHaveLength(3)
})

test('an index that is none takes only its own bodies with it', async () => {
  const client = clientWith(inFolder())
  await read(client)
  const index = indexPath()
  await read(client, 'other')
  // Another process is about to put this index in the place of the damaged one.
  const [mine, coming] = [join(setup.folder, 'mine'), index.replace(/json$/, `${'0'.repeat(16)}.new`)]
  for (const path of [mine, coming, index]) writeFileSync(path, '{}')
  expect(await read(client)).toBe('body')
  expect(await read(client, 'other')).toBe('body')
  expect(setup.server.asked).toHaveLength(3)
  expect(readdirSync(setup.folder)).toEqual(expect.arrayContaining([basename(mine), basename(coming)]))
  expect(readdirSync(setup.folder)).toHaveLength(6)
})

test('a folder in the place of an index is no index, and the retrieval goes on', async () => {
  const client = clientWith(inFolder())
  await read(client)
  const path = indexPath()
  rmSync(path)
  mkdirSync(path)
  expect(await read(client)).toBe('body')
})

test('of the responses of one URL, the eight newest are kept', async () => {
  setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', vary: 'accept' })
  const client = clientWith(inFolder())
  const accepts = Array.from({ length: 9 }, (_, number) => `a/${number}`)
  for (const accept of accepts) await read(client, '', { headers: { accept } })
  await client.close()
  expect(readdirSync(setup.folder)).toHaveLength(1 + 8)
  const other = clientWith(inFolder())
  for (const accept of accepts.slice(1)) await read(other, '', { headers: { accept } })
  expect(setup.server.asked).toHaveLength(9)
  await read(other, '', { headers: { accept: 'a/0' } })
  expect(setup.server.asked).toHaveLength(10)
})

test('without `maxEntrySize`, a body may have an eighth of the folder', async () => {
  const client = clientWith(inFolder({ maxSize: 79_999 }))
  for (const length of [10_000, 10_001]) {
    setup.server.script = cacheable('x'.repeat(length), { 'cache-control': 'max-age=60' })
    for (let round = 0; round < 2; round++) await read(client, `${length}`)
  }
  expect(setup.server.lines).toEqual(['/10000', '/10001', '/10001'].map((path) => `GET ${path} HTTP/1.1`))
})
