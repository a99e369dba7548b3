/**
 * -C - over HTTP with a file of which nothing says from which version it is: the result is the resource as it is now,
 * and a mixture only at the explicit wish of the caller.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { part, reply } from '../../protocols/http/support/http-answers.ts'
import { type Asked, type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const old = Buffer.from(Array.from({ length: 9000 }, (_, at) => at % 251))
const changed = Buffer.from(old.map((octet) => octet ^ 0xff))

let server: ScriptedHttp
let content: Buffer
let hasRanges: boolean

const usual = (asked: Asked): Buffer =>
  asked.fields.range === undefined || !hasRanges ? reply(200, {}, content) : part(asked, content)

beforeAll(async () => {
  server = await scriptedHttp(usual)
  return () => server[Symbol.asyncDispose]()
})
beforeEach(() => {
  server.asked.splice(0)
  server.script = usual
  hasRanges = true
  for (const name of readdirSync(folder())) rmSync(join(folder(), name))
})

interface Went {
  readonly status: number
  readonly stderr: string
  readonly file: Buffer
  readonly asked: readonly { readonly range?: string | undefined; readonly 'if-range'?: string | undefined }[]
}

/** Continues a file of these octets that another program has left. */
async function goOn(octets: Uint8Array, ...options: string[]): Promise<Went> {
  return continued(octets, new Date(), options)
}

async function continued(octets: Uint8Array, date: Date, options: readonly string[] = []): Promise<Went> {
  const path = join(folder(), 'x')
  writeFileSync(path, octets)
  utimesSync(path, date, date)
  const { status, stderr } = await retrieve(['--retry', '0', ...options, '-C', '-', '-o', 'x', server.url], {
    cwd: folder(),
  })
  const asked = server.asked.map(({ fields }) => ({ range: fields.range, 'if-range': fields['if-range'] }))
  return { status, stderr, file: readFileSync(path), asked }
}

const whole = [{ range: undefined, 'if-range': undefined }]
const anew = (): string =>
  `retrieve: ${server.url}: it starts over: nothing proves which version x holds (--continue-unverified appends anyway)\n`

describe('a file that another program has left starts over', () => {
  test('though its last 4096 octets are those of the resource: a run of zeros is ordinary in images', async () => {
    // Two images: another beginning, and the same run of zeros.
    const one = Buffer.concat([Buffer.from('first'), Buffer.alloc(8000), old])
    const other = Buffer.concat([Buffer.from('other'), Buffer.alloc(8000), old])
    content = other
    const { status, stderr, file, asked } = await goOn(one.subarray(0, 6000))
    expect({ status, stderr, asked }).toEqual({ status: 0, stderr: anew(), asked: whole })
    expect(file.equals(other)).toBe(true)
  })

  test.each([1, 5000, 9000])('of %i octets, whatever the server can do', async (octets) => {
    for (hasRanges of [true, false]) {
      for (content of [old, changed, Buffer.concat([changed, changed])]) {
        const { status, stderr, file } = await goOn(old.subarray(0, octets))
        expect({ status, stderr }).toEqual({ status: 0, stderr: anew() })
        expect(file.equals(content)).toBe(true)
      }
    }
  })

  test('also where -C names its length', async () => {
    content = changed
    writeFileSync(join(folder(), 'x'), old.subarray(0, 5000))
    const { status, stderr } = await retrieve(['-C', '5000', '-o', 'x', server.url], { cwd: folder() })
    expect({ status, stderr }).toEqual({ status: 0, stderr: anew() })
    expect(readFileSync(join(folder(), 'x')).equals(changed)).toBe(true)
  })

  test('and stays as it is until the whole has come, which goes on from NAME.part', async () => {
    content = changed
    server.script = (asked) => {
      const octets = part(asked, content, { ETag: '"a"' })
      if (asked.fields.range !== undefined) return octets
      return { octets: reply(200, { ETag: '"a"' }, content).subarray(0, -2000), end: 'fin' }
    }
    const first = await goOn(old.subarray(0, 5000))
    expect(first.status).toBe(18)
    expect(first.file.equals(old.subarray(0, 5000))).toBe(true)
    const second = await goOn(old.subarray(0, 5000))
    expect({ ...second, file: second.file.equals(changed) }).toEqual({
      status: 0,
      stderr: '',
      file: true,
      asked: [...whole, { range: 'bytes=7000-', 'if-range': '"a"' }],
    })
  })

  test('unless the resource is shorter: the file stays, and the exit status tells', async () => {
    content = changed.subarray(0, 3000)
    const { status, file } = await goOn(old.subarray(0, 5000))
    expect(status).toBe(36)
    expect(file.equals(old.subarray(0, 5000))).toBe(true)
  })
})

describe('a file of the date of the resource', () => {
  const date = new Date('2001-02-03T04:05:06Z')
  const dated = { 'Last-Modified': date.toUTCString() }
  beforeEach(() => {
    server.script = ({ fields, ...asked }) => {
      const condition = fields['if-range']
      if (fields.range === undefined || (condition !== undefined && condition !== dated['Last-Modified']))
        return reply(200, dated, content)
      return Number(/\d+/.exec(fields.range)?.[0]) >= content.length
        ? reply(416, { 'Content-Range': `bytes */${content.length}` })
        : part({ fields, ...asked }, content, dated)
    }
  })

  test('and of its size is whole, and stays: one request', async () => {
    content = changed
    const { status, stderr, file, asked } = await continued(old, date)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(asked).toEqual([{ range: 'bytes=9000-', 'if-range': dated['Last-Modified'] }])
    expect(file.equals(old)).toBe(true)
  })

  test.each([
    ['of another date starts over', 1, 9000],
    ['of another size starts over', 0, 8000],
  ])('%s', async (_, later, octets) => {
    content = changed
    const { status, stderr, file } = await continued(old.subarray(0, octets), new Date(date.getTime() + later * 1000))
    expect({ status, stderr }).toEqual({ status: 0, stderr: anew() })
    expect(file.equals(changed)).toBe(true)
  })

  test('starts over where the server sends a part without a look at If-Range', async () => {
    content = Buffer.concat([old, changed])
    server.script = (asked) => (asked.fields.range === undefined ? reply(200, {}, content) : unsized(asked, content))
    const { status, stderr, file } = await continued(old, date)
    expect({ status, stderr }).toEqual({ status: 0, stderr: anew() })
    expect(file.equals(content)).toBe(true)
  })
})

/** A part of which the total is not told. */
function unsized({ fields }: Asked, whole: Buffer): Buffer {
  const first = Number(/\d+/.exec(fields.range ?? '')?.[0])
  return reply(206, { 'Content-Range': `bytes ${first}-${whole.length - 1}/*` }, whole.subarray(first))
}

describe('--continue-unverified', () => {
  const unverified = (octets: number) => goOn(old.subarray(0, octets), '--continue-unverified')
  const told = (): string =>
    `retrieve: ${server.url}: appended to x, without proof that both parts are of one version\n`

  test.each([1, 100, 4096, 5000, 8999])('appends to %i octets whose end comes again, and says so', async (octets) => {
    content = old
    const { status, stderr, file, asked } = await unverified(octets)
    expect({ status, stderr }).toEqual({ status: 0, stderr: told() })
    expect(asked.map(({ range }) => range)).toEqual([`bytes=${Math.max(0, octets - 4096)}-`])
    expect(file.equals(old)).toBe(true)
  })

  test('says nothing of a file of which nothing is missing', async () => {
    content = old
    const { status, stderr, file, asked } = await unverified(9000)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(asked.map(({ range }) => range)).toEqual(['bytes=4904-'])
    expect(file.equals(old)).toBe(true)
  })

  test.each([1, 5000, 8999, 9000])('starts over where other octets come in place of %i', async (octets) => {
    content = changed
    const { status, stderr, file } = await unverified(octets)
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('It has changed since; starting over'),
    })
    expect(file.equals(changed)).toBe(true)
  })

  test.each([
    ['older than the resource: it starts over', '2001-02-03T04:05:05Z', 'It has been modified since; starting over.\n'],
    ['no older: it appends', '2001-02-03T04:05:06.5Z', 'without proof that both parts are of one version\n'],
  ])('with a file %s', async (_, date, said) => {
    content = old
    server.script = (asked) => {
      const fields = { 'Last-Modified': 'Sat, 03 Feb 2001 04:05:06 GMT' }
      return asked.fields.range === undefined ? reply(200, fields, content) : part(asked, content, fields)
    }
    const { status, stderr, file } = await continued(old.subarray(0, 5000), new Date(date), ['--continue-unverified'])
    expect({ status, stderr: stderr.endsWith(said) }).toEqual({ status: 0, stderr: true })
    expect(file.equals(old)).toBe(true)
  })

  test('appends to a NAME.part without a validator, too', async () => {
    content = old
    server.script = (asked) => {
      if (asked.fields.range !== undefined) return part(asked, content)
      return { octets: reply(200, {}, content).subarray(0, -2000), end: 'fin' }
    }
    const run = (...options: string[]) => retrieve([...options, '-o', 'y', server.url], { cwd: folder() })
    const cut = await run('--retry', '0')
    expect(cut.stderr).toMatch(/the next try starts over; -C - --continue-unverified appends anyway\.\n$/)
    const { status, stderr } = await run('-C', '-', '--continue-unverified')
    expect({ status, stderr }).toEqual({ status: 0, stderr: told().replace('to x', 'to y') })
    expect(readFileSync(join(folder(), 'y')).equals(old)).toBe(true)
  })

  test('needs -C', async () => {
    const why = '--continue-unverified says how -C continues: give -C - too.'
    const { status, stderr } = await retrieve(['--continue-unverified', '-o', 'z', server.url])
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) })
  })
})

test('a checksum of the whole proves what is appended, or the file gets its former length', async () => {
  content = old
  const sum = (octets: Buffer): string => `sha256:${createHash('sha256').update(octets).digest('hex')}`
  const good = await goOn(old.subarray(0, 5000), '--checksum', sum(old))
  expect({ ...good, file: good.file.equals(old) }).toMatchObject({ status: 0, stderr: '', file: true })
  expect(good.asked.map(({ range }) => range)).toEqual(['bytes=904-'])
  const bad = await goOn(old.subarray(0, 5000), '--checksum', sum(changed))
  expect({ status: bad.status, length: bad.file.length }).toEqual({ status: 32, length: 5000 })
})
