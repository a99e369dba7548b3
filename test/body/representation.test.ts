import { lstat, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createClient, type Representation } from '@retriever/fetchers'
import type { Outcome, Retrieved } from '@retriever/fetchers/plugin'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function get(answer: Retrieved<'http'>, limits = {}, url = 'http://h/'): Promise<Representation> {
  return createClient({ fetchers: [fakeHttp(() => answer)], limits }).retrieve(url)
}

async function* cut(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half')
  throw new Error('the wire broke')
}

test('the mechanism tells what the metadata are, and json() what the caller expects', async () => {
  const representation = await get(retrieved(chunks('{"size":1}')))
  // Compiles without a cast: `mechanism` is the discriminant of the union.
  expect(representation.mechanism === 'http' ? representation.metadata.status : null).toBe(200)
  const { size } = await representation.json<{ size: number }>()
  expect(size + 1).toBe(2)
})

describe('one body, read once, in whatever form', () => {
  test('bytes, text, json, streams, Response, for await', async () => {
    const make = (): Promise<Representation> => get(retrieved(chunks('{"a":', '1}')))
    expect(Buffer.from(await (await make()).bytes()).toString()).toBe('{"a":1}')
    expect(await (await make()).text()).toBe('{"a":1}')
    expect(await (await make()).json()).toEqual({ a: 1 })
    expect((await buffer((await make()).body)).toString()).toBe('{"a":1}')
    expect((await buffer((await make()).nodeStream())).toString()).toBe('{"a":1}')
    expect(await (await make()).toResponse().json()).toEqual({ a: 1 })
    const parts: string[] = []
    for await (const part of await make()) parts.push(Buffer.from(part).toString())
    expect(parts).toEqual(['{"a":', '1}'])
  })

  test('a Node stream that is destroyed while it waits for octets ends the retrieval at once', async () => {
    async function* stalled(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
      await new Promise(() => {})
    }
    const representation = await get(retrieved(stalled()))
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('the disk is full')) })
    await expect(pipeline(representation.nodeStream(), full)).rejects.toThrow('the disk is full')
    await representation.finished
  })

  test('the second reader is told', async () => {
    const representation = await get(retrieved(chunks('x')))
    await representation.text()
    expect(representation.bodyUsed).toBe(true)
    await expect(representation.text()).rejects.toThrow(TypeError)
  })

  test('a file takes the body at once, before its code is loaded', async () => {
    const representation = await get(retrieved(chunks('x')))
    const path = join(folder, 'x')
    const saved = representation.saveTo(path)
    expect(representation.bodyUsed).toBe(true)
    await expect(representation.text()).rejects.toThrow(TypeError)
    expect(await saved).toMatchObject({ path, size: 1 })
  })

  test.each([
    [Buffer.from('grün'), null, 'grün'],
    [Buffer.from('gr\xFCn', 'latin1'), null, 'grün'],
    [Buffer.from('gr\xFCn', 'latin1'), 'iso-8859-1', 'grün'],
    [Buffer.from('x'), 'no-such-charset', 'x'],
  ])('text of %j in charset %s', async (octets, charset, text) => {
    expect(await (await get(retrieved(chunks(octets), { charset }))).text()).toBe(text)
  })

  test('an object has no entries', async () => {
    const representation = await get(retrieved(chunks('x')))
    expect(() => representation.entries()).toThrow(/no listing/)
  })
})

describe('backpressure and limits', () => {
  test('R41: nothing is pulled before it is wanted, and a stop releases', async () => {
    const source = endless()
    const representation = await get(retrieved(source.body))
    const reader = representation.body.getReader()
    expect(source.pulled()).toBe(0)
    await reader.read()
    await reader.read()
    expect(source.pulled()).toBeLessThanOrEqual(2)
    await reader.cancel()
    await representation.finished
  })

  test('leaving a loop releases', async () => {
    const source = endless()
    for await (const chunk of await get(retrieved(source.body))) {
      expect(chunk.length).toBe(1024)
      break
    }
    expect(source.stopped()).toBe(true)
  })

  test.each([
    ['maxSize', (it: Representation) => it.text()],
    ['maxCollected', (it: Representation) => it.bytes()],
  ])('%s at n and n + 1', async (limit, read) => {
    await expect(read(await get(retrieved(chunks('1234')), { [limit]: 4 }))).resolves.toBeDefined()
    const source = endless()
    const over = await get(retrieved(source.body), { [limit]: 4095 })
    await expect(read(over)).rejects.toMatchObject({ code: 'limit-exceeded' })
    expect(source.stopped()).toBe(true)
  })
})

describe('suggestedName', () => {
  const named = async (url: string, disposition?: string, extra: Partial<Retrieved<'http'>> = {}) => {
    const headers = { ...(disposition !== undefined && { 'content-disposition': disposition }) }
    const metadata = { status: 200, headers, fields: [] }
    return (await get(retrieved(chunks(), { metadata, ...extra }), {}, url)).suggestedName
  }

  test.each<[string, string | undefined, string]>([
    ['http://h/a/b%20c.txt?d=/e', undefined, 'b c.txt'],
    ['http://h/a', 'attachment; filename="../../.bashrc"', '_bashrc'],
    ['http://h/a', "attachment; filename*=UTF-8''%e2%82%ac.txt", '€.txt'],
    ['http://h/a', 'attachment; filename=".."', 'a'],
    ['http://h/a', 'attachment; filename=b; filename=c', 'a'],
    ['http://h/', undefined, 'download'],
  ])('of %s with Content-Disposition %s', async (url, disposition, name) => {
    expect(await named(url, disposition)).toBe(name)
  })

  test('of a page without a name is index.html', async () => {
    expect(await named('http://h/', undefined, { mediaType: 'text/html' })).toBe('index.html')
  })

  test('comes from the URL that was asked for, not from one that a redirect names', async () => {
    const answers: Outcome<'http'>[] = [{ outcome: 'redirect', location: '/evil.sh', status: 302 }, retrieved(chunks())]
    const client = createClient({ fetchers: [fakeHttp(() => answers.shift() ?? retrieved(chunks()))] })
    const representation = await client.retrieve('http://h/photo.png')
    expect([representation.url, representation.suggestedName]).toEqual(['http://h/evil.sh', 'photo.png'])
    expect(representation.givenName).toBeNull()
  })
})

describe('saveTo', () => {
  test('property 19: writes, dates and leaves nothing else', async () => {
    const modified = new Date('2001-02-03T04:05:06Z')
    await (await get(retrieved(chunks('ab', 'c'), { modified }))).saveTo(join(folder, 'x'))
    expect(await readFile(join(folder, 'x'), 'utf8')).toBe('abc')
    expect((await stat(join(folder, 'x'))).mtime).toEqual(modified)
    expect(await readdir(folder)).toEqual(['x'])
  })

  test('property 19: a body that breaks off leaves the old file as it was, and what came in a part', async () => {
    await writeFile(join(folder, 'x'), 'old')
    await expect((await get(retrieved(cut()))).saveTo(join(folder, 'x'))).rejects.toMatchObject({
      code: 'receive-failed',
    })
    expect((await readdir(folder)).sort()).toEqual(['x', 'x.part', 'x.part.json'])
    expect(await readFile(join(folder, 'x'), 'utf8')).toBe('old')
  })

  test('property 19: an existing file is kept where the caller says so', async () => {
    await writeFile(join(folder, 'x'), 'old')
    const saving = (await get(retrieved(chunks('new')))).saveTo(join(folder, 'x'), { overwrite: false })
    await expect(saving).rejects.toMatchObject({ code: 'write-failed', phase: 'save' })
    expect(await readFile(join(folder, 'x'), 'utf8')).toBe('old')
  })

  test('and so is one that another program made while the body came', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('new')
      await writeFile(join(folder, 'x'), 'of another program')
    }
    const saving = (await get(retrieved(body()))).saveTo(join(folder, 'x'), { overwrite: false })
    await expect(saving).rejects.toThrow('it exists already')
    expect(await readFile(join(folder, 'x'), 'utf8')).toBe('of another program')
    expect(await readdir(folder)).toEqual(['x'])
  })

  test('case 31, a planted link at the part is not followed', async () => {
    await writeFile(join(folder, 'victim'), 'safe')
    await symlink(join(folder, 'victim'), join(folder, 'x.part'))
    await expect((await get(retrieved(chunks('bad')))).saveTo(join(folder, 'x'))).rejects.toMatchObject({
      code: 'write-failed',
    })
    expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('safe')
  })

  test.each([
    ['.', /is a directory/],
    ['no/such/folder', /folder does not exist/],
    ['/dev/full', /no space is left/],
  ])('%s: one clear sentence', async (path, message) => {
    const source = endless()
    const target = path.startsWith('/') ? path : join(folder, path)
    const representation = await get(retrieved(source.body))
    await expect(representation.saveTo(target, { special: true })).rejects.toThrow(message)
    await representation.finished
  })

  test.runIf(process.platform === 'linux')('an open descriptor is written to, and its name stays', async () => {
    const file = await open(join(folder, 'x'), 'w')
    await file.write('before ')
    await symlink(`/proc/self/fd/${file.fd}`, join(folder, 'out'))
    await symlink('out', join(folder, 'outer'))
    await (await get(retrieved(chunks('abc')))).saveTo(join(folder, 'outer'), { special: true })
    await file.close()
    expect(await readFile(join(folder, 'x'), 'utf8')).toBe('before abc')
    expect((await lstat(join(folder, 'out'))).isSymbolicLink()).toBe(true)
    expect((await readdir(folder)).sort()).toEqual(['out', 'outer', 'x'])
  })

  test('a device is written to where the caller allows it', async () => {
    await (await get(retrieved(chunks('x')))).saveTo('/dev/null', { special: true })
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
  })
})
