/** client.save(): an interrupted save leaves a part, and the next one goes on from it or begins anew. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Client, createClient } from '@retriever/fetchers'
import { findPart } from '@retriever/fetchers/internal'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Fields, part, redirectTo, reply } from '../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'
import { fakeHttp, retrieved } from '../support/fake-fetcher.ts'

let folder: string
let client: Client
let server: ScriptedHttp
/** The resource, its header fields, and how many octets of it come before the server closes; null: all. */
let content: string
let fields: Fields
let cut: number | null

const date = 'Sat, 03 Feb 2001 04:05:06 GMT'

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  client = createClient({ limits: { maxRetries: 0 } })
  content = 'abcdefghij'
  fields = { ETag: '"a"', 'Last-Modified': date }
  cut = null
  server = await scriptedHttp((asked) => {
    if (asked.target === '/moved') return redirectTo('/x')
    if (asked.target === '/gone') return reply(404, {}, 'no')
    const { range, 'if-range': condition } = asked.fields
    const isSame = condition === undefined || Object.values(fields).includes(condition)
    const answer = range !== undefined && isSame ? part(asked, content, fields) : reply(200, fields, content)
    return cut === null ? answer : { octets: answer.subarray(0, answer.length - content.length + cut), end: 'fin' }
  })
})
afterEach(async () => {
  await client.close()
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const at = (name: string): string => join(folder, name)
const read = (name: string): Promise<string> => readFile(at(name), 'utf8')
const left = async (): Promise<string[]> => (await readdir(folder)).sort()
const ranges = (): (string | undefined)[] => server.asked.map(({ fields: { range } }) => range)

/** Saves the first octets alone. */
async function breakOff(target = 'x', length = 4): Promise<void> {
  cut = length
  expect(await failure(client.save(`${server.url}${target}`, at('x')))).toMatchObject({ code: 'partial' })
  cut = null
}

describe('client.save', () => {
  test('resolves with the facts of the file', async () => {
    fields = { ...fields, 'Content-Type': 'text/plain;charset=utf-8' }
    expect(await client.save(`${server.url}moved`, at('x'))).toEqual({
      path: at('x'),
      size: 10,
      resumedFrom: 0,
      url: `${server.url}x`,
      mediaType: 'text/plain',
      charset: 'utf-8',
      modified: new Date(date),
      etag: '"a"',
    })
    expect([await read('x'), await left()]).toEqual([content, ['x']])
    expect((await stat(at('x'))).mtime).toEqual(new Date(date))
  })

  test('goes on behind the part of an interrupted save of the same URL', async () => {
    await breakOff()
    expect([await left(), await read('x.part')]).toEqual([['x.part', 'x.part.json'], 'abcd'])
    expect(await client.save(`${server.url}x`, at('x'))).toMatchObject({ size: 10, resumedFrom: 4 })
    expect([await read('x'), await left(), ranges()]).toEqual([content, ['x'], [undefined, 'bytes=4-']])
  })

  test('goes on several times, and where a redirect leads to the octets', async () => {
    await breakOff('moved')
    await breakOff('moved', 6)
    expect(await read('x.part')).toBe('abcdef')
    expect(await client.save(`${server.url}moved`, at('x'))).toMatchObject({ resumedFrom: 6 })
    expect(await read('x')).toBe(content)
  })

  test('finds that the part is complete already', async () => {
    await breakOff()
    await writeFile(at('x.part'), content)
    const record = JSON.parse(await read('x.part.json'))
    await writeFile(at('x.part.json'), JSON.stringify({ ...record, length: 10 }))
    server.script = () => reply(416, { 'Content-Range': 'bytes */10' })
    expect(await client.save(`${server.url}x`, at('x'))).toMatchObject({ size: 10, resumedFrom: 10 })
    expect([await read('x'), await left()]).toEqual([content, ['x']])
  })

  test('begins anew where the part is of another URL, and where the caller says so', async () => {
    await breakOff()
    expect(await client.save(`${server.url}y`, at('x'))).toMatchObject({ resumedFrom: 0 })
    await breakOff()
    expect(await client.save(`${server.url}x`, at('x'), { resume: false })).toMatchObject({ resumedFrom: 0 })
    expect(ranges()).toEqual(Array(4).fill(undefined))
  })

  test('a URL with a secret goes on by a strong entity tag alone, as another secret may mean another file', async () => {
    await breakOff('x?token=one')
    expect(await read('x.part.json')).not.toContain('one')
    expect(await client.save(`${server.url}x?token=two`, at('x'))).toMatchObject({ resumedFrom: 4 })
    fields = { 'Last-Modified': date }
    await breakOff('x?token=one')
    expect(await client.save(`${server.url}x?token=two`, at('x'))).toMatchObject({ resumedFrom: 0 })
  })

  test('begins anew where the server refuses the rest', async () => {
    await breakOff()
    // The rest begins elsewhere than the header section says: it cannot be used.
    const usual = server.script
    server.script = (asked) =>
      asked.fields.range === undefined
        ? usual(asked)
        : reply(206, { ETag: '"a"', 'Content-Range': 'bytes 2-9/10' }, 'cdefghij')
    expect(await client.save(`${server.url}x`, at('x'))).toMatchObject({ size: 10, resumedFrom: 0 })
    expect(await read('x')).toBe(content)
  })

  test.each<[string, Fields]>([
    ['says no size', {}],
    ['says another size', { 'Content-Range': 'bytes */4000' }],
    ['has an empty resource', { 'Content-Range': 'bytes */0' }],
  ])('begins anew after a 416 for the rest that %s', async (_, refusal) => {
    await breakOff()
    const usual = server.script
    server.script = (asked) => (asked.fields.range === undefined ? usual(asked) : reply(416, refusal))
    expect(await client.save(`${server.url}x`, at('x'))).toMatchObject({ size: 10, resumedFrom: 0 })
    expect([await read('x'), await left(), ranges()]).toEqual([content, ['x'], [undefined, 'bytes=4-', undefined]])
  })

  test('to a FIFO that no program reads is refused before anything is asked, and its reader gets the whole', async () => {
    execFileSync('mkfifo', [at('pipe')])
    const save = () => client.save(`${server.url}x`, at('pipe'), { special: true })
    const why = 'no program reads this FIFO; start its reader first.'
    expect(await failure(save())).toMatchObject({ code: 'write-failed', message: expect.stringContaining(why) })
    expect(server.asked).toEqual([])
    const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', 'pipe', 'ignore'] })
    const read = text(reader.stdout)
    // The system opens the FIFO for its reader only together with a writer.
    await expect.poll(async () => (await failure(save()).catch(() => null)) ?? 'saved').toBe('saved')
    expect(await read).toBe(content)
  })

  test('leaves a part and an older file alone where the server has no such resource', async () => {
    await writeFile(at('x'), 'old')
    await breakOff()
    server.script = () => reply(404, {}, 'no')
    expect(await failure(client.save(`${server.url}x`, at('x')))).toMatchObject({ code: 'not-found' })
    expect([await read('x'), await read('x.part')]).toEqual(['old', 'abcd'])
  })

  test('keeps no part where no octet came, or the caller wants none', async () => {
    await breakOff('x', 0)
    expect(await left()).toEqual([])
    cut = 4
    const saving = client.save(`${server.url}x`, at('x'), { resumable: false })
    expect(await failure(saving)).toMatchObject({ code: 'partial' })
    expect(await left()).toEqual([])
  })

  test('R35: is interrupted by a signal, and goes on after it', async () => {
    const abort = new AbortController()
    content = 'x'.repeat(100_000)
    server.script = (asked) => {
      asked.socket.write(reply(200, fields, content).subarray(0, 50_000))
      return undefined
    }
    const saving = failure(client.save(`${server.url}x`, at('x'), { signal: abort.signal }))
    await expect.poll(() => existsSync(at('x.part')) && stat(at('x.part')).then(({ size }) => size > 0)).toBe(true)
    abort.abort()
    expect(await saving).toMatchObject({ code: 'aborted' })
    const kept = await findPart(at('x'))
    server.script = (asked) => part(asked, content, fields)
    expect(await client.save(`${server.url}x`, at('x'))).toMatchObject({ size: 100_000, resumedFrom: kept?.length })
    expect(await read('x')).toBe(content)
  })
})

describe('R39: client.save refuses, before it contacts a server,', () => {
  test.each<[string, string, object, RegExp]>([
    [
      'a missing folder',
      'no/such/x',
      {},
      /x cannot be written: its folder does not exist; make it, for example by `folders: true`\.$/,
    ],
    ['a name that is taken', 'old', { overwrite: false }, /it exists already/],
    ['a directory', '.', {}, /it is a directory/],
  ])('%s', async (_, name, options, message) => {
    await writeFile(at('old'), 'old')
    const error = await failure(client.save(`${server.url}x`, at(name), options))
    expect(error).toMatchObject({ code: 'write-failed', message: expect.stringMatching(message) })
    expect(server.asked).toEqual([])
  })

  test.each<[string, object]>([
    ['range', { range: [0, 3] }],
    ['resumeFrom', { resumeFrom: 3 }],
    ['head', { head: true }],
    ['append', { append: true }],
  ])('the option %s', async (_, options) => {
    const error = await failure(client.save(`${server.url}x`, at('x'), options))
    expect(error).toMatchObject({ code: 'invalid-option' })
    expect(server.asked).toEqual([])
  })
})

test.each(['range-refused', 'resume-failed'] as const)(
  'a server that refuses the rest (%s) gives the whole in its place',
  async (code) => {
    const asked: unknown[] = []
    const etag = '"a"'
    const server = fakeHttp((_, { request, error }) => {
      const { resumeFrom } = request
      asked.push(typeof resumeFrom === 'object' ? resumeFrom.offset : resumeFrom)
      if (resumeFrom !== undefined) throw error(code, 'Not from there.')
      const isFirst = asked.length === 1
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(isFirst ? 'abcd' : content)
        if (isFirst) throw error('partial', 'It broke off.')
      }
      return retrieved(body(), { etag })
    })
    await using own = createClient({ fetchers: [server], limits: { maxRetries: 0 } })
    expect(await failure(own.save('http://h/x', at('x')))).toMatchObject({ code: 'partial' })
    expect(await left()).toEqual(['x.part', 'x.part.json'])
    expect(await own.save('http://h/x', at('x'))).toMatchObject({ size: 10, resumedFrom: 0 })
    expect([await read('x'), await left(), asked]).toEqual([content, ['x'], [undefined, 4, undefined]])
  },
)

test.each([[''], ['a\0b'], [undefined], [5]])('client.save refuses the path %j', async (path) => {
  await using client = createClient()
  const refused = client.save('http://127.0.0.1:1/', path as string)
  await expect(refused).rejects.toMatchObject({ code: 'invalid-option', message: expect.stringContaining('`path`') })
})

test('folders are made on request', async () => {
  expect(await client.save(`${server.url}x`, at('new/folder/x'), { folders: true })).toMatchObject({ size: 10 })
  expect(await read('new/folder/x')).toBe(content)
})

test('many files at a time make the folders that they share', async () => {
  const paths = Array.from({ length: 40 }, (_, n) => at(`shared/by/all/${n % 8}/${n}`))
  const saved = paths.map((path) => client.save(`${server.url}x`, path, { folders: true }))
  expect((await Promise.allSettled(saved)).filter(({ status }) => status === 'rejected')).toEqual([])
})

test('R38: of two saves to one path, the second fails and says who writes', async () => {
  let heal: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    heal = resolve
  })
  server.script = async (asked) => {
    asked.socket.write(reply(200, fields, content).subarray(0, -6))
    await held
    return content.slice(-6)
  }
  const first = client.save(`${server.url}x`, at('x'))
  await expect.poll(() => existsSync(at('x.part.json'))).toBe(true)
  const error = await failure(client.save(`${server.url}x`, at('x')))
  const message = `another retrieval is writing it; wait for its end, or choose another name (process ${process.pid}).`
  expect(error).toMatchObject({ code: 'write-failed', message: `${at('x.part')} cannot be written: ${message}` })
  heal()
  expect(await first).toMatchObject({ size: 10 })
  expect([await read('x'), await left()]).toEqual([content, ['x']])
})
