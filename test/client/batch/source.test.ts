/** The list of a batch, read one element at a time. */
import { expect, test, vi } from 'vitest'
import type { BatchEntry } from '../../../packages/fetchers/src/client/batch/outcome.ts'
import { checkSource, isItem, priorityOf, readerOf } from '../../../packages/fetchers/src/client/batch/source.ts'

/** All elements. */
async function allOf(source: Iterable<BatchEntry<unknown>> | AsyncIterable<BatchEntry<unknown>>) {
  const reader = readerOf(source)
  const listed: unknown[] = []
  for (let next = await reader.next(); next !== null; next = await reader.next()) listed.push([next.entry, next.index])
  return { reader, listed }
}

async function* later(...entries: readonly string[]) {
  yield* entries
}

test.each<[string, Iterable<string> | AsyncIterable<string>, isInMemory: boolean]>([
  ['an array', ['a', 'b'], true],
  ['a set', new Set(['a', 'b']), false],
  ['an asynchronous list', later('a', 'b'), false],
])('%s has its elements and their positions', async (_, source, isInMemory) => {
  expect(readerOf(source).isOver).toBe(false)
  const { reader, listed } = await allOf(source)
  expect(listed).toEqual([
    ['a', 0],
    ['b', 1],
  ])
  expect([reader.isOver, reader.isInMemory, await reader.next()]).toEqual([true, isInMemory, null])
})

test('an array is sorted by priority, and a hole is an element of it', async () => {
  const low = { url: 'low', priority: -1 }
  const high = { url: 'high', priority: 2 }
  const none = { url: 'none' }
  // biome-ignore lint/suspicious/noSparseArray: a hole is no URL, and has an outcome.
  const { listed } = await allOf([low, 'text', none, , high] as BatchEntry<unknown>[])
  expect(listed).toEqual([
    [high, 4],
    ['text', 1],
    [none, 2],
    [undefined, 3],
    [low, 0],
  ])
  expect((await allOf([low, high])).listed).toEqual([
    [high, 1],
    [low, 0],
  ])
  // biome-ignore lint/suspicious/noSparseArray: see above.
  const plain = await allOf(['a', , 'b'] as string[])
  expect(plain.listed).toEqual([
    ['a', 0],
    [undefined, 1],
    ['b', 2],
  ])
})

test('an item is an object that is neither a URL nor a Resolution', () => {
  expect([{ url: 'a' }, {}].map((each) => isItem(each as never))).toEqual([true, true])
  const others = ['a', null, undefined, new URL('http://h/'), { plan: {} }]
  expect(others.map((each) => isItem(each as never))).toEqual([false, false, false, false, false])
  const entries = [{ url: 'a', priority: 3 }, { url: 'a' }, 'a', { plan: {}, priority: 3 }]
  expect(entries.map((each) => priorityOf(each as never))).toEqual([3, 0, 0, 0])
})

test.each(['a', null, undefined, 7, {}, () => []])('%s is no list', (value) => {
  expect(() => checkSource(value)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
})

test('what has an iterator is one', () => {
  for (const value of [[], new Set(), later()]) expect(checkSource(value)).toBe(undefined)
})

/** A list that counts how often it is left. */
function leavable(next: () => unknown, isLate: boolean) {
  const left = vi.fn(() => ({ done: true, value: undefined }))
  const iterator = { next, return: left }
  const list = { [isLate ? Symbol.asyncIterator : Symbol.iterator]: () => iterator }
  return { reader: readerOf(list as unknown as AsyncIterable<string>), left, iterator }
}

test('a list is left once, unless it has ended or thrown', async () => {
  const endings = [
    [false, () => ({ done: true, value: undefined })],
    [true, async () => ({ done: true, value: undefined })],
    [
      false,
      () => {
        throw new Error('Broken.')
      },
    ],
    [true, () => Promise.reject(new Error('Broken.'))],
  ] as const
  for (const [isLate, next] of endings) {
    const { reader, left } = leavable(next, isLate)
    await (async () => reader.next())().catch(() => {})
    await reader.close()
    expect([reader.isOver, left.mock.calls.length]).toEqual([true, 0])
  }
  for (const isLate of [false, true]) {
    const { reader, left } = leavable(() => ({ done: false, value: 'a' }), isLate)
    expect(await reader.next()).toEqual({ entry: 'a', index: 0 })
    expect(reader.isOver).toBe(false)
    await reader.close()
    await reader.close()
    expect([reader.isOver, left.mock.calls.length]).toEqual([true, 1])
  }
})

test('a list that cannot be left is not, and one is whole afterwards', async () => {
  for (const isLate of [false, true]) {
    const { reader, iterator } = leavable(() => ({ done: false, value: 'a' }), isLate)
    Reflect.deleteProperty(iterator, 'return')
    await reader.close()
    expect(reader.isOver).toBe(true)
  }
  const array = readerOf(['a'])
  await array.close()
  expect(array.next()).toEqual({ entry: 'a', index: 0 })
})

test('one that is being read is left without a wait, and any other with one', async () => {
  const failed = new Error('It cannot be left.')
  const reading = leavable(() => new Promise(() => {}), true)
  reading.left.mockImplementation((() => new Promise(() => {})) as never)
  void reading.reader.next()
  await reading.reader.close()
  expect(reading.left).toHaveBeenCalledTimes(1)
  const broken = leavable(() => new Promise(() => {}), true)
  broken.left.mockImplementation((() => Promise.reject(failed)) as never)
  void broken.reader.next()
  await broken.reader.close()
  const idle = leavable(async () => ({ done: false, value: 'a' }), true)
  idle.left.mockImplementation((() => Promise.reject(failed)) as never)
  await idle.reader.next()
  await expect(idle.reader.close()).rejects.toBe(failed)
})
