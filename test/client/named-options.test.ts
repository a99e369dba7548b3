/** Options that one mechanism alone honours stand under its name, others stand flat. */
import type { Advice } from '@retriever/core'
import { createClient, type Fetcher, retrieve } from '@retriever/fetchers'
import { createClient as createBare } from '@retriever/fetchers/client'
import type { RequestOptions } from '@retriever/fetchers/internal'
import { texts } from '@retriever/fetchers/plugin'
import { describe, expect, test } from 'vitest'
import { clientKinds } from '../../packages/fetchers/src/client/client-options.ts'
import { sharedRows } from '../../packages/fetchers/src/kit/shared-rows.ts'
import { builtinProtocols } from '../../packages/fetchers/src/protocols/index.ts'
import { remarks } from '../support/events.ts'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { ownMechanism, ownScheme } from '../support/own-scheme.ts'

const protocols = builtinProtocols({ localHosts: [] })
const named = protocols.filter(({ options }) => options !== undefined)

describe('where an option stands', () => {
  test.each(Object.entries(sharedRows))('%s is flat: several mechanisms honour it, or the client', (name, row) => {
    const by = protocols.filter(({ honours }) => Object.hasOwn(honours, name))
    expect(row.isEverywhere === true || by.length > 1).toBe(true)
  })

  test.each(named)('those of $mechanism alone have names that no flat one has', ({ mechanism, options = {} }) => {
    expect(Object.keys(options).length).toBeGreaterThan(0)
    expect(Object.keys(options).filter((name) => Object.hasOwn(sharedRows, name))).toEqual([])
    // retrieve() takes the options of a client, too.
    expect(Object.keys({ ...clientKinds, ...sharedRows, ssh: true, nfs: true, builtins: true })).not.toContain(
      mechanism,
    )
  })
})

/** The request that a fetcher of HTTP gets. */
async function askedFor(
  run: (client: ReturnType<typeof createClient>) => AsyncIterable<unknown>,
): Promise<RequestOptions[]> {
  const asked: RequestOptions[] = []
  const fetcher = fakeHttp((_, { request }) => {
    asked.push(request)
    return retrieved(chunks('x'))
  })
  await using client = createClient({ fetchers: [fetcher] })
  for await (const _ of run(client)) {
    // The outcomes have no body that matters.
  }
  return asked
}

describe('the old, flat place', () => {
  test.each([
    ['compressed', true, 'http'],
    ['split', 4, 'http'],
    ['ifNoneMatch', '"x"', 'http'],
    ['relevantTo', [], 'wais'],
    ['followAccess', true, 'prospero'],
  ])('%s is refused, and the new one named', async (name, value, home) => {
    await using client = createClient()
    const options = { [name]: value } as never
    const expected = {
      code: 'invalid-option',
      message: `There is no option \`${name}\`: give \`${home}.${name}\`, as in { ${home}: { ${name}: ... } }.`,
      advice: { option: `${home}.${name}` },
    }
    expect(await failure(client.retrieve('http://h/', options))).toMatchObject(expected)
    expect(await failure(client.explain('http://h/', options))).toMatchObject(expected)
    expect(await failure(client.save('http://h/', 'x', options))).toMatchObject(expected)
    expect(await failure(retrieve('http://h/', options))).toMatchObject(expected)
    expect(() => client.retrieveAll([], options)).toThrow(expected.message)
    await expect(client.fetch('http://h/', options)).rejects.toThrow(/Expected `\w+` to be absent/)
  })

  test('of a tree, too; an option that no tree takes is unknown there', async () => {
    await using client = createClient()
    const old = client.walk('ftp://h/', { compressed: true } as never)
    await expect(old[Symbol.asyncIterator]().next()).rejects.toThrow(
      'There is no option `compressed`: give `http.compressed`',
    )
    const other = client.walk('ftp://h/', { http: { split: 2 } } as never)
    await expect(other[Symbol.asyncIterator]().next()).rejects.toThrow(
      'Expected `http.split` to be one of virtualHost, compressed, got "split"',
    )
  })
})

describe('the checks of a member', () => {
  test.each([
    [{ http: { split: 17 } }, 'Expected `http.split` to be a whole number from 1 to 16, got 17 (number).'],
    [{ http: { spilt: 2 } }, 'Expected `http.spilt` to be one of ifNoneMatch, virtualHost, '],
    [{ http: true }, 'Expected `http` to be an object of options, got true (boolean).'],
    [{ wais: { relevantTo: 'x' } }, 'Expected `wais.relevantTo` to be an array of strings, got "x" (string).'],
  ])('%j', async (options, message) => {
    await using client = createClient()
    const error = await failure(client.retrieve('http://h/', options as never))
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining(message) })
  })

  test('a step that gives on a wrong one is told, too', async () => {
    const fetchers = [fakeHttp(() => retrieved(chunks('x')))]
    await using client = createClient({
      fetchers,
      use: [(request, next) => next({ ...request, http: { ...request.http, split: 17 } })],
    })
    expect(await failure(client.retrieve('http://h/'))).toMatchObject({ advice: { option: 'http.split' } })
  })
})

test('of the options of a batch, those of an item replace member by member', async () => {
  const asked = await askedFor((client) =>
    client.retrieveAll(
      [
        'http://h/1',
        { url: 'http://h/2', options: { http: { fail: false, split: undefined as never } } },
        { url: 'http://h/3', options: { http: { split: 1 }, headers: { 'X-B': 'b' } } },
        { url: 'http://h/4', options: { http: undefined as never } },
      ],
      { http: { compressed: true, split: 4 }, headers: { 'X-A': 'a' }, concurrency: 1 },
    ),
  )
  const headers = { 'X-A': 'a' }
  expect(asked).toEqual([
    { http: { compressed: true, split: 4 }, headers },
    { http: { compressed: true, split: 4, fail: false }, headers },
    { http: { compressed: true, split: 1 }, headers: { 'X-B': 'b' } },
    { http: { compressed: true, split: 4 }, headers },
  ])
})

test('another origin gets the options of HTTP without the virtual host', async () => {
  const asked: unknown[] = []
  const fetcher = fakeHttp((_, { request }) => {
    asked.push(request.http)
    const to = { outcome: 'redirect', location: 'http://b.example/', status: 302 } as const
    return asked.length === 1 ? to : retrieved(chunks('x'))
  })
  await using client = createClient({ fetchers: [fetcher] })
  const http = { virtualHost: 'www.example.org', compressed: true }
  await (await client.retrieve('http://a.example/', { http })).cancel()
  expect(asked).toEqual([http, { compressed: true }])
})

describe('a fetcher of your own has options of its own', () => {
  const rows = { words: { kind: texts, neutral: undefined, extent: 'objects' } } as const
  const own = {
    mechanism: ownMechanism,
    honours: ['limit'],
    options: rows,
    retrieve: async () => retrieved(chunks('x'), { kind: 'listing' }) as never,
  } satisfies Fetcher

  test('a client knows them, with all protocols or none', async () => {
    for (const make of [createClient, createBare]) {
      const told: unknown[] = []
      await using client = make({
        fetchers: [own],
        schemes: [ownScheme],
        onEvent: (event) => told.push(event),
      })
      const wrong = client.retrieve('own://h/', { own: { words: 'a' } } as never)
      expect(await failure(wrong)).toMatchObject({ code: 'invalid-option', advice: { option: 'own.words' } })
      await (await client.retrieve('own://h/', { own: { words: ['a'] } } as never)).cancel()
      expect(remarks(told as never)).toEqual([
        'The option `own.words` has no effect: own supports it for objects only.',
      ])
    }
  })

  test.each([
    ['no rows', { ...own, options: { words: true } }],
    ['an unknown extent', { ...own, options: { words: { kind: own.options.words.kind, extent: 'some' } } }],
    ['the name of an option of a client', { ...own, mechanism: 'limits' }],
    ['the name of an option of a retrieval', { ...own, mechanism: 'limit' }],
  ])('but not with %s', (_, fetcher) => {
    expect(() => createClient({ fetchers: [fetcher as never] })).toThrow(/Expected `\w+\.options` to be an object of/)
  })

  test('a client without HTTP knows none of HTTP', async () => {
    await using client = createBare({ fetchers: [own], schemes: [ownScheme] })
    const error = await failure(client.retrieve('own://h/', { http: { compressed: true } }))
    expect(String(error)).toMatch(/Expected `http` to be one of .*, own, got/)
  })
})

test('advice names a path that exists', () => {
  const right: Advice[] = [{ option: 'http.compressed' }, { option: 'limits.maxSize' }, { option: 'tls.proxy.pins' }]
  // @ts-expect-error: a misspelt member
  right.push({ option: 'http.compresed' })
  // @ts-expect-error: an old place
  right.push({ option: 'compressed' })
  expect(right).toHaveLength(5)
})
