/** saveTo where the name is taken: special files, private files, links. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient, type Representation } from '@retriever/fetchers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeSpecial } from '../../packages/fetchers/src/saving/special-file.ts'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)

async function get(body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<Representation> {
  const client = createClient({ fetchers: [fakeHttp(() => retrieved(body))] })
  return client.retrieve('http://h/', signal === undefined ? {} : { signal })
}

const mode = async (name: string): Promise<string> => ((await stat(at(name))).mode & 0o777).toString(8)

describe('a file that is replaced', () => {
  test.each(['600', '640', '444', '755', '666'])('case 59, keeps its permissions (%s)', async (octal) => {
    await writeFile(at('x'), 'old')
    await chmod(at('x'), Number.parseInt(octal, 8))
    await (await get(chunks('new'))).saveTo(at('x'))
    expect([await mode('x'), await readFile(at('x'), 'utf8')]).toEqual([octal, 'new'])
  })

  test('case 59, is not readable for others while it comes either', async () => {
    await writeFile(at('x'), 'old', { mode: 0o600 })
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a')
      expect(await mode('x.part')).toBe('600')
      yield Buffer.from('b')
    }
    await (await get(body())).saveTo(at('x'))
    expect(await readFile(at('x'), 'utf8')).toBe('ab')
  })
})

describe('a FIFO that stands in the place', () => {
  beforeEach(() => void execFileSync('mkfifo', [at('pipe')]))

  test.each([
    ['overwrite: false', { overwrite: false }, 'it exists already'],
    ['overwrite: false and special: true', { overwrite: false, special: true }, 'it exists already'],
    ['no option', {}, 'it is not a regular file'],
  ])('R39: is refused with %s, and nothing waits', async (_, options, why) => {
    const source = endless()
    const representation = await get(source.body)
    await expect(representation.saveTo(at('pipe'), options)).rejects.toThrow(`${at('pipe')} cannot be written: ${why}`)
    await representation.finished
    expect(source.pulled()).toBe(0)
    expect(await readdir(folder)).toEqual(['pipe'])
  })

  test('is written to on request, as slowly as its reader reads', async () => {
    const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', 'pipe', 'ignore'] })
    const big = 'x'.repeat(300_000)
    const read = text(reader.stdout)
    await (await get(chunks(big, 'end'))).saveTo(at('pipe'), { special: true })
    expect((await read) === `${big}end`).toBe(true)
  })

  test('that nobody reads is waited for until the retrieval is aborted', async () => {
    const abort = new AbortController()
    const saving = (await get(chunks('x'), abort.signal)).saveTo(at('pipe'), { special: true })
    abort.abort()
    await expect(saving).rejects.toMatchObject({ code: 'aborted' })
  })

  test('whose reader has paused does not hold an abort up', async () => {
    const end = openSync(at('pipe'), 'r+')
    const reader = spawn('sleep', ['60'], { stdio: [end, 'ignore', 'ignore'] })
    closeSync(end)
    const abort = new AbortController()
    const source = endless()
    const saving = (await get(source.body, abort.signal)).saveTo(at('pipe'), { special: true })
    // The pipe takes 64 KiB.
    await expect.poll(source.pulled).toBeGreaterThan(60)
    abort.abort()
    await expect(saving).rejects.toMatchObject({ code: 'aborted' })
    reader.kill()
    await once(reader, 'exit')
  })
})

test('case 31, a link to a special file is not followed', async () => {
  await symlink('/dev/full', at('link'))
  await expect((await get(chunks('x'))).saveTo(at('link'), { special: true })).rejects.toThrow(
    'a symbolic link stands there',
  )
})

test('a file that has come in the place of a FIFO stays as it is', async () => {
  await writeFile(at('x'), 'precious')
  const writing = writeSpecial(chunks('bad'), { path: at('x'), descriptor: null }, undefined)
  await expect(writing).rejects.toThrow('it has become a regular file; try again')
  expect(await readFile(at('x'), 'utf8')).toBe('precious')
})

test('a socket is no place for octets', async () => {
  const server = createServer().listen(at('socket'))
  await once(server, 'listening')
  await expect((await get(chunks('x'))).saveTo(at('socket'), { special: true })).rejects.toThrow('it is a socket')
  await new Promise((resolve) => server.close(resolve))
})

test('a link that leads nowhere takes the name where nothing is to be overwritten', async () => {
  await symlink('nowhere', at('x'))
  await expect((await get(chunks('x'))).saveTo(at('x'), { overwrite: false })).rejects.toThrow('it exists already')
  expect(await readdir(folder)).toEqual(['x'])
})
