/** Lists, outcomes, and the ways in which a batch ends. */
import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { RetrievalError } from '@retriever/core'
import { type BatchItem, createClient, type Representation } from '@retriever/fetchers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const echo = fakeHttp(({ target }, { request, error }) => {
  if (target === '/missing') throw error('not-found', 'No.')
  return retrieved(chunks(`${target} ${request.accept ?? ''}`))
})

/** URLs without end; `left` tells that the list was left. */
function endlessList(): { list: AsyncGenerator<string>; read: () => number; left: () => boolean } {
  let count = 0
  let isLeft = false
  async function* list(): AsyncGenerator<string> {
    try {
      while (true) yield `http://h${count % 3}/${count++}`
    } finally {
      isLeft = true
    }
  }
  return { list: list(), read: () => count, left: () => isLeft }
}

test('an outcome has the index and the key of its item, whose options hold for it alone', async () => {
  await using client = createClient({ fetchers: [echo] })
  const items: (string | URL | BatchItem<symbol>)[] = [
    'http://h/a',
    new URL('http://h/b'),
    { url: 'http://h/c', key: Symbol.for('c'), options: { accept: 'text/html' } },
    { url: client.resolve('http://h/d') },
    { url: '/missing', options: { base: 'http://h/' } },
  ]
  const seen: unknown[] = []
  for await (const { index, key, url, representation, error } of client.retrieveAll(items, { accept: 'text/plain' })) {
    seen[index] = [url, key, error === null ? await representation.text() : error.code]
  }
  expect(seen).toEqual([
    ['http://h/a', undefined, '/a text/plain'],
    ['http://h/b', undefined, '/b text/plain'],
    ['http://h/c', Symbol.for('c'), '/c text/html'],
    ['http://h/d', undefined, '/d text/plain'],
    ['/missing', undefined, 'not-found'],
  ])
})

test.each<[string, unknown]>([
  ['a string', 'http://h/'],
  ['a URL', new URL('http://h/')],
  ['an item', { url: 'http://h/' }],
  ['nothing', undefined],
  ['null', null],
])('%s in place of a list is an error', async (_, list) => {
  await using client = createClient({ fetchers: [echo] })
  const call = (): unknown => client.retrieveAll(list as Iterable<string>)
  expect(call).toThrow(expect.objectContaining({ code: 'invalid-option' }))
})

test.each<[string, object]>([
  ['concurrency', { concurrency: 0 }],
  ['perHost', { perHost: 1.5 }],
  ['interval', { interval: -1 }],
  ['intervalCap', { intervalCap: 3 }],
  ['priority', { priority: 1 }],
])('an invalid %s is an error of the call', async (name, options) => {
  await using client = createClient({ fetchers: [echo] })
  expect(() => client.retrieveAll(['http://h/'], options)).toThrow(`\`${name}\``)
})

test('an invalid item is an error of its own', async () => {
  await using client = createClient({ fetchers: [echo] })
  const items = [
    { url: 'http://h/', priority: 'high' },
    { url: 'http://h/', options: { limit: -1 } },
    null,
    { url: 'http://h/', options: null },
    Object.create(null),
    { urll: 'http://h/' },
    undefined,
    'http://h/',
  ]
  const told: (string | null)[] = []
  for await (const { index, error, representation } of client.retrieveAll(items as BatchItem[])) {
    told[index] = error === null ? await representation.text() : `${error.code}: ${error.message}`
  }
  const url = 'a URL: a string, a URL or a Resolution'
  const expected = [
    'Expected `urls[0].priority` to be a number, got "high" (string).',
    expect.stringContaining('Expected `limit` to be'),
    `Expected \`urls[2].url\` to be ${url}, got null.`,
    expect.stringContaining('Expected `urls[3].options` to be'),
    `Expected \`urls[4]\` to be ${url}, or an object that has one as \`url\`, got an object.`,
    'Expected `urls[5].urll` to be one of url, key, options, priority, got "urll" (string).',
    `Expected \`urls[6]\` to be ${url}, or an object that has one as \`url\`, got undefined.`,
  ]
  expect(told.map((each) => each?.replace(/^invalid-option: /, ''))).toEqual([...expected, '/ '])
})

test('an endless asynchronous list is read as it is needed, and left with the loop', async () => {
  const { list, read, left } = endlessList()
  await using client = createClient({ fetchers: [echo], concurrency: 3 })
  let seen = 0
  for await (const { representation } of client.retrieveAll(list)) {
    await representation?.text()
    expect(read()).toBeLessThanOrEqual(seen + 5)
    if (++seen === 100) break
  }
  expect(left()).toBe(true)
})

test('a list of which the next URL never comes can be left', async () => {
  async function* stuck(): AsyncGenerator<string> {
    yield 'http://h/1'
    await new Promise(() => {})
  }
  await using client = createClient({ fetchers: [echo] })
  for await (const { representation } of client.retrieveAll(stuck())) {
    await representation?.text()
    break
  }
})

test.each(['abort', 'close'])('%s ends a batch of which the next URL never comes', async (way) => {
  async function* stuck(): AsyncGenerator<string> {
    yield 'http://h/1'
    await new Promise(() => {})
  }
  const client = createClient({ fetchers: [echo] })
  const controller = new AbortController()
  const all = async (): Promise<void> => {
    for await (const { representation } of client.retrieveAll(stuck(), { signal: controller.signal })) {
      await representation?.text()
      setImmediate(() => (way === 'abort' ? controller.abort() : void client.close()))
    }
  }
  expect(await failure(all())).toMatchObject({ code: 'aborted' })
  await client.close()
})

test('a set is a list, and one that throws is not told to end', async () => {
  await using client = createClient({ fetchers: [echo] })
  const bodies: string[] = []
  for await (const { value } of client.mapAll(new Set(['http://h/1', 'http://h/2']), (each) => each.text()))
    bodies.push(String(value))
  expect(bodies.sort()).toEqual(['/1 ', '/2 '])
  let ends = 0
  const throwing = {
    [Symbol.iterator]: () => ({
      next: (): never => {
        throw new Error('The list broke.')
      },
      return: () => ({ done: true as const, value: ++ends }),
    }),
  }
  await expect(client.retrieveAll(throwing).next()).rejects.toThrow('The list broke.')
  expect(ends).toBe(0)
})

test('the error of a list that cannot be begun comes out of the loop', async () => {
  await using client = createClient({ fetchers: [echo] })
  const failed = new Error('There is no such file.')
  const list = {
    [Symbol.iterator]: (): Iterator<string> => {
      throw failed
    },
  }
  await expect(client.retrieveAll(list).next()).rejects.toBe(failed)
})

test('what cannot be retrieved waits for no place', async () => {
  const silent = fakeHttp((_, { deadline }) => deadline.unlimited(() => new Promise(() => {})))
  await using client = createClient({ fetchers: [silent], concurrency: 1 })
  const batch = client.retrieveAll(['http://h/', 'nothing:'])
  expect((await batch.next()).value).toMatchObject({ index: 1, error: { code: 'unknown-scheme' } })
  await batch.return()
})

test('the error of an asynchronous list comes out of the loop', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'http://h/1'
    throw new Error('The list broke.')
  }
  await using client = createClient({ fetchers: [echo] })
  const all = async (): Promise<void> => {
    for await (const { representation } of client.retrieveAll(broken())) await representation?.text()
  }
  await expect(all()).rejects.toThrow('The list broke.')
})

test.each(['two URLs', 'an endless list'])(
  'return() ends a batch of %s while its next outcome is waited for',
  async (of) => {
    const aborted: string[] = []
    const silent = fakeHttp((_, { deadline }) => deadline.unlimited(() => new Promise(() => {})))
    await using client = createClient({
      fetchers: [silent],
      concurrency: 2,
      onEvent: (event) => event.type === 'done' && aborted.push(event.error?.code ?? 'done'),
    })
    const batch = client.retrieveAll(of === 'two URLs' ? ['http://h/1', 'http://h/2'] : endlessList().list)
    const next = batch.next()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await batch.return()).toEqual({ done: true, value: undefined })
    expect(await next).toEqual({ done: true, value: undefined })
    await new Promise((resolve) => setImmediate(resolve))
    expect(aborted).toEqual(['aborted', 'aborted'])
  },
)

test('an abort after the end of the list leaves an outcome for each URL, and is no error of the loop', async () => {
  const silent = fakeHttp((_, { deadline }) => deadline.unlimited(() => new Promise(() => {})))
  await using client = createClient({ fetchers: [silent], concurrency: 2 })
  const controller = new AbortController()
  const urls = ['http://h/1', 'http://h/2', 'http://h/3']
  const batch = client.retrieveAll(urls, { signal: controller.signal })
  const first = batch.next()
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  controller.abort()
  expect((await first).value?.error?.code).toBe('aborted')
  const codes: unknown[] = []
  for await (const { error } of batch) codes.push(error?.code)
  expect(codes).toEqual(['aborted', 'aborted'])
})

test('those that have not begun by then come in the order of the list, whatever their hosts', async () => {
  const silent = fakeHttp((_, { deadline }) => deadline.unlimited(() => new Promise(() => {})))
  await using client = createClient({ fetchers: [silent] })
  const controller = new AbortController()
  const urls = ['a', 'a', 'b', 'c', 'b', 'a', 'c'].map((host) => `http://${host}/`)
  const batch = client.retrieveAll(urls, { signal: controller.signal, perHost: 1 })
  const first = batch.next()
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  controller.abort()
  const indexes = [(await first).value?.index]
  for await (const { index } of batch) indexes.push(index)
  const begun = [0, 2, 3]
  expect(indexes.filter((index) => index !== undefined && !begun.includes(index))).toEqual([1, 4, 5, 6])
})

test('a batch that is left leaves no timer of a host that rests', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await using client = createClient({ fetchers: [echo] })
  const batch = client.retrieveAll(['http://h/1', 'http://h/2'], { interval: 3_600_000 })
  await (await batch.next()).value?.representation?.text()
  await batch.return()
  expect(vi.getTimerCount()).toBe(0)
})

test('R43: an abort ends a batch with an endless list', async () => {
  const { list, left } = endlessList()
  const controller = new AbortController()
  await using client = createClient({ fetchers: [echo], concurrency: 3 })
  const reason = new Error('Enough.')
  let seen = 0
  const all = async (): Promise<void> => {
    for await (const { representation } of client.retrieveAll(list, { signal: controller.signal })) {
      await representation?.text().catch(() => {})
      if (++seen === 10) controller.abort(reason)
    }
  }
  expect(await failure(all())).toMatchObject({ code: 'aborted', cause: reason })
  expect(seen).toBeLessThan(20)
  expect(left()).toBe(true)
})

test('R43: the signal of an item ends that one alone', async () => {
  await using client = createClient({ fetchers: [echo] })
  const items = [{ url: 'http://h/1', options: { signal: AbortSignal.abort() } }, 'http://h/2']
  const codes: string[] = []
  const { signal } = new AbortController()
  for await (const { index, representation, error } of client.retrieveAll(items, { signal })) {
    codes[index] = error?.code ?? (await representation?.text()) ?? ''
  }
  expect(codes).toEqual(['aborted', '/2 '])
})

test('the signal of a batch ends a URL that has its own, and keeps nothing of it', async () => {
  // On Node 20, a signal keeps something of each one that AbortSignal.any() has made of it.
  const any = vi.spyOn(AbortSignal, 'any')
  onTestFinished(() => any.mockRestore())
  await using client = createClient({ fetchers: [echo] })
  const batch = new AbortController()
  const owns = [new AbortController(), new AbortController(), new AbortController()]
  const items = owns.map(({ signal }, n) => ({ url: `http://h/${n}`, options: { signal } }))
  const outcomes = client.retrieveAll(items, { signal: batch.signal })
  const bodies: Representation[] = []
  while (bodies.length < 2) bodies.push((await outcomes.next()).value?.representation as Representation)
  expect(any).not.toHaveBeenCalled()
  const [first, second] = bodies
  owns[first?.url === 'http://h/0' ? 0 : 1]?.abort()
  await expect(first?.text()).rejects.toMatchObject({ code: 'aborted' })
  batch.abort()
  await expect(second?.text()).rejects.toMatchObject({ code: 'aborted' })
  expect(getEventListeners(batch.signal, 'abort')).toEqual([])
})

test('an undefined option of an item leaves that of the batch', async () => {
  let begun = 0
  const controller = new AbortController()
  const silent = fakeHttp((_, { deadline }) => {
    // By the next turn, the list has been read to its end.
    if (++begun === 2) setImmediate(() => controller.abort())
    return deadline.unlimited(() => new Promise(() => {}))
  })
  await using client = createClient({ fetchers: [silent], concurrency: 2 })
  const items = ['1', '2', '3', '4', '5'].map((path) => ({
    url: path,
    options: { signal: undefined, base: undefined },
  }))
  const batch = client.retrieveAll(items as unknown as BatchItem[], { signal: controller.signal, base: 'http://h/' })
  for (let n = 0; n < 3; n++) expect((await batch.next()).value?.error?.code).toBe('aborted')
  expect(begun).toBe(2)
})

test('close() ends a batch, and later ones reject', async () => {
  const { list, left } = endlessList()
  const client = createClient({ fetchers: [fakeHttp(() => retrieved(endless().body))], concurrency: 2 })
  const all = async (): Promise<void> => {
    for await (const _ of client.retrieveAll(list)) await client.close()
  }
  expect(await failure(all())).toMatchObject({ code: 'aborted', message: expect.stringContaining('closed') })
  expect(left()).toBe(true)
  expect(await failure(client.retrieveAll(['http://h/']).next())).toMatchObject({ code: 'aborted' })
})

test('a paused batch begins nothing, and goes on when it is resumed', async () => {
  await using client = createClient({ fetchers: [echo], concurrency: 2 })
  const { list, read } = endlessList()
  const batch = client.retrieveAll(list)
  const first = await batch.next()
  expect(first.done).toBe(false)
  batch.pause()
  expect(batch.isPaused).toBe(true)
  // Another batch of the client is not paused, and shows that time has passed.
  const others: number[] = []
  for await (const { index } of client.retrieveAll(Array(20).fill('http://h/'))) others.push(index)
  const paused = read()
  for await (const { index } of client.retrieveAll(Array(20).fill('http://h/'))) others.push(index)
  expect([others.length, read()]).toEqual([40, paused])
  batch.resume()
  for (let n = 0; n < 10; n++) expect((await batch.next()).done).toBe(false)
  expect(read()).toBeGreaterThan(paused)
  await batch.return()
})

test('mapAll reads, maps and yields; what throws is an outcome', async () => {
  await using client = createClient({ fetchers: [echo], concurrency: 2 })
  const values: unknown[] = []
  const use = async (representation: Representation, { index }: { readonly index: number }): Promise<string> => {
    if (index === 1) throw new SyntaxError('Not mine.')
    if (index === 3) throw 'a text'
    // The second is left unread.
    return index === 2 ? 'unread' : representation.text()
  }
  const urls = [0, 1, 2, 3].map((n) => ({ url: `http://h/${n}`, key: `key ${n}` }))
  for await (const { index, key, value, error } of client.mapAll([...urls, 'http://h/missing'], use)) {
    values[index] = [key, error === null ? value : error]
  }
  expect(values).toEqual([
    ['key 0', '/0 '],
    ['key 1', new SyntaxError('Not mine.')],
    ['key 2', 'unread'],
    ['key 3', new Error('mapAll: the function threw a text.', { cause: 'a text' })],
    [undefined, expect.any(RetrievalError)],
  ])
})

test.each(['a list', 'an async list'])(
  '%s that throws: the outcomes of the URLs that it gave come first',
  async (kind) => {
    const failed = new Error('The file of URLs cannot be read on.')
    function* list() {
      yield 'http://h/a'
      yield 'http://h/b'
      throw failed
    }
    async function* later() {
      yield* list()
    }
    await using client = createClient({ fetchers: [echo], perHost: 1 })
    for (const call of ['retrieveAll', 'mapAll'] as const) {
      const urls = kind === 'a list' ? list() : later()
      const batch =
        call === 'retrieveAll'
          ? client.retrieveAll(urls)
          : client.mapAll(urls, (representation) => representation.text())
      const seen: string[] = []
      const read = async () => {
        for await (const { url, error } of batch) seen.push(`${url} ${error}`)
      }
      await expect(read()).rejects.toBe(failed)
      expect(seen).toEqual(['http://h/a null', 'http://h/b null'])
    }
  },
)

test('the error of a retrieval that a batch ends shows no password', async () => {
  const errors: unknown[] = []
  const silent = fakeHttp((_, { deadline }) => deadline.unlimited(() => new Promise(() => {})))
  await using client = createClient({
    fetchers: [silent],
    onEvent: (event) => event.type === 'done' && errors.push(event.error),
  })
  const batch = client.retrieveAll(['http://alice:s3cret@h/1'])
  const next = batch.next()
  await new Promise((resolve) => setImmediate(resolve))
  await batch.return()
  await next
  await new Promise((resolve) => setImmediate(resolve))
  const told = expect.stringContaining('@h/1')
  expect(errors).toEqual([expect.objectContaining({ code: 'aborted', phase: 'request', message: told, url: told })])
  expect(inspect(errors, { depth: 9 }) + JSON.stringify(errors)).not.toContain('s3cret')
})

test('a service that is no resource is an error of its own', async () => {
  await using client = createClient()
  const { value } = await client.retrieveAll(['telnet://h.invalid/']).next()
  expect(value?.error?.code).toBe('handoff')
})

test('an asynchronous list without a URL has no outcomes', async () => {
  async function* none(): AsyncGenerator<string> {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await using client = createClient({ fetchers: [echo] })
  expect(await client.retrieveAll(none()).next()).toEqual({ done: true, value: undefined })
})

test('of a batch whose signal has aborted before, nothing is read', async () => {
  const { list, read } = endlessList()
  await using client = createClient({ fetchers: [echo] })
  const batch = client.retrieveAll(list, { signal: AbortSignal.abort() })
  expect(await failure(batch.next())).toMatchObject({ code: 'aborted' })
  expect(read()).toBe(0)
})

test('a client that is closed before a batch has its places ends it', async () => {
  const { list, read } = endlessList()
  const client = createClient({ fetchers: [echo] })
  const next = client.retrieveAll(list).next()
  await client.close()
  expect(await failure(next)).toMatchObject({ code: 'aborted', message: expect.stringContaining('closed') })
  expect(read()).toBe(0)
})

test('what ends a batch first is its error', async () => {
  const { list } = endlessList()
  const silent = fakeHttp((_, { deadline }) => deadline.unlimited(() => new Promise(() => {})))
  const client = createClient({ fetchers: [silent], concurrency: 1 })
  const controller = new AbortController()
  const reason = new Error('Enough.')
  const batch = client.retrieveAll(list, { signal: controller.signal })
  const first = batch.next()
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  controller.abort(reason)
  await client.close()
  await first
  const all = async (): Promise<void> => {
    for await (const { error } of batch) expect(error?.code).toBe('aborted')
  }
  expect(await failure(all())).toMatchObject({ cause: reason })
})

test('a batch that is paused before it begins reads nothing, and goes on at once when it is resumed', async () => {
  await using client = createClient({ fetchers: [echo] })
  const { list, read } = endlessList()
  const batch = client.retrieveAll(list)
  batch.resume()
  batch.pause()
  const next = batch.next()
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  // The first one is read to know whether there is one.
  expect(read()).toBe(1)
  batch.resume()
  expect((await next).value?.index).toBe(0)
  await batch.return()
})

test('after a hundred URLs that are read at once, other work has its turn', async () => {
  const counts: number[] = []
  let read = 0
  function* list(): Generator<string> {
    for (; read < 1000; read++) {
      if (read === 0) setImmediate(() => counts.push(read))
      yield 'http://full/'
    }
  }
  const silent = fakeHttp((_, { deadline }) => deadline.unlimited(() => new Promise(() => {})))
  await using client = createClient({ fetchers: [silent], perHost: 1 })
  const batch = client.retrieveAll(list())
  const next = batch.next()
  while (counts.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(counts[0]).toBe(99)
  await batch.return()
  await next
})
