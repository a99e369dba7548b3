/** What a caller does between the last octet of a file and its name: `beforeName`. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type SavedFile } from '@retriever/fetchers'
import type { WholePart } from '@retriever/fetchers/internal'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)

function save(
  beforeName: (whole: WholePart) => Promise<void>,
  size: number | null,
  overwrite = true,
): Promise<SavedFile> {
  const client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('abc'), { size, etag: '"a"' }))] })
  return client.save('http://h/x', at('x'), { beforeName, overwrite })
}

// A body of a known small size is saved in memory, another one through a part with a record.
test.each([[3], [null]])('the file of size %j has no name until it resolves, and all octets', async (size) => {
  const seen: unknown[] = []
  await save(async (whole) => void seen.push(whole, await readFile(at('x.part'), 'utf8'), await readdir(folder)), size)
  const names = size === null ? ['x.part', 'x.part.json'] : ['x.part']
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect(seen).toEqual([{ path: at('x'), size: 3, etag: '"a"', modified: null, sha256 }, 'abc', names])
  expect(await readdir(folder)).toEqual(['x'])
})

test.each([[3], [null]])('if it rejects, the file of size %j gets no name', async (size) => {
  const failure = new Error('the disk of the journal is full')
  await expect(save(() => Promise.reject(failure), size)).rejects.toBe(failure)
  expect(await readdir(folder)).toEqual([])
})

test('two saves that may not overwrite still give one file', async () => {
  const both = await Promise.allSettled([save(async () => {}, 3, false), save(async () => {}, 3, false)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await readdir(folder)).toEqual(['x'])
})
