/** A small body that has come before a file is opened is saved without a record. */
import fs from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type SavedFile, type SaveOptions } from '@retriever/fetchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)
const read = (name: string): Promise<string> => readFile(at(name), 'utf8')
const left = async (): Promise<string[]> => (await readdir(folder)).sort()
const modified = new Date('2001-02-03T04:05:06Z')

/** Saves a body whose size is known. */
async function save(body: AsyncIterable<Uint8Array>, size: number, options: SaveOptions = {}): Promise<SavedFile> {
  const client = createClient({ fetchers: [fakeHttp(() => retrieved(body, { size, modified, etag: '"a"' }))] })
  return (await client.retrieve('http://h/x')).saveTo(at('x'), options)
}

describe('a small body that came whole', () => {
  test('needs no record, and gets its date', async () => {
    // No record could have this name.
    await mkdir(at('x.part.json'))
    expect(await save(chunks('abc'), 3)).toMatchObject({ size: 3, resumedFrom: 0 })
    expect([await read('x'), await left()]).toEqual(['abc', ['x', 'x.part.json']])
    expect((await stat(at('x'))).mtime).toEqual(modified)
  })

  test('may be empty', async () => {
    expect(await save(chunks(), 0)).toMatchObject({ size: 0 })
    expect([await read('x'), await left()]).toEqual(['', ['x']])
  })

  test('gets the permissions of the file that it replaces', async () => {
    await writeFile(at('x'), 'old')
    await chmod(at('x'), 0o606)
    await save(chunks('abc'), 3)
    expect([await read('x'), (await stat(at('x'))).mode & 0o777]).toEqual(['abc', 0o606])
  })

  test('replaces a link, and leaves the file behind it alone', async () => {
    await writeFile(at('victim'), 'safe')
    await symlink(at('victim'), at('x'))
    await save(chunks('abc'), 3)
    expect([await read('x'), await read('victim')]).toEqual(['abc', 'safe'])
  })

  test('is not written through a link at the name of its part (case 31)', async () => {
    await writeFile(at('victim'), 'safe')
    await symlink(at('victim'), at('x.part'))
    await expect(save(chunks('abc'), 3)).rejects.toMatchObject({ code: 'write-failed' })
    expect([await read('victim'), await left()]).toEqual(['safe', ['victim', 'x.part']])
  })

  test('replaces no file that came meanwhile, if the caller says so', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      await writeFile(at('x'), 'other')
      yield Buffer.from('abc')
    }
    await expect(save(body(), 3, { overwrite: false })).rejects.toThrow('it exists already')
    expect([await read('x'), await left()]).toEqual(['other', ['x']])
  })

  test('R39: leaves nothing where it cannot take its name', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      await mkdir(at('x'))
      yield Buffer.from('abc')
    }
    await expect(save(body(), 3)).rejects.toMatchObject({ code: 'write-failed' })
    expect(await left()).toEqual(['x'])
  })

  test('takes the place of an older part and its record', async () => {
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('ab')
      throw new Error('the wire broke')
    }
    await expect(save(cut(), 3)).rejects.toMatchObject({ code: 'receive-failed' })
    expect(await left()).toEqual(['x.part', 'x.part.json'])
    await save(chunks('abc'), 3)
    expect([await read('x'), await left()]).toEqual(['abc', ['x']])
  })
})

test('a small body removes the record of a process that was killed before it had a part', async () => {
  const record = { url: 'http://h/x', etag: '"a"', modified: null, size: 3, length: null }
  const dead = { pid: 1, started: 'ended', host: 'elsewhere', boot: null }
  const old = new Date(Date.now() - 3_600_000)
  await writeFile(at('x.part.json'), JSON.stringify({ ...record, writer: dead }))
  await utimes(at('x.part.json'), old, old)
  expect(await save(chunks('abc'), 3)).toMatchObject({ size: 3, resumedFrom: 0 })
  expect(await left()).toEqual(['x'])
})

describe('a small body is not published but kept', () => {
  test('if its end fails after all octets', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('abc')
      throw new Error('the server takes it back')
    }
    await expect(save(body(), 3)).rejects.toMatchObject({ code: 'receive-failed' })
    expect([await read('x.part'), await left()]).toEqual(['abc', ['x.part', 'x.part.json']])
  })
})

test('a body with more octets than announced is saved with all of them', async () => {
  expect(await save(chunks('abc', 'def'), 3)).toMatchObject({ size: 6 })
  expect([await read('x'), await left()]).toEqual(['abcdef', ['x']])
})

describe('another save that has the part without a record', () => {
  test('is waited for', async () => {
    await writeFile(at('x.part'), 'other')
    await utimes(at('x.part'), modified, modified)
    const saving = save(chunks('abc'), 3)
    await expect.poll(left, { interval: 1 }).toContain('x.part.json')
    // Had it not waited, it would have removed the part of the other one, which would then publish something else.
    expect(await read('x.part')).toBe('other')
    await rename(at('x.part'), at('x'))
    await saving
    expect([await read('x'), await left()]).toEqual(['abc', ['x']])
  })

  test('is not published when it has taken over the part of a process that was stopped', async () => {
    const { futimesSync } = fs
    // The process stops here for seconds; meanwhile another one removes its part and writes its own.
    fs.futimesSync = (file, accessed, changed) => {
      futimesSync(file, accessed, changed)
      vi.useFakeTimers({ now: Date.now() + 3000, toFake: ['Date'] })
      fs.writeFileSync(at('other'), 'half of an')
      fs.renameSync(at('other'), at('x.part'))
    }
    syncBuiltinESMExports()
    try {
      await expect(save(chunks('abc'), 3)).rejects.toThrow(
        'x.part cannot be written: another retrieval has taken it over',
      )
    } finally {
      vi.useRealTimers()
      fs.futimesSync = futimesSync
      syncBuiltinESMExports()
    }
    expect([await read('x.part'), await left()]).toEqual(['half of an', ['x.part']])
  })

  test('does not block it if it was killed', async () => {
    await writeFile(at('x.part'), 'other')
    await save(chunks('abc'), 3)
    expect([await read('x'), await left()]).toEqual(['abc', ['x']])
  })
})
