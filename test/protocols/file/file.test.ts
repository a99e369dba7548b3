import { execFileSync } from 'node:child_process'
import { appendFileSync, readdirSync, truncateSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Entry, type ResumePoint, type RetrievalEvent } from '@retriever/fetchers'
import { fileFetcher } from '@retriever/fetchers/file'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { openFiles } from '../../support/open-files.ts'

const remarks: RetrievalEvent[] = []
const client = createClient({
  fetchers: [fileFetcher()],
  onEvent: (event) => void (event.type === 'remark' && remarks.push(event)),
})
let folder = ''
const at = (path: string): string => `file://${folder}/${path}`

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no failure',
    (error: unknown) => error,
  )
}

async function modifiedOf(path: string): Promise<Date> {
  await using representation = await client.retrieve(at(path))
  return representation.modified ?? new Date(0)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-file-'))
  await mkdir(join(folder, 'tree', 'sub'), { recursive: true })
  await writeFile(join(folder, 'tree', 'a b.txt'), 'blank')
  await writeFile(join(folder, 'tree', '50%41.txt'), 'percent')
  await writeFile(join(folder, 'tree', 'sub', 'deep'), 'deep')
  await writeFile(Buffer.from(`${folder}/tree/\xFF\n.txt`, 'latin1'), 'no UTF-8')
  await symlink('a b.txt', join(folder, 'tree', 'link'))
  execFileSync('mkfifo', [join(folder, 'tree', 'pipe')])
  await writeFile(join(folder, 'big'), Buffer.alloc(1_000_003, 'abcdefg'))
  await writeFile(join(folder, 'empty'), '')
})

afterAll(async () => {
  await client.close()
  await rm(folder, { recursive: true, force: true })
})

describe('a file', () => {
  test('comes whole, with its size and date', async () => {
    const representation = await client.retrieve(at('big'))
    expect(representation).toMatchObject({
      kind: 'object',
      size: 1_000_003,
      completeness: 'verified',
      mediaType: null,
    })
    expect(representation.modified?.getFullYear()).toBeGreaterThan(2020)
    expect(Buffer.from(await representation.bytes()).equals(Buffer.alloc(1_000_003, 'abcdefg'))).toBe(true)
  })

  test.each([
    ['tree/a%20b.txt', 'blank'],
    ['tree/50%2541.txt', 'percent'],
    ['tree/%FF%0A.txt', 'no UTF-8'],
    ['tree/link', 'blank'],
    ['tree/sub/../sub/deep', 'deep'],
    ['empty', ''],
  ])('%s is found by its octets', async (path, content) => {
    expect(await (await client.retrieve(at(path))).text()).toBe(content)
  })

  test('an empty one is known to be empty', async () => {
    const representation = await client.retrieve(at('empty'))
    expect(representation).toMatchObject({ size: 0, completeness: 'verified' })
    await representation.cancel()
  })

  test('localhost and a name of this machine are this machine', async () => {
    expect(await (await client.retrieve(`file://localhost${folder}/tree/link`)).text()).toBe('blank')
    const named = createClient({ fetchers: [fileFetcher({ localHosts: ['Me.example'] })] })
    expect(await (await named.retrieve(`file://me.example${folder}/tree/link`)).text()).toBe('blank')
  })

  test('of another host is refused, and not looked for here', async () => {
    const error = await failure(client.retrieve(`file://elsewhere.example${folder}/tree/link`))
    expect(error).toMatchObject({ code: 'refused', phase: 'policy' })
  })

  test('in /proc has no size but is read to its end', async () => {
    const representation = await client.retrieve('file:///proc/self/status')
    expect(representation).toMatchObject({ size: null, completeness: 'eof-only' })
    expect(await representation.text()).toContain(`Pid:\t${process.pid}`)
  })

  test.each([
    [[0, 0], 'a'],
    [[6, 8], 'gab'],
    [[1_000_000, null], 'bcd'],
    [[1_000_000, 5_000_000], 'bcd'],
  ] as const)('range %j', async (range, content) => {
    const representation = await client.retrieve(at('big'), { range })
    expect(representation).toMatchObject({ size: content.length, offset: range[0] })
    expect(await representation.text()).toBe(content)
  })

  test('a range outside of it is refused', async () => {
    const error = await failure(client.retrieve(at('big'), { range: [1_000_003, null] }))
    expect(error).toMatchObject({ code: 'range-refused' })
    expect(await failure(client.retrieve(at('tree'), { range: [0, 1] }))).toMatchObject({ code: 'range-refused' })
    expect(openFiles(folder)).toEqual([])
  })

  describe('is gone on with', () => {
    async function resume(path: string, resumeFrom: number | ResumePoint): Promise<[offset: number, rest: string]> {
      const representation = await client.retrieve(at(path), { resumeFrom })
      expect(representation.completeness).toBe('verified')
      const text = await representation.text()
      expect(representation.size).toBe(text.length)
      return [representation.offset, text.slice(0, 9)]
    }

    test.each([
      [1_000_000, [1_000_000, 'bcd']],
      [1_000_003, [1_000_003, '']],
      [0, [0, 'abcdefgab']],
      [{ offset: 7, size: 1_000_003 }, [7, 'abcdefgab']],
      [{ offset: 1_000_002, size: null, modified: null }, [1_000_002, 'd']],
    ])('from %j', async (resumeFrom, expected) => {
      remarks.length = 0
      expect(await resume('big', resumeFrom)).toEqual(expected)
      expect(remarks).toEqual([])
    })

    test('only while its date is the same', async () => {
      const modified = await modifiedOf('big')
      expect(await resume('big', { offset: 1_000_002, modified })).toEqual([1_000_002, 'd'])
      const earlier = new Date(Number(modified) - 1)
      expect(await resume('big', { offset: 1_000_002, modified: earlier })).toEqual([0, 'abcdefgab'])
    })

    test.each([
      [{ offset: 7, size: 1_000_004 }, 'Its size is 1000003 now, and was 1000004; starting over.'],
      [{ offset: 1_000_004, modified: new Date(0) }, 'It has been modified since; starting over.'],
    ])('else from its beginning, with a remark: %j', async (resumeFrom, message) => {
      remarks.length = 0
      expect(await resume('big', resumeFrom)).toEqual([0, 'abcdefgab'])
      expect(remarks).toMatchObject([{ type: 'remark', url: at('big'), message }])
    })

    test('not where the caller has more than there is', async () => {
      const error = await failure(client.retrieve(at('big'), { resumeFrom: 1_000_004 }))
      expect(error).toMatchObject({ code: 'resume-failed' })
      expect(String(error)).toContain('The file has 1000003 octets, but 1000004 are there already')
      expect(openFiles(folder)).toEqual([])
    })

    test('and one without a size never', async () => {
      remarks.length = 0
      const representation = await client.retrieve('file:///proc/self/status', { resumeFrom: 5 })
      expect([representation.offset, await representation.text()]).toEqual([0, expect.stringMatching(/^Name:/)])
      expect(remarks).toMatchObject([{ message: 'The file has no size; starting over.' }])
    })
  })

  test.each(['big', 'tree/'])('%s that has not changed since is not read', async (path) => {
    const ifChangedSince = await modifiedOf(path)
    const error = await failure(client.retrieve(at(path), { ifChangedSince }))
    expect(error).toMatchObject({
      code: 'not-modified',
      message: expect.stringContaining('It has not been modified since '),
    })
    const earlier = new Date(ifChangedSince.getTime() - 1)
    await (await client.retrieve(at(path), { ifChangedSince: earlier })).cancel()
    const unchanged = failure(client.retrieve(at(path), { ifUnchangedSince: earlier }))
    expect(await unchanged).toMatchObject({ code: 'not-modified' })
    await (await client.retrieve(at(path), { ifUnchangedSince: ifChangedSince })).cancel()
    await expect.poll(() => openFiles(folder)).toEqual([])
  })

  test('that grows while it is read ends where it ended at first', async () => {
    const path = join(folder, 'grows')
    await writeFile(path, Buffer.alloc(600_000, 'x'))
    const representation = await client.retrieve(at('grows'))
    appendFileSync(path, 'more')
    expect((await representation.bytes()).length).toBe(600_000)
  })

  test('that shrinks while it is read is partial', async () => {
    const path = join(folder, 'shrinks')
    await writeFile(path, Buffer.alloc(600_000, 'x'))
    const representation = await client.retrieve(at('shrinks'))
    truncateSync(path, 300_000)
    expect(await failure(representation.bytes())).toMatchObject({ code: 'partial', phase: 'body' })
    expect(openFiles(folder)).toEqual([])
  })
})

describe('case 54, what is refused', () => {
  test.each([
    ['none', 'not-found', 'no such file'],
    ['big/none', 'not-found', 'no such file'],
    ['tree/pipe', 'file-failed', 'a FIFO'],
    [`${'x'.repeat(300)}`, 'file-failed', 'the name is too long'],
  ])('%s: %s', async (path, code, words) => {
    const error = await failure(client.retrieve(at(path)))
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
  })

  test('a device', async () => {
    const error = await failure(client.retrieve('file:///dev/zero'))
    expect(error).toMatchObject({ code: 'file-failed', message: expect.stringContaining('a device') })
  })

  test('a socket', async () => {
    const server = createServer().listen(join(folder, 'socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    const error = await failure(client.retrieve(at('socket')))
    expect(error).toMatchObject({ code: 'file-failed', message: expect.stringContaining('a socket') })
    await new Promise((resolve) => server.close(resolve))
  })

  test.skipIf(process.getuid?.() === 0)('what may not be read', async () => {
    await writeFile(join(folder, 'secret'), '')
    await chmod(join(folder, 'secret'), 0)
    expect(await failure(client.retrieve(at('secret')))).toMatchObject({ code: 'access-denied' })
  })
})

describe('a directory', () => {
  async function list(url: string): Promise<Entry[]> {
    return entriesOf(await client.retrieve(url))
  }

  test('is a name a line, with a / after a directory', async () => {
    const representation = await client.retrieve(at('tree'))
    expect(representation).toMatchObject({ kind: 'listing', mediaType: 'text/plain', completeness: 'verified' })
    const lines = Buffer.from(await representation.bytes()).toString('latin1')
    expect(lines).toBe('50%2541.txt\na b.txt\nlink\npipe\nsub/\n\xFF%0A.txt\n')
  })

  test.each(['tree', 'tree/'])('%s has entries whose URLs lead to the files', async (path) => {
    const entries = await list(at(path))
    expect(entries.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'file 50%41.txt',
      'file a b.txt',
      'link link',
      'other pipe',
      'directory sub',
      'file \xFF\n.txt',
    ])
    expect(entries.map((entry) => entry.url?.slice(at('').length))).toEqual([
      'tree/50%2541.txt',
      'tree/a%20b.txt',
      'tree/link',
      'tree/pipe',
      'tree/sub/',
      'tree/%FF%0A.txt',
    ])
    expect(entries[1]).toMatchObject({ size: 5, modified: expect.any(Date) })
    for (const { kind, url } of entries) {
      if (kind !== 'file' || url === null) continue
      expect((await (await client.retrieve(url)).text()).length).toBeGreaterThan(0)
    }
    expect(await list(entries[4]?.url ?? '')).toMatchObject([{ name: 'deep', kind: 'file', size: 4 }])
  })

  test('over the limit of listings is refused', async () => {
    const bytes = 'a b.txt\n50%2541.txt\nlink\npipe\nsub/\n?%0A.txt\n'.length
    const fits = createClient({ limits: { maxListing: bytes } })
    expect((await (await fits.retrieve(at('tree'))).bytes()).length).toBe(bytes)
    const tight = createClient({ limits: { maxListing: bytes - 1 } })
    expect(await failure(tight.retrieve(at('tree')))).toMatchObject({ code: 'limit-exceeded' })
    const small = createClient({ limits: { maxCollected: bytes - 1 } })
    expect(await failure(small.retrieve(at('tree')))).toMatchObject({ code: 'limit-exceeded' })
    expect(openFiles(folder)).toEqual([])
  })
})

describe('nothing stays open', () => {
  test('when the consumer stops, cancels, or aborts', async () => {
    const stopped = await client.retrieve(at('big'))
    for await (const chunk of stopped.body) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await stopped.finished
    const cancelled = await client.retrieve(at('big'))
    expect(openFiles(folder)).toHaveLength(1)
    await cancelled.cancel()
    const abort = new AbortController()
    const aborted = await client.retrieve(at('big'), { signal: abort.signal })
    abort.abort()
    expect(await failure(aborted.bytes())).toMatchObject({ code: 'aborted' })
    await expect.poll(() => openFiles(folder)).toEqual([])
  })

  test('when the retrieval is aborted before it begins', async () => {
    const error = await failure(client.retrieve(at('big'), { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ code: 'aborted' })
    expect(openFiles(folder)).toEqual([])
    expect(readdirSync(folder).length).toBeGreaterThan(0)
  })
})
