/**
 * -C - over HTTP: the file is the resource as it is now, whatever it was when its beginning came, and never a
 * mixture.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { part, reply } from '../../support/http/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../support/http/scripted-http.ts'

useBundle()
const folder = temporaryFolder()
const old = Buffer.from(Array.from({ length: 9000 }, (_, at) => at % 251))
const changed = Buffer.from(old.map((octet) => octet ^ 0xff))

let server: ScriptedHttp
let content: Buffer
let hasRanges: boolean

beforeAll(async () => {
  server = await scriptedHttp((asked) =>
    asked.fields.range === undefined || !hasRanges ? reply(200, {}, content) : part(asked, content),
  )
  return () => server[Symbol.asyncDispose]()
})
beforeEach(() => {
  server.asked.splice(0)
  hasRanges = true
})

/** Continues after that many octets of the old version. */
async function goOn(octets: number): Promise<{ status: number; stderr: string; file: Buffer; ranges: unknown[] }> {
  const path = join(folder(), 'x')
  writeFileSync(path, old.subarray(0, octets))
  const { status, stderr } = await retrieve(['--retry', '0', '-v', '-C', '-', '-o', 'x', server.url], { cwd: folder() })
  return { status, stderr, file: readFileSync(path), ranges: server.asked.map(({ fields }) => fields.range) }
}

describe('of the same version', () => {
  test.each([1, 100, 4096, 5000, 8999])('%i octets are gone on with: the last ones come again', async (octets) => {
    content = old
    const result = await goOn(octets)
    expect(result).toMatchObject({ status: 0, ranges: [`bytes=${Math.max(0, octets - 4096)}-`] })
    expect(result.file.equals(old)).toBe(true)
  })

  test('of which nothing is missing, it stays', async () => {
    content = old
    const result = await goOn(9000)
    expect(result).toMatchObject({ status: 0, ranges: ['bytes=4904-'] })
    expect(result.file.equals(old)).toBe(true)
  })

  test('a file that has grown is gone on with', async () => {
    content = Buffer.concat([old, changed])
    expect((await goOn(9000)).file.equals(content)).toBe(true)
  })
})

describe('of another version', () => {
  test.each([1, 5000, 8999, 9000])('of the same length, the whole comes in place of %i octets', async (octets) => {
    content = changed
    const result = await goOn(octets)
    expect(result.status).toBe(0)
    expect(result.stderr).toContain('it has changed since')
    expect(result.file.equals(changed)).toBe(true)
  })

  test('that is longer, and of a server without ranges', async () => {
    for (hasRanges of [true, false]) {
      content = Buffer.concat([changed, changed])
      expect((await goOn(5000)).file.equals(content)).toBe(true)
    }
  })

  test('that is shorter than the file: the file stays, and the exit status tells', async () => {
    content = changed.subarray(0, 3000)
    const result = await goOn(5000)
    expect(result.status).toBe(36)
    expect(result.file.equals(old.subarray(0, 5000))).toBe(true)
  })
})
