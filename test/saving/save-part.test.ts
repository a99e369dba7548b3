/** The part that an interrupted retrieval leaves, and how later ones use it. */
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { link, mkdtemp, open, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createClient, type Representation, type SaveOptions } from '@retriever/fetchers'
import { findPart } from '@retriever/fetchers/internal'
import type { Retrieved } from '@retriever/fetchers/plugin'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)
const content = (name: string): Promise<string> => readFile(at(name), 'utf8')
const modified = new Date('2001-02-03T04:05:06Z')
const version = { etag: '"a"', size: 6, modified }

async function get(
  body: AsyncIterable<Uint8Array>,
  extra: Partial<Retrieved<'http'>> = {},
  url = 'http://h/x',
): Promise<Representation> {
  const { offset = 0 } = extra
  const client = createClient({ fetchers: [fakeHttp(() => retrieved(body, extra))] })
  return client.retrieve(url, offset > 0 ? { resumeFrom: offset } : {})
}

async function* cut(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part)
  throw new Error('the wire broke')
}

/** Begins to save and breaks off behind `abc`. */
async function breakOff(options: SaveOptions = {}, extra: Partial<Retrieved<'http'>> = version): Promise<void> {
  const saving = (await get(cut('ab', 'c'), extra)).saveTo(at('x'), options)
  await expect(saving).rejects.toMatchObject({ code: 'receive-failed' })
}

interface Told {
  writer: Record<string, unknown> | null
  [more: string]: unknown
}

const record = async (): Promise<Told> => JSON.parse(await content('x.part.json'))
const alter = async (change: (told: Told) => object): Promise<void> =>
  writeFile(at('x.part.json'), JSON.stringify(change(await record())))

describe('chunks are written', () => {
  /** How many of three chunks Node's threads write, by a clock that goes on so many milliseconds at each look. */
  async function threadsFor(milliseconds: number): Promise<number> {
    const other = await open(at('other'), 'w')
    const write = vi.spyOn(Object.getPrototypeOf(other), 'write')
    let time = 0
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (time += milliseconds))
    try {
      await (await get(chunks('ab', 'cd', 'ef'), version)).saveTo(at('x'))
      return write.mock.calls.length
    } finally {
      now.mockRestore()
      write.mockRestore()
      await other.close()
      expect(await content('x')).toBe('abcdef')
    }
  }

  test('at once', async () => {
    expect(await threadsFor(1)).toBe(0)
  })

  test('by threads after one that took long', async () => {
    expect(await threadsFor(30)).toBe(2)
  })
})

describe('what came of a body that breaks off', () => {
  test('is removed where the caller does not want to go on', async () => {
    await breakOff({ resumable: false })
    expect(await readdir(folder)).toEqual([])
  })

  test('case 59, stays in NAME.part, with a record that only its owner reads', async () => {
    await breakOff()
    expect((await readdir(folder)).sort()).toEqual(['x.part', 'x.part.json'])
    expect(await content('x.part')).toBe('abc')
    expect((await stat(at('x.part.json'))).mode & 0o777).toBe(0o600)
    expect(await record()).toEqual({
      url: 'http://h/x',
      etag: '"a"',
      modified: modified.toISOString(),
      size: 6,
      length: 3,
      writer: null,
    })
    expect(await findPart(at('x'))).toEqual({
      path: at('x.part'),
      length: 3,
      url: 'http://h/x',
      point: { offset: 3, etag: '"a"', modified, size: 6, tail: new Uint8Array(Buffer.from('abc')) },
      unproven: null,
    })
  })

  test('case 47, holds no secret of the URL', async () => {
    const url = 'http://alice:s3cret@h/x?token=s3cret'
    const saving = (await get(cut('abc'), version, url)).saveTo(at('x'))
    await expect(saving).rejects.toMatchObject({ code: 'receive-failed' })
    expect(await content('x.part.json')).not.toContain('s3cret')
  })

  test('is gone on from by what begins at its end, and takes the name then', async () => {
    await breakOff()
    await (await get(chunks('d', 'ef'), { ...version, size: 3, offset: 3 })).saveTo(at('x'))
    expect([await readdir(folder), await content('x')]).toEqual([['x'], 'abcdef'])
    expect((await stat(at('x'))).mtime).toEqual(modified)
  })

  test('breaks off a second time, and is gone on from there', async () => {
    await breakOff()
    const second = (await get(cut('d'), { ...version, size: 3, offset: 3 })).saveTo(at('x'))
    await expect(second).rejects.toThrow()
    expect(await record()).toMatchObject({ length: 4, size: 6 })
    await (await get(chunks('ef'), { ...version, size: 2, offset: 4 })).saveTo(at('x'))
    expect(await content('x')).toBe('abcdef')
  })

  test('is begun anew by what begins at the beginning', async () => {
    await breakOff()
    await (await get(chunks('ABCDEF'), version)).saveTo(at('x'))
    expect([await readdir(folder), await content('x')]).toEqual([['x'], 'ABCDEF'])
  })

  test('does not take octets from another place', async () => {
    await breakOff()
    const saving = (await get(chunks('ef'), { ...version, size: 2, offset: 4 })).saveTo(at('x'))
    await expect(saving).rejects.toThrow(`${at('x.part')} cannot be written: it does not end at octet 4.`)
  })

  test('is nothing where no octet came', async () => {
    const saving = (await get(cut(), version)).saveTo(at('x'))
    await expect(saving).rejects.toThrow()
    expect(await readdir(folder)).toEqual([])
  })

  test.each<[string, Partial<Retrieved<'http'>>, object | null]>([
    ['a date alone', { modified }, { offset: 3, etag: null, modified, size: null }],
    ['a weak entity tag', { etag: 'W/"a"' }, null],
    [
      'a date beside a weak entity tag',
      { etag: 'W/"a"', modified },
      { offset: 3, etag: 'W/"a"', modified, size: null },
    ],
    ['a size alone, which two versions may have,', { size: 6 }, null],
    ['nothing', {}, null],
  ])('is proved by %s: %j', async (_, extra, point) => {
    await breakOff({}, extra)
    const unproven = point === null ? { offset: 3, tail: new Uint8Array(Buffer.from('abc')) } : null
    expect(await findPart(at('x'))).toMatchObject({ length: 3, point, unproven })
  })

  test.each([
    ['is damaged', () => writeFile(at('x.part.json'), '{"url":')],
    ['is another thing', () => writeFile(at('x.part.json'), '["x"]')],
    ...(
      [
        { writer: {} },
        { writer: 'me' },
        { writer: { pid: 0, started: null, host: 'h', boot: null } },
        { url: 1 },
        { etag: 'a' },
        { modified: 'x' },
        { size: -1 },
        { length: 1.5 },
      ] satisfies Record<string, unknown>[]
    ).map((wrong): [string, () => Promise<unknown>] => [
      `has ${JSON.stringify(wrong)}`,
      () => alter((told) => ({ ...told, ...wrong })),
    ]),
    ['says more octets than there are', () => alter((told) => ({ ...told, length: 4 }))],
    ['is gone', () => rm(at('x.part.json'))],
    ['has a second name', () => link(at('x.part.json'), at('other'))],
  ])('R36: proves nothing where its record %s, and stands in no way', async (_, damage) => {
    await breakOff()
    await damage()
    expect(await findPart(at('x'))).toMatchObject({ length: 3, point: null, unproven: null })
    await (await get(chunks('ABCDEF'), version)).saveTo(at('x'))
    expect(await content('x')).toBe('ABCDEF')
    expect((await readdir(folder)).filter((name) => name.startsWith('x.'))).toEqual([])
  })

  test('R36: is cut to what the record says', async () => {
    await breakOff()
    await writeFile(at('x.part'), 'abc???')
    await (await get(chunks('def'), { ...version, size: 3, offset: 3 })).saveTo(at('x'))
    expect(await content('x')).toBe('abcdef')
  })

  test('is not gone on with through a second name of it (case 31)', async () => {
    await writeFile(at('victim'), 'abc')
    await breakOff()
    await rm(at('x.part'))
    await link(at('victim'), at('x.part'))
    expect(await findPart(at('x'))).toBe(null)
    const saving = (await get(chunks('def'), { ...version, size: 3, offset: 3 })).saveTo(at('x'))
    await expect(saving).rejects.toMatchObject({ code: 'write-failed' })
    expect(await content('victim')).toBe('abc')
  })

  test('case 31, a planted link at the record is not followed', async () => {
    await writeFile(at('victim'), '{}')
    await symlink(at('victim'), at('x.part.json'))
    await (await get(chunks('abc'))).saveTo(at('x'))
    expect([await content('x'), await content('victim')]).toEqual(['abc', '{}'])
    expect((await readdir(folder)).sort()).toEqual(['victim', 'x'])
  })
})

test('case 32, a file of the user that has the name of a record by chance is not removed', async () => {
  await writeFile(at('x.part.json'), '{"mine":1}')
  const saving = (await get(chunks('abc'))).saveTo(at('x'))
  await expect(saving).rejects.toMatchObject({ code: 'write-failed', message: expect.stringContaining('x.part.json') })
  expect([await readdir(folder), await content('x.part.json')]).toEqual([['x.part.json'], '{"mine":1}'])
})

test('a record that a wrong clock has dated years ahead blocks nothing', async () => {
  await writeFile(at('x.part.json'), '')
  await utimes(at('x.part.json'), 4e9, 4e9)
  await (await get(chunks('abc'))).saveTo(at('x'))
  expect(await readdir(folder)).toEqual(['x'])
})

describe('octets that a server sent against the rules', () => {
  test('are not kept', async () => {
    const limited = createClient({
      fetchers: [fakeHttp(() => retrieved(chunks('abc', 'def'), { ...version, size: null }))],
      limits: { maxSize: 4 },
    })
    const saving = (await limited.retrieve('http://h/x')).saveTo(at('x'))
    await expect(saving).rejects.toMatchObject({ code: 'limit-exceeded' })
    expect(await readdir(folder)).toEqual([])
  })
})

/** A process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

describe('a part that is being written', () => {
  /** Saves, and does something meanwhile. */
  async function whileWritten(action: () => Promise<void>): Promise<void> {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('abc')
      await action()
      yield Buffer.from('def')
    }
    await (await get(body(), version)).saveTo(at('x'))
  }

  test('R38: is left to its writer, who is named', async () => {
    await whileWritten(async () => {
      const other = get(chunks('other')).then((representation) => representation.saveTo(at('x')))
      await expect(other).rejects.toThrow(
        `another retrieval is writing it; wait for its end, or choose another name (process ${process.pid})`,
      )
      await expect(findPart(at('x'))).rejects.toMatchObject({ code: 'write-failed' })
    })
    expect([await readdir(folder), await content('x')]).toEqual([['x'], 'abcdef'])
  })

  /** Leaves what a killed process leaves. */
  async function leave(change: (writer: Record<string, unknown>) => Promise<object> | object): Promise<void> {
    let left = ''
    await whileWritten(async () => {
      const told = await record()
      left = JSON.stringify({ ...told, writer: await change({ ...told.writer }) })
    })
    await rm(at('x'))
    await writeFile(at('x.part'), 'abcd')
    await writeFile(at('x.part.json'), left, { mode: 0o600 })
  }

  test('by a process that was killed is taken over', async () => {
    await leave(async (writer) => ({ ...writer, pid: await deadPid() }))
    await (await get(chunks('ABCDEF'), version)).saveTo(at('x'))
    expect([await readdir(folder), await content('x')]).toEqual([['x'], 'ABCDEF'])
  })

  test('by one whose number is that of another process now is taken over', async () => {
    await leave((writer) => ({ ...writer, started: '1' }))
    await (await get(chunks('ABCDEF'), version)).saveTo(at('x'))
    expect(await content('x')).toBe('ABCDEF')
  })

  test.runIf(process.platform === 'linux')('R36: by one that was killed is gone on with', async () => {
    await leave(async (writer) => ({ ...writer, pid: await deadPid() }))
    expect(await findPart(at('x'))).toMatchObject({ length: 4, point: { offset: 4 } })
  })

  test('R38: before is taken over by one of several that come at once, and the others are told', async () => {
    for (let round = 0; round < 40; round++) {
      await writeFile(at('x.part'), 'abc')
      const left = { url: 'http://h/x', ...version, length: 3, writer: null }
      await writeFile(at('x.part.json'), JSON.stringify(left), { mode: 0o600 })
      let begun = 0
      let refused = 0
      const gate = new EventEmitter()
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('ABC')
        begun++
        await once(gate, 'open')
        yield Buffer.from('DEF')
      }
      const saving = Array.from({ length: 12 }, async (_, place) => {
        const representation = await get(body(), version)
        // Each one a little later than the one before, so that they meet at every step.
        for (let turn = 0; turn < place * (1 + (round % 4)); turn++) await setImmediate()
        await representation.saveTo(at('x')).catch(() => refused++)
      })
      await expect.poll(() => refused + begun, { interval: 1 }).toBe(12)
      gate.emit('open')
      await Promise.all(saving)
      expect({ begun, refused }).toEqual({ begun: 1, refused: 11 })
      expect([await readdir(folder), await content('x')]).toEqual([['x'], 'ABCDEF'])
    }
  })

  test('before is being taken over by another retrieval: it is left to that, unless that was killed', async () => {
    await breakOff()
    await writeFile(at('x.part.json.take'), '')
    const saving = (await get(chunks('ABCDEF'), version)).saveTo(at('x'))
    await expect(saving).rejects.toThrow('another retrieval is writing it; wait for its end, or choose another name')
    await utimes(at('x.part.json.take'), modified, modified)
    await (await get(chunks('ABCDEF'), version)).saveTo(at('x'))
    expect([await readdir(folder), await content('x')]).toEqual([['x'], 'ABCDEF'])
  })

  test('before the machine was started anew proves nothing: its end may be lost', async () => {
    await leave((writer) => ({ ...writer, boot: 'another' }))
    expect(await findPart(at('x'))).toMatchObject({ length: 4, point: null })
  })

  test('on another machine counts as alive while it was written lately', async () => {
    await leave((writer) => ({ ...writer, host: 'elsewhere' }))
    await expect(findPart(at('x'))).rejects.toThrow('on elsewhere)')
    expect(hostname()).not.toBe('elsewhere')
  })
})

test('what is taken over from a living writer is not published by it', async () => {
  async function* robbed(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('abc')
    await rm(at('x.part'))
    await rm(at('x.part.json'))
    await writeFile(at('x.part'), 'half of another')
    yield Buffer.from('def')
  }
  await expect((await get(robbed())).saveTo(at('x'))).rejects.toThrow('another retrieval has taken it over')
  expect(await readdir(folder)).toEqual(['x.part'])
})
