/** What a queue takes, without Redis: sources, checks, names of hosts and sums. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { RetrievalError, resolve } from '@retriever/core'
import { folderStore } from '@retriever/queue'
import { expect, test } from 'vitest'
import { checkListed } from '../../packages/queue/src/frontier/checked.ts'
import { hostOf, shardOf, sumOf, turnOf } from '../../packages/queue/src/frontier/host.ts'
import { type Listed, listedIn, type QueueSource } from '../../packages/queue/src/frontier/source.ts'
import { readQueueOptions } from '../../packages/queue/src/queue-options.ts'
import { ShardKeys } from '../../packages/queue/src/redis/keys.ts'
import { readWorkOptions } from '../../packages/queue/src/turns/work-options.ts'

async function all(source: QueueSource): Promise<Listed[]> {
  const found = []
  for await (const listed of listedIn(source)) found.push(listed)
  return found
}

test('a file has a URL a line, perhaps with the name of a login', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'queue-'))
  const file = join(folder, 'urls')
  writeFileSync(file, '# a list\r\nhttp://a.example/x  @me\r\n\n  ftp://b.example/@home\nhttp://c.example/')
  expect(await all({ file })).toEqual([
    { url: 'http://a.example/x', login: 'me', number: 2 },
    { url: 'ftp://b.example/@home', login: null, number: 4 },
    { url: 'http://c.example/', login: null, number: 5 },
  ])
  await expect(all({ file: join(folder, 'none') })).rejects.toMatchObject({
    code: 'file-failed',
    message: expect.stringContaining('there is no such file'),
  })
  rmSync(folder, { recursive: true })
})

test('a line of any number of blanks is read in time', async () => {
  const blanks = ' '.repeat(1_000_000)
  const lines = Readable.from([`http://a.example/${blanks}b\n${blanks}http://b.example/${blanks}@me${blanks}\n`])
  expect(await all({ lines })).toEqual([
    { url: `http://a.example/${blanks}b`, login: null, number: 1 },
    { url: 'http://b.example/', login: 'me', number: 2 },
  ])
})

test('lists have strings, URLs and items', async () => {
  const list = ['http://a.example/', new URL('http://b.example/'), { url: 'http://c.example/', login: 'me' }]
  expect((await all(list)).map(({ url, login, number }) => [url, login, number])).toEqual([
    ['http://a.example/', null, 1],
    ['http://b.example/', null, 2],
    ['http://c.example/', 'me', 3],
  ])
})

test.each([
  [
    'http://me:hunter2@a.example/',
    'invalid-option',
    'http://me:***@a.example/ is not added: a queue keeps no password',
  ],
  ['http://a.example/\u0000', 'invalid-option', 'it has control characters'],
  ['http://[', 'malformed-url', 'the [ has no ]'],
  ['what:ever', 'unknown-scheme', 'is not known'],
])('%j is refused, and the error names its line', (url, code, words) => {
  const check = (): unknown => checkListed({ url, login: null, number: 7 })
  expect(check).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/^Line 7: /) }))
  expect(check).toThrow(words)
  expect(check).not.toThrow('hunter2')
})

test.each(['http://me:hunter2@a.example/', 'http://a.example/\u0001', 'a', 'http://a.example/%zz'])(
  'a long URL is cut in its error: %j',
  (beginning) => {
    const url = beginning.padEnd(100_000, 'a')
    let error: unknown
    try {
      checkListed({ url, login: null, number: 7 })
    } catch (thrown) {
      error = thrown
    }
    expect(RetrievalError.is(error) && [error.message.length < 400, (error.url ?? '').length < 300]).toEqual([
      true,
      true,
    ])
  },
)

test('the name of a login is a word', () => {
  const check = (): unknown => checkListed({ url: 'http://a.example/', login: 'a b', number: 1 })
  expect(check).toThrow(expect.objectContaining({ code: 'invalid-option' }))
})

test('two spellings of a URL have one sum, and ports have one host', () => {
  expect(sumOf('HTTP://A.example:80/%61')).toEqual(sumOf('http://a.example/a'))
  expect(sumOf('http://a.example/a')).not.toEqual(sumOf('http://a.example/b'))
  expect(hostOf(resolve('http://A.Example:8080/'))).toBe('a.example')
  expect(hostOf(resolve('data:,x'))).toBe('-')
})

test('a turn has a name that BullMQ takes', () => {
  expect(['a.example', '::1', '12'].map((host) => turnOf(host, null))).toEqual(['a.example', '%3A%3A1', '12.'])
  expect(turnOf('a.example', 3)).toBe('a.example~3')
  const counts = new Map<number, number>()
  for (let at = 0; at < 800; at++) {
    const shard = shardOf(`host-${at}`, 8)
    counts.set(shard, (counts.get(shard) ?? 0) + 1)
  }
  expect(Math.min(...counts.values())).toBeGreaterThan(60)
  expect(counts.size).toBe(8)
})

test('the keys of a shard have one text in braces, by which a cluster places them', () => {
  const keys = new ShardKeys('retriever', 'crawl', 3)
  expect(keys.lock('a.example')).toBe('{retriever:crawl:3}:crawl-3:a.example:lock')
  expect(keys.base).toBe('{retriever:crawl:3}:')
})

test.each([
  [() => readQueueOptions({} as never), 'connection'],
  [() => readQueueOptions({ connection: 'redis://h', name: 'a:b' }), 'name'],
  [() => readQueueOptions({ connection: 'redis://h', shards: 0 }), 'shards'],
  [() => readWorkOptions({} as never), 'store'],
  [() => readWorkOptions({ store: folderStore('x'), perHost: 0 }), 'perHost'],
  [() => readWorkOptions({ store: folderStore('x'), lease: 10 }), 'lease'],
  [() => readWorkOptions({ store: folderStore('x'), lease: Number.POSITIVE_INFINITY }), 'lease'],
  [() => folderStore(''), 'folder'],
])('wrong options are named (%#)', (read, name) => {
  expect(read).toThrow(expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(name) }))
})
