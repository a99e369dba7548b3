/** The option `checksum` of saveTo() and save(), and Representation.hash(). */
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@retriever/fetchers'
import type { Checksum, HashName } from '@retriever/fetchers/internal'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { part, reply } from '../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'

let folder: string
let client: Client
let server: ScriptedHttp
/** The resource, and how many octets come before the server closes; null: all. */
let content: string
let cut: number | null
let ranges = true

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  client = createClient({ limits: { maxRetries: 0 } })
  content = 'abcdefghij'
  cut = null
  ranges = true
  server = await scriptedHttp((asked) => {
    const fields = { ETag: '"a"' }
    const answer =
      asked.fields.range !== undefined && ranges ? part(asked, content, fields) : reply(200, fields, content)
    return cut === null ? answer : { octets: answer.subarray(0, answer.length - content.length + cut), end: 'fin' }
  })
})
afterEach(async () => {
  await client.close()
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const at = (name: string): string => join(folder, name)
const left = async (): Promise<string[]> => (await readdir(folder)).sort()
const sumOf = (text: string, algorithm: HashName = 'sha256'): string => createHash(algorithm).update(text).digest('hex')
const sum = (algorithm: HashName = 'sha256'): Checksum => ({ algorithm, value: sumOf(content, algorithm) })
const wrong: Checksum = { algorithm: 'sha256', value: sumOf('other') }

describe.each([
  ['a small body', 10],
  ['a large one', 300_000],
])('%s', (_, size) => {
  beforeEach(() => {
    content = 'a'.repeat(size)
  })

  test.each(['sha256', 'sha512', 'sha1', 'md5'] as const)('is saved with the right %s', async (name) => {
    const upper = { ...sum(name), value: sum(name).value.toUpperCase() }
    await client.save(server.url, at('x'), { checksum: upper })
    expect(await left()).toEqual(['x'])
  })

  test('with a wrong sum leaves nothing, and the file that has the name stays', async () => {
    await writeFile(at('old'), 'old')
    const error = await failure(client.save(server.url, at('old'), { checksum: wrong }))
    expect(error).toMatchObject({ code: 'checksum-failed', phase: 'save', url: server.url })
    expect(error.message).toContain(sum().value)
    expect(error.message).toContain(wrong.value)
    await failure(client.save(server.url, at('x'), { checksum: wrong }))
    expect(await left()).toEqual(['old'])
    expect(await readFile(at('old'), 'utf8')).toBe('old')
  })
})

describe('octets of an earlier retrieval', () => {
  const breakOff = async (): Promise<void> => {
    cut = 4
    await failure(client.save(server.url, at('x'), { checksum: sum() }))
    cut = null
    expect(await left()).toEqual(['x.part', 'x.part.json'])
  }

  test('in a part count', async () => {
    await breakOff()
    expect(await client.save(server.url, at('x'), { checksum: sum() })).toMatchObject({ resumedFrom: 4 })
    expect(await left()).toEqual(['x'])
  })

  test('in a part are removed with the rest if the sum is wrong', async () => {
    await breakOff()
    expect(await failure(client.save(server.url, at('x'), { checksum: wrong }))).toMatchObject({
      code: 'checksum-failed',
    })
    expect(await left()).toEqual([])
  })

  test('do not count if the server sends the whole', async () => {
    await breakOff()
    ranges = false
    expect(await client.save(server.url, at('x'), { checksum: sum() })).toMatchObject({ resumedFrom: 0 })
  })

  test.each([true, false])('in a file that is appended to count (%s)', async (isRight) => {
    await writeFile(at('x'), 'abcd')
    const representation = await client.retrieve(server.url, { resumeFrom: { offset: 4, etag: '"a"' } })
    const hash = representation.hash('md5')
    const saving = representation.saveTo(at('x'), { append: true, checksum: isRight ? sum() : wrong })
    if (isRight) await saving
    else expect(await failure(saving)).toMatchObject({ code: 'checksum-failed' })
    expect(await readFile(at('x'), 'utf8')).toBe(isRight ? content : 'abcd')
    expect(hash.hex()).toBe(sumOf(content, 'md5'))
  })
})

test('a body that starts over is hashed once', async () => {
  const patient = createClient({ limits: { maxRetries: 2 } })
  let tries = 0
  await using cutting = await scriptedHttp(() => {
    const answer = reply(200, {}, content)
    return { octets: answer.subarray(0, answer.length - (tries++ === 0 ? 3 : 0)), end: 'fin' }
  })
  await patient.save(cutting.url, at('x'), { checksum: sum() })
  expect(tries).toBe(2)
  await patient.close()
})

test('hash() tells the sum of what was read', async () => {
  const representation = await client.retrieve(server.url)
  const hash = representation.hash('sha1')
  expect(await representation.text()).toBe(content)
  expect([hash.hex(), hash.hex()]).toEqual([sumOf(content, 'sha1'), sumOf(content, 'sha1')])
})

test.each([
  { algorithm: 'sha256', value: 'abc' },
  { algorithm: 'sha256', value: 'g'.repeat(64) },
  { algorithm: 'crc32', value: '00000000' },
  'abc',
  null,
])('%j is no checksum', async (value) => {
  const checksum = value as Checksum
  const error = await failure(client.save(server.url, at('x'), { checksum }))
  expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining('checksum') })
  const representation = await client.retrieve(server.url)
  expect(await failure(representation.saveTo(at('x'), { checksum }))).toMatchObject({ code: 'invalid-option' })
})
