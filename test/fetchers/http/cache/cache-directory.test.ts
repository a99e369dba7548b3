import {
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
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { cacheTrial, failure } from '../../../support/http/cache-trial.ts'
import { cacheable, reply } from '../../../support/http/http-answers.ts'

const trial = cacheTrial()
const { clientWith, inFolder, read, told } = trial

test('nothing is read ahead of a slow consumer', async () => {
  const size = 64 * 1024 * 1024
  trial.server.script = cacheable(Buffer.alloc(size), { 'cache-control': 'max-age=60' })
  const reader = (await clientWith(inFolder()).retrieve(trial.server.url))[Symbol.asyncIterator]()
  for (let count = 0; count < 10; count++) await reader.next()
  await new Promise((resolve) => setTimeout(resolve, 400))
  // All but what the kernel's buffers hold is still with the trial.server.
  expect(trial.server.sockets[0]?.writableLength).toBeGreaterThan(size / 2)
  const [name = ''] = readdirSync(trial.folder)
  expect(statSync(join(trial.folder, name)).size).toBeLessThan(size / 2)
  let length = 0
  for (let chunk = await reader.next(); !chunk.done; chunk = await reader.next()) length += chunk.value.length
  expect(length).toBeGreaterThan(size / 2)
  expect(told()).toEqual(['stored'])
})

test('a body over the limit passes through and is not kept', async () => {
  const client = clientWith(inFolder({ maxEntrySize: 1000 }))
  const chunked = { 'cache-control': 'max-age=60', 'Transfer-Encoding': 'chunked', 'Content-Length': null }
  for (const script of [
    cacheable('x'.repeat(1001), { 'cache-control': 'max-age=60' }),
    () => reply(200, chunked, `3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`),
  ]) {
    trial.server.script = script
    expect(await read(client)).toHaveLength(1001)
  }
  trial.server.script = cacheable('x'.repeat(1000), { 'cache-control': 'max-age=60' })
  expect(await read(client)).toHaveLength(1000)
  expect(told()).toEqual(['stored'])
  await client.close()
  expect(readdirSync(trial.folder)).toHaveLength(2)
})

test('is for its owner alone, and tells nothing by its names', async () => {
  const directory = join(trial.folder, 'made', 'here')
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

test('is there for the next client', async () => {
  await read(clientWith(inFolder()))
  expect(await read(clientWith(inFolder()))).toBe('body')
  expect(trial.server.asked).toHaveLength(1)
})

test.each<[string, (path: string) => void, RegExp]>([
  ['others may write to it', (path) => mkdirSync(path), /others may write to it/],
  ['it is a link', (path) => symlinkSync(trial.folder, path), /symbolic link/],
  ['it is a file', (path) => writeFileSync(path, ''), /cannot be used: it is no folder; name another\.$/],
])('is refused where %s', async (_name, make, message) => {
  const directory = join(trial.folder, 'unfit')
  make(directory)
  chmodSync(directory, 0o770)
  const error = await failure(read(clientWith({ directory })))
  expect(error).toMatchObject({ code: 'file-failed', message: expect.stringMatching(message) })
  expect(trial.server.asked).toEqual([])
})

const kept = (): { index: string; body: string } => {
  const names = readdirSync(trial.folder)
  const find = (isIndex: boolean): string =>
    join(trial.folder, names.find((name) => name.endsWith('.json') === isIndex) ?? '')
  return { index: find(true), body: find(false) }
}

test.each<[string, () => void]>([
  ['the index is cut', () => writeFileSync(kept().index, readFileSync(kept().index).subarray(0, 50))],
  ['the index is of another kind', () => writeFileSync(kept().index, '{"version":1,"stored":[{"method":"GET"}]}')],
  [
    'the index names another file',
    () => {
      writeFileSync(join(trial.folder, 'elsewhere'), 'body')
      const text = readFileSync(kept().index, 'utf8')
      writeFileSync(kept().index, text.replace(/"body":"[^"]*"/, '"body":"elsewhere"'))
    },
  ],
  [
    'the index is a link',
    () => {
      const { index } = kept()
      writeFileSync(join(trial.folder, 'elsewhere'), readFileSync(index))
      rmSync(index)
      symlinkSync(join(trial.folder, 'elsewhere'), index)
    },
  ],
  ['the body is cut', () => writeFileSync(kept().body, 'bod')],
  ['the body is longer', () => writeFileSync(kept().body, 'body!')],
  ['the body is gone', () => rmSync(kept().body)],
  [
    'the body is a link',
    () => {
      const { body } = kept()
      writeFileSync(join(trial.folder, 'elsewhere'), 'evil')
      rmSync(body)
      symlinkSync(join(trial.folder, 'elsewhere'), body)
    },
  ],
])('what is damaged is a miss, and mended: %s', async (_name, damage) => {
  const client = clientWith(inFolder())
  await read(client)
  damage()
  expect(await read(client)).toBe('body')
  expect(trial.server.asked).toHaveLength(2)
  expect(await read(client)).toBe('body')
  expect(trial.server.asked).toHaveLength(2)
})

test('what is replaced leaves nothing behind, nor what is no longer to be kept', async () => {
  const client = clientWith(inFolder())
  trial.server.script = cacheable('old', { 'cache-control': 'max-age=0', etag: '"1"' })
  await read(client)
  trial.server.script = cacheable('new', { 'cache-control': 'max-age=0', etag: '"2"' })
  expect(await read(client)).toBe('new')
  expect(readdirSync(trial.folder)).toHaveLength(2)
  trial.server.script = cacheable('new', { 'cache-control': 'no-store', etag: '"2"' })
  expect(await read(client)).toBe('new')
  expect(readdirSync(trial.folder)).toEqual([])
})

test('an answer that has lost its body goes, even if no other takes its place', async () => {
  const client = clientWith(inFolder())
  await read(client)
  rmSync(kept().body)
  trial.server.script = cacheable('body', { 'cache-control': 'no-store' })
  await read(client)
  expect(readdirSync(trial.folder)).toEqual([])
})

describe.each<[string, Record<string, string>]>([
  ['without a validator', {}],
  ['with a strong validator', { etag: '"1"' }],
])('a body of other octets, %s,', (_name, validator) => {
  beforeEach(() => {
    trial.server.script = cacheable('body', { 'cache-control': 'max-age=60', ...validator })
  })

  test('is a miss, and mended', async () => {
    const client = clientWith(inFolder())
    await read(client)
    writeFileSync(kept().body, 'evil')
    expect(await read(client)).toBe('body')
    expect(trial.server.asked).toHaveLength(2)
    expect(await read(client)).toBe('body')
    expect(trial.server.asked).toHaveLength(2)
  })

  test('that become others while they are served, fails, and is there no more', async () => {
    const client = clientWith(inFolder())
    await read(client)
    const path = join(trial.folder, 'saved')
    const served = await client.retrieve(trial.server.url)
    writeFileSync(kept().body, 'evil')
    expect(await failure(served.saveTo(path))).toMatchObject({ code: 'file-failed' })
    expect(readdirSync(trial.folder)).not.toContain('saved')
    expect(await read(client)).toBe('body')
    expect(trial.server.asked).toHaveLength(2)
  })

  test('that becomes shorter while it is served, fails, and no request completes it', async () => {
    const client = clientWith(inFolder())
    await read(client)
    const served = await client.retrieve(trial.server.url)
    truncateSync(kept().body, 2)
    expect(await failure(served.text())).toMatchObject({ code: 'file-failed' })
    expect(trial.server.asked).toHaveLength(1)
  })
})

test('a damaged body in a content coding does not stay in the cache', async () => {
  const octets = gzipSync('body '.repeat(100))
  const fields = { 'cache-control': 'max-age=60', etag: '"1"', 'content-encoding': 'gzip' }
  trial.server.script = cacheable(octets, fields)
  const client = clientWith(inFolder())
  const text = async (): Promise<string> => (await client.retrieve(trial.server.url, { compressed: true })).text()
  await text()
  const damaged = Buffer.from(octets)
  damaged.fill(0xff, 10, 20)
  writeFileSync(kept().body, damaged)
  expect(await text()).toBe('body '.repeat(100))
  expect(trial.server.asked).toHaveLength(2)
})

test('where nothing can be written, the retrieval goes on', async () => {
  const client = clientWith(inFolder())
  await read(client)
  rmSync(trial.folder, { recursive: true })
  expect(await read(client, 'other')).toBe('body')
  expect(trial.events).toContainEqual(
    expect.objectContaining({ type: 'remark', message: expect.stringMatching(/not kept .* folder is gone/) }),
  )
})

test('keeps to its size: what was used the longest ago goes, and no file of others', async () => {
  // Files have the time of the system.
  vi.useRealTimers()
  writeFileSync(join(trial.folder, 'mine.json'), 'x'.repeat(500_000))
  const maxSize = 20 * 4096 * 2
  trial.server.script = cacheable('x'.repeat(4000), { 'cache-control': 'max-age=6000' })
  for (let number = 0; number < 40; number++) {
    const client = clientWith(inFolder({ maxSize }))
    await read(client, `${number}`)
    await read(client, '0')
    await client.close()
  }
  const names = readdirSync(trial.folder).filter((name) => name !== 'mine.json')
  expect(names.length).toBeLessThanOrEqual(40)
  expect(names.length).toBeGreaterThan(20)
  expect(readdirSync(trial.folder)).toContain('mine.json')
  expect(trial.server.asked).toHaveLength(40)
  const client = clientWith(inFolder({ maxSize }))
  await read(client, '39')
  expect(trial.server.asked).toHaveLength(40)
  await read(client, '1')
  expect(trial.server.asked).toHaveLength(41)
})

test('what a killed process left is removed an hour later', async () => {
  const client = clientWith(inFolder())
  await read(client)
  const { index } = kept()
  const key = index.slice(-69, -5)
  const left = [`${key}.${'0'.repeat(16)}`, `${'a'.repeat(64)}.${'0'.repeat(16)}`, `${key}.${'1'.repeat(16)}.new`]
  const young = `${'b'.repeat(64)}.${'0'.repeat(16)}`
  for (const name of [...left, young]) writeFileSync(join(trial.folder, name), 'half')
  for (const name of left)
    utimesSync(join(trial.folder, name), new Date(Date.now() - 3_700_000), new Date(Date.now() - 3_700_000))
  utimesSync(join(trial.folder, young), new Date(), new Date())
  await client.close()
  const other = clientWith(inFolder())
  await read(other, 'other')
  await other.close()
  const names = readdirSync(trial.folder)
  for (const name of left) expect(names).not.toContain(name)
  expect(names).toContain(young)
  expect(names).toHaveLength(5)
})
