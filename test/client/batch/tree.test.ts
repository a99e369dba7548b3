/** The retrievals of one walk or mirror: their options, and their places. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClientOptions, createClient, type Representation } from '@retriever/fetchers'
import { expect, onTestFinished, test } from 'vitest'
import { type CallOptions, openTree } from '../../../packages/fetchers/src/client/batch/tree-client.ts'
import { failure } from '../../support/failure.ts'
import { chunks, endless, fakeHttp, retrieved } from '../../support/fake-fetcher.ts'

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A tree at servers of all names, what was asked for, and the limits of each request. */
async function treeOf(concurrency?: number, call: Partial<CallOptions> = {}, options: ClientOptions = {}) {
  const asked: string[] = []
  const sizes: (readonly [number, number])[] = []
  const fetcher = fakeHttp(({ host, target }, { error, limits }) => {
    asked.push(host + target)
    sizes.push([limits.maxCollected, limits.maxReply])
    if (target === '/missing') throw error('not-found', 'No.')
    return retrieved(target === '/endless' ? endless().body : chunks('x'))
  })
  const client = createClient({ fetchers: [fetcher], ...options })
  const tree = await openTree(client, concurrency === undefined ? {} : { concurrency }, {
    limits: undefined,
    onEvent: undefined,
    onBody: undefined,
    policy: undefined,
    ...call,
  })
  const end = async (): Promise<void> => {
    await tree[Symbol.asyncDispose]()
    await client.close()
  }
  return { client, tree, asked, sizes, [Symbol.asyncDispose]: end }
}

test('the options of a request stand before those of the call, and both hear its events', async () => {
  const heard: string[] = []
  const hears =
    (name: string) =>
    ({ type }: { readonly type: string }) =>
      type === 'done' && heard.push(name)
  await using site = await treeOf(undefined, { limits: { maxCollected: 100, maxReply: 2000 }, onEvent: hears('call') })
  const bodies = [
    await site.tree.retrieve('http://a/'),
    await site.tree.retrieve('http://a/', {}),
    await site.tree.retrieve('http://a/', { limits: { maxCollected: 7 }, onEvent: hears('request') }),
  ]
  expect(site.sizes).toEqual([
    [100, 2000],
    [100, 2000],
    [7, 2000],
  ])
  for (const body of bodies) expect(await body.text()).toBe('x')
  expect(heard).toEqual(['call', 'call', 'request', 'call'])
  await using plain = await treeOf()
  await (await plain.tree.retrieve('http://a/', { limits: { maxCollected: 3000 } })).text()
  expect(plain.sizes.map(([size]) => size)).toEqual([3000])
})

test('a file is saved with them, too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tree-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using site = await treeOf(1, { limits: { maxCollected: 7, maxReply: 2000 } })
  const path = join(folder, 'x')
  await site.tree.save('http://a/', path, { signal: new AbortController().signal })
  expect([readFileSync(path, 'utf8'), site.sizes]).toEqual(['x', [[7, 2000]]])
  expect(site.tree.resolve('b', 'http://a/').url).toBe('http://a/b')
})

test('each has its place until its body is finished, or it fails, and those that wait begin in their order', async () => {
  await using site = await treeOf(1)
  const first = await site.tree.retrieve('http://a/endless')
  const others = ['b', 'missing', 'c', 'd'].map((name) => site.tree.retrieve(`http://${name}/${name}`))
  const failed = failure(others[1] as Promise<Representation>)
  await turns()
  expect(site.asked).toEqual(['a/endless'])
  await first.cancel()
  for (const name of ['b', 'c', 'd']) {
    const body = await others[['b', 'missing', 'c', 'd'].indexOf(name)]
    await turns()
    expect(site.asked.at(-1)).toBe(`${name}/${name}`)
    await body?.text()
  }
  expect([(await failed).code, site.asked.slice(1)]).toEqual(['not-found', ['b/b', 'missing/missing', 'c/c', 'd/d']])
})

test('without a number it has four places', async () => {
  await using site = await treeOf()
  const all = Array.from({ length: 6 }, (_, n) => site.tree.retrieve(`http://a/${n}`))
  await turns()
  expect(site.asked).toHaveLength(4)
  for (const each of all) await (await each).text()
})

test('the signal of a request ends its wait, and that of no other', async () => {
  await using site = await treeOf(1)
  const first = await site.tree.retrieve('http://a/endless')
  const [one, other] = [new AbortController(), new AbortController()]
  const waiting = [one, one, other].map(({ signal }, n) => site.tree.retrieve(`http://a/${n}`, { signal }))
  const last = site.tree.retrieve('http://a/last')
  one.abort()
  const codes = await Promise.all(waiting.slice(0, 2).map(async (each) => (await failure(each)).code))
  expect([codes, site.asked]).toEqual([['aborted', 'aborted'], ['a/endless']])
  // One whose signal has aborted before waits for no place.
  expect((await failure(site.tree.retrieve('http://a/9', { signal: one.signal }))).code).toBe('aborted')
  await first.cancel()
  expect(await (await waiting[2])?.text()).toBe('x')
  expect(await (await last).text()).toBe('x')
  expect(site.asked).toEqual(['a/endless', 'a/2', 'a/last'])
})

test('the end of the client ends all waits, and there are no further ones', async () => {
  await using site = await treeOf(1)
  await site.tree.retrieve('http://a/endless')
  const waiting = [{}, { signal: new AbortController().signal }].map((options) =>
    failure(site.tree.retrieve('http://a/', options)),
  )
  await site.client.close()
  expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(['aborted', 'aborted'])
  expect((await failure(site.tree.retrieve('http://a/'))).code).toBe('aborted')
  expect(site.asked).toEqual(['a/endless'])
})

test('a wrong option, and a service that is no resource, are errors', async () => {
  await using site = await treeOf()
  const wrong = { limit: -1 } as object
  for (let n = 0; n < 2; n++) {
    expect((await failure(site.tree.retrieve('http://a/', wrong))).code).toBe('invalid-option')
  }
  expect((await failure(site.tree.retrieve('telnet://h.invalid/'))).code).toBe('handoff')
})
