import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Client } from '@retriever/fetchers'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openFiles } from '../../../support/open-files.ts'
import { cacheSetup, failure } from '../support/cache-setup.ts'
import { cacheable, reply } from '../support/http-answers.ts'

const setup = cacheSetup()
const { clientWith, inFolder, read, cacheEvents } = setup

test('nothing is read ahead of a slow consumer', async () => {
  const size = 32 * 1024 * 1024
  setup.server.script = cacheable(Buffer.alloc(size), { 'cache-control': 'max-age=60' })
  const reader = (await clientWith(inFolder()).retrieve(setup.server.url))[Symbol.asyncIterator]()
  for (let count = 0; count < 10; count++) await reader.next()
  // The server still has all that the kernel's buffers do not hold, and gets no more of it rid.
  let left: number | undefined
  await vi.waitFor(
    () => {
      const before = left
      left = Math.max(...setup.server.sockets.map(({ writableLength }) => writableLength))
      expect(left).toBe(before)
    },
    { timeout: 20_000, interval: 100 },
  )
  expect(left).toBeGreaterThan(size / 2)
  const [name = ''] = readdirSync(setup.folder)
  expect(statSync(join(setup.folder, name)).size).toBeLessThan(size / 2)
  let length = 0
  for (let chunk = await reader.next(); !chunk.done; chunk = await reader.next()) length += chunk.value.length
  expect(length).toBeGreaterThan(size / 2)
  expect(cacheEvents()).toEqual(['stored'])
})

test('a body over the limit passes through and is not stored', async () => {
  const client = clientWith(inFolder({ maxEntrySize: 1000 }))
  const chunked = { 'cache-control': 'max-age=60', 'Transfer-Encoding': 'chunked', 'Content-Length': null }
  for (const script of [
    cacheable('x'.repeat(1001), { 'cache-control': 'max-age=60' }),
    () => reply(200, chunked, `3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`),
  ]) {
    setup.server.script = script
    expect(await read(client)).toHaveLength(1001)
  }
  setup.server.script = cacheable('x'.repeat(1000), { 'cache-control': 'max-age=60' })
  expect(await read(client)).toHaveLength(1000)
  expect(cacheEvents()).toEqual(['stored'])
  await client.close()
  expect(readdirSync(setup.folder)).toHaveLength(2)
})

test('case 59, only its owner can read it, and its file names reveal nothing', async () => {
  const directory = join(setup.folder, 'made', 'here')
  const client = clientWith({ directory })
  await read(client, 'secret-path?token=s3cr3t')
  await client.close()
  const names = readdirSync(directory)
  expect(names).toHaveLength(2)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  for (const name of names) {
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
    expect(name).toMatch(/^[0-9a-f]{64}\./)
    expect(readFileSync(join(directory, name), 'utf8')).not.toContain('s3cr3t')
  }
})

test('serves the next client', async () => {
  await read(clientWith(inFolder()))
  expect(await read(clientWith(inFolder()))).toBe('body')
  expect(setup.server.asked).toHaveLength(1)
})

test.each<[string, (path: string) => void, RegExp]>([
  ['others may write to it', (path) => mkdirSync(path), /others may write to it/],
  ['it is a link', (path) => symlinkSync(setup.folder, path), /symbolic link/],
  ['it is a file', (path) => writeFileSync(path, ''), /cannot be used: it is no folder; name another\.$/],
])('is refused if %s', async (_name, make, message) => {
  const directory = join(setup.folder, 'unfit')
  make(directory)
  chmodSync(directory, 0o770)
  const error = await failure(read(clientWith({ directory })))
  expect(error).toMatchObject({ code: 'file-failed', message: expect.stringMatching(message) })
  expect(setup.server.asked).toEqual([])
})

test.each<[string, () => string, RegExp]>([
  ['ENAMETOOLONG', () => join(setup.folder, 'x'.repeat(300)), /cannot be used: the name is too long; name another\.$/],
  [
    'ENOTDIR',
    () => join(setup.folder, 'file', 'below'),
    /cannot be used: a part of its path is no folder; name another\.$/,
  ],
  // The system makes no folders there, and mkdir with `recursive` would never end.
  ['ENOENT', () => '/proc/none/below', /cannot be used: [^;]+; name another\.$/],
])('is refused, with the reason of the system: %s', async (code, path, message) => {
  writeFileSync(join(setup.folder, 'file'), '')
  expect(await failure(read(clientWith({ directory: path() })))).toMatchObject({
    code: 'file-failed',
    message: expect.stringMatching(message),
    cause: { code },
  })
})

test('is refused if it belongs to another user', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(4242)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await failure(read(clientWith(inFolder())))).toMatchObject({
    code: 'file-failed',
    message: expect.stringContaining('it belongs to somebody else; name one of your own.'),
  })
})

const kept = (): { index: string; body: string } => {
  const names = readdirSync(setup.folder)
  const find = (isIndex: boolean): string =>
    join(setup.folder, names.find((name) => name.endsWith('.json') === isIndex) ?? '')
  return { index: find(true), body: find(false) }
}

test.each<[string, () => void]>([
  ['the index is cut', () => writeFileSync(kept().index, readFileSync(kept().index).subarray(0, 50))],
  ['the index is of another kind', () => writeFileSync(kept().index, '{"version":1,"stored":[{"method":"GET"}]}')],
  [
    'the index names another file',
    () => {
      writeFileSync(join(setup.folder, 'elsewhere'), 'body')
      const text = readFileSync(kept().index, 'utf8')
      writeFileSync(kept().index, text.replace(/"body":"[^"]*"/, '"body":"elsewhere"'))
    },
  ],
  [
    'the index is a link',
    () => {
      const { index } = kept()
      writeFileSync(join(setup.folder, 'elsewhere'), readFileSync(index))
      rmSync(index)
      symlinkSync(join(setup.folder, 'elsewhere'), index)
    },
  ],
  ['the body is cut', () => writeFileSync(kept().body, 'bod')],
  ['the body is longer', () => writeFileSync(kept().body, 'body!')],
  ['the body is gone', () => rmSync(kept().body)],
  [
    'the body is a link',
    () => {
      const { body } = kept()
      writeFileSync(join(setup.folder, 'elsewhere'), 'evil')
      rmSync(body)
      symlinkSync(join(setup.folder, 'elsewhere'), body)
    },
  ],
])('damage is a miss, and repaired: %s', async (_name, damage) => {
  const client = clientWith(inFolder())
  await read(client)
  damage()
  expect(await read(client)).toBe('body')
  expect(setup.server.asked).toHaveLength(2)
  expect(await read(client)).toBe('body')
  expect(setup.server.asked).toHaveLength(2)
})

test('a body that is longer by octets behind the last one that is checked is a miss', async () => {
  const client = clientWith(inFolder())
  const body = 'x'.repeat(2 ** 20)
  setup.server.script = cacheable(body, { 'cache-control': 'max-age=60' })
  await read(client)
  appendFileSync(kept().body, 'y')
  expect(await read(client)).toBe(body)
  expect(setup.server.asked).toHaveLength(2)
})

test('a response that varies by a field that the request lacks serves the next client', async () => {
  setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', vary: 'x-absent' })
  for (let round = 0; round < 2; round++) expect(await read(clientWith(inFolder()))).toBe('body')
  expect(setup.server.asked).toHaveLength(1)
})

test('nothing is left of a response that is replaced or no longer storable', async () => {
  const client = clientWith(inFolder())
  setup.server.script = cacheable('old', { 'cache-control': 'max-age=0', etag: '"1"' })
  await read(client)
  setup.server.script = cacheable('new', { 'cache-control': 'max-age=0', etag: '"2"' })
  expect(await read(client)).toBe('new')
  expect(readdirSync(setup.folder)).toHaveLength(2)
  setup.server.script = cacheable('new', { 'cache-control': 'no-store', etag: '"2"' })
  expect(await read(client)).toBe('new')
  expect(readdirSync(setup.folder)).toEqual([])
})

test('a response without its body is removed, even if no other takes its place', async () => {
  const client = clientWith(inFolder())
  await read(client)
  rmSync(kept().body)
  setup.server.script = cacheable('body', { 'cache-control': 'no-store' })
  await read(client)
  expect(readdirSync(setup.folder)).toEqual([])
})

test('of the responses to a URL, only the one without its body is removed', async () => {
  const client = clientWith(inFolder())
  setup.server.script = (asked) =>
    cacheable(`for ${asked.fields.accept}`, { 'cache-control': 'max-age=60', vary: 'Accept' })(asked)
  const forAccept = (accept: string): Promise<string> => read(client, '', { accept })
  await forAccept('a/a')
  const { body } = kept()
  await forAccept('b/b')
  rmSync(body)
  setup.server.script = cacheable('new', { 'cache-control': 'no-store' })
  expect([await forAccept('a/a'), await forAccept('b/b')]).toEqual(['new', 'for b/b'])
  expect(setup.server.asked).toHaveLength(3)
})

describe.each<[string, Record<string, string>]>([
  ['without a validator', {}],
  ['with a strong validator', { etag: '"1"' }],
])('a body of other octets, %s,', (_name, validator) => {
  beforeEach(() => {
    setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', ...validator })
  })

  test('is a miss, and repaired', async () => {
    const client = clientWith(inFolder())
    await read(client)
    writeFileSync(kept().body, 'evil')
    expect(await read(client)).toBe('body')
    expect(setup.server.asked).toHaveLength(2)
    expect(await read(client)).toBe('body')
    expect(setup.server.asked).toHaveLength(2)
  })

  test('that changes while it is served fails and is removed', async () => {
    const client = clientWith(inFolder())
    await read(client)
    const path = join(setup.folder, 'saved')
    const served = await client.retrieve(setup.server.url)
    writeFileSync(kept().body, 'evil')
    expect(await failure(served.saveTo(path))).toMatchObject({ code: 'file-failed', phase: 'body' })
    expect(readdirSync(setup.folder)).not.toContain('saved')
    expect(await read(client)).toBe('body')
    expect(setup.server.asked).toHaveLength(2)
  })

  test('that gets shorter while it is served fails, and no request completes it', async () => {
    const client = clientWith(inFolder())
    await read(client)
    const served = await client.retrieve(setup.server.url)
    truncateSync(kept().body, 2)
    expect(await failure(served.text())).toMatchObject({ code: 'file-failed' })
    expect(setup.server.asked).toHaveLength(1)
  })
})

test('a damaged body in a content coding does not stay in the cache', async () => {
  const octets = gzipSync('body '.repeat(100))
  const fields = { 'cache-control': 'max-age=60', etag: '"1"', 'content-encoding': 'gzip' }
  setup.server.script = cacheable(octets, fields)
  const client = clientWith(inFolder())
  const text = async (): Promise<string> =>
    (await client.retrieve(setup.server.url, { http: { compressed: true } })).text()
  await text()
  const damaged = Buffer.from(octets)
  damaged.fill(0xff, 10, 20)
  writeFileSync(kept().body, damaged)
  expect(await text()).toBe('body '.repeat(100))
  expect(setup.server.asked).toHaveLength(2)
})

test('a body that the disk cannot read is a miss, and its file does not stay open', async () => {
  const client = clientWith(inFolder())
  await read(client)
  const file = await open(setup.folder)
  const broken = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, 'read').mockRejectedValueOnce(new Error('EIO'))
  onTestFinished(() => void broken.mockRestore())
  await file.close()
  expect(await read(client)).toBe('body')
  expect(setup.server.asked).toHaveLength(2)
  expect(openFiles(setup.folder)).toEqual([])
})

test('if nothing can be written, the retrieval goes on', async () => {
  const client = clientWith(inFolder())
  await read(client)
  rmSync(setup.folder, { recursive: true })
  expect(await read(client, 'other')).toBe('body')
  expect(setup.events).toContainEqual(
    expect.objectContaining({ type: 'remark', message: expect.stringMatching(/not kept .* folder does not exist/) }),
  )
})

test('keeps to its size by removing the least recently used, and no file that is not its own', async () => {
  // Files get the time of the system.
  vi.useRealTimers()
  writeFileSync(join(setup.folder, 'mine.json'), 'x'.repeat(500_000))
  const maxSize = 20 * 4096 * 2
  setup.server.script = cacheable('x'.repeat(4000), { 'cache-control': 'max-age=6000' })
  for (let number = 0; number < 40; number++) {
    const client = clientWith(inFolder({ maxSize }))
    await read(client, `${number}`)
    await read(client, '0')
    await client.close()
  }
  const names = readdirSync(setup.folder).filter((name) => name !== 'mine.json')
  expect(names.length).toBeLessThanOrEqual(40)
  expect(names.length).toBeGreaterThan(20)
  expect(readdirSync(setup.folder)).toContain('mine.json')
  expect(setup.server.asked).toHaveLength(40)
  const client = clientWith(inFolder({ maxSize }))
  await read(client, '39')
  expect(setup.server.asked).toHaveLength(40)
  await read(client, '1')
  expect(setup.server.asked).toHaveLength(41)
})

test.each<[string, (client: Client) => Promise<unknown>]>([
  ['was read', read],
  ['was left', async (client) => (await client.retrieve(setup.server.url)).cancel()],
  ['was replaced', (client) => read(client, '', { headers: { 'Cache-Control': 'no-cache' } })],
  ['was old, and its server failed', (client) => read(client, '', { headers: { 'Cache-Control': 'no-cache' } })],
])('no file is open after a body %s', async (name, use) => {
  const client = clientWith(inFolder())
  setup.server.script = cacheable('x'.repeat(300_000), { 'cache-control': 'max-age=60', etag: '"e"' })
  await read(client)
  if (/failed/.test(name)) setup.server.script = () => ({ octets: '', end: 'fin' })
  await use(client).catch(() => {})
  await expect.poll(() => openFiles(setup.folder)).toEqual([])
})

test('leftovers of a killed process are removed an hour later', async () => {
  const client = clientWith(inFolder())
  await read(client)
  const { index } = kept()
  const key = index.slice(-69, -5)
  const left = [`${key}.${'0'.repeat(16)}`, `${'a'.repeat(64)}.${'0'.repeat(16)}`, `${key}.${'1'.repeat(16)}.new`]
  const young = `${'b'.repeat(64)}.${'0'.repeat(16)}`
  for (const name of [...left, young]) writeFileSync(join(setup.folder, name), 'half')
  for (const name of left)
    utimesSync(join(setup.folder, name), new Date(Date.now() - 3_700_000), new Date(Date.now() - 3_700_000))
  utimesSync(join(setup.folder, young), new Date(), new Date())
  await client.close()
  const other = clientWith(inFolder())
  await read(other, 'other')
  await other.close()
  const names = readdirSync(setup.folder)
  for (const name of left) expect(names).not.toContain(name)
  expect(names).toContain(young)
  expect(names).toHaveLength(5)
})
