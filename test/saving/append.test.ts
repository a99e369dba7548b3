import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Representation } from '@retriever/fetchers'
import type { RequestOptions } from '@retriever/fetchers/internal'
import type { Retrieved } from '@retriever/fetchers/plugin'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)

async function get(body: AsyncIterable<Uint8Array>, extra: Partial<Retrieved<'http'>> = {}): Promise<Representation> {
  return createClient({ fetchers: [fakeHttp(() => retrieved(body, extra))] }).retrieve('http://h/')
}

async function* cut(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half')
  throw new Error('the wire broke')
}

test('a fetcher is asked to resume, and its offset is told', async () => {
  const asked: RequestOptions[] = []
  const fetcher = fakeHttp((_, { request }) => {
    asked.push(request)
    return retrieved(chunks('def'), { offset: 3 })
  })
  await using client = createClient({ fetchers: [fetcher] })
  const resumeFrom = { offset: 3, size: 6, modified: new Date(0) }
  const representation = await client.retrieve('http://h/', { resumeFrom })
  expect([representation.offset, await representation.text()]).toEqual([3, 'def'])
  expect(asked).toEqual([{ resumeFrom }])
  await expect(client.retrieve('http://h/', { resumeFrom: 3, range: [0, 1] })).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining('`resumeFrom` to be absent if there is a `range`'),
  })
  expect(asked).toHaveLength(1)
})

test('a retrieval that asks for neither has an offset of 0', async () => {
  expect((await get(chunks('x'))).offset).toBe(0)
})

describe('saveTo with append', () => {
  test('writes behind what is there, and dates the file', async () => {
    await writeFile(at('x'), 'abc')
    const modified = new Date('2001-02-03T04:05:06Z')
    await (await get(chunks('d', 'ef'), { offset: 3, modified })).saveTo(at('x'), { append: true })
    expect(await readFile(at('x'), 'utf8')).toBe('abcdef')
    expect((await stat(at('x'))).mtime).toEqual(modified)
    expect(await readdir(folder)).toEqual(['x'])
  })

  test('keeps what came where the rest does not, and the next attempt goes on there', async () => {
    await writeFile(at('x'), 'abc')
    const before = (await stat(at('x'))).mtime
    const broken = await get(cut(), { offset: 3, modified: new Date(0) })
    await expect(broken.saveTo(at('x'), { append: true })).rejects.toMatchObject({ code: 'receive-failed' })
    expect(await readFile(at('x'), 'utf8')).toBe('abchalf')
    // Not that of the whole, which it is not.
    expect((await stat(at('x'))).mtime.getTime()).toBeGreaterThanOrEqual(before.getTime())
    await (await get(chunks('!'), { offset: 7 })).saveTo(at('x'), { append: true })
    expect(await readFile(at('x'), 'utf8')).toBe('abchalf!')
  })

  test('makes the file where nothing comes before, and keeps what came of it', async () => {
    await expect((await get(cut())).saveTo(at('x'), { append: true })).rejects.toMatchObject({ code: 'receive-failed' })
    expect(await readFile(at('x'), 'utf8')).toBe('half')
    expect(await readdir(folder)).toEqual(['x'])
  })

  test('nothing more to come is no failure', async () => {
    await writeFile(at('x'), 'abc')
    await (await get(chunks(), { offset: 3 })).saveTo(at('x'), { append: true })
    expect(await readFile(at('x'), 'utf8')).toBe('abc')
  })

  test.each([2, 4, 0])('a file of three octets is not appended to from octet %i on', async (offset) => {
    await writeFile(at('x'), 'abc')
    const source = endless()
    const saving = (await get(source.body, { offset })).saveTo(at('x'), { append: true })
    await expect(saving).rejects.toMatchObject({ code: 'write-failed', phase: 'save' })
    await expect(saving).rejects.toThrow(`it has 3 octets, but the body continues after octet ${offset}.`)
    expect(await readFile(at('x'), 'utf8')).toBe('abc')
    expect(source.pulled()).toBe(0)
  })

  test('a file that grows meanwhile by itself is no copy', async () => {
    await writeFile(at('x'), 'abc')
    async function* meddled(): AsyncGenerator<Uint8Array> {
      appendFileSync(at('x'), '?')
      yield Buffer.from('def')
    }
    const saving = (await get(meddled(), { offset: 3 })).saveTo(at('x'), { append: true })
    await expect(saving).rejects.toThrow('it has 7 octets')
  })

  test('cases 31 and 54, no link is followed, and neither is a file missing, a FIFO or a device taken', async () => {
    await writeFile(at('victim'), 'abc')
    await symlink(at('victim'), at('link'))
    execFileSync('mkfifo', [at('pipe')])
    const refused = async (path: string, reason: string): Promise<void> => {
      const representation = await get(chunks('def'), { offset: 3 })
      await expect(representation.saveTo(path, { append: true })).rejects.toThrow(
        `${path} cannot be written: ${reason}`,
      )
      await representation.finished
    }
    await refused(at('link'), 'a symbolic link stands there.')
    await refused(at('missing'), 'there is no such file to append to.')
    await refused(at('pipe'), 'it is not a regular file')
    await refused('/dev/null', 'it is not a regular file')
    expect(await readFile(at('victim'), 'utf8')).toBe('abc')
    expect((await readdir(folder)).sort()).toEqual(['link', 'pipe', 'victim'])
  })

  test('without it nothing has changed: a range replaces the file', async () => {
    await writeFile(at('x'), 'abc')
    await (await get(chunks('def'), { offset: 3 })).saveTo(at('x'))
    expect(await readFile(at('x'), 'utf8')).toBe('def')
  })
})

test('an option of saveTo that there is not is named', async () => {
  const source = endless()
  const representation = await get(source.body)
  await expect(representation.saveTo(at('x'), { apend: true } as never)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining('`apend` to be one of overwrite, append'),
  })
  await representation.finished
  expect(await readdir(folder)).toEqual([])
})
