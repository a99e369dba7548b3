import { createClient, isHandoff, isRepresentation, Representation } from '@retriever/fetchers'
import { expect, test, vi } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

test('a guard knows the representations and handoffs of another copy of the package', async () => {
  vi.resetModules()
  const other: typeof import('@retriever/fetchers') = await import('@retriever/fetchers')
  expect(other.Representation).not.toBe(Representation)
  await using client = other.createClient({ fetchers: [fakeHttp(() => retrieved(chunks('a')))] })
  const representation = await client.open('http://h/')
  expect(representation).not.toBeInstanceOf(Representation)
  expect([isRepresentation(representation), isHandoff(representation)]).toEqual([true, false])
  const handoff = await client.open('telnet://h/')
  expect([isRepresentation(handoff), isHandoff(handoff)]).toEqual([false, true])
})

test.each([undefined, null, 'x', 1, {}, { outcome: 'retrieved' }, { url: 'http://h/', metadata: {} }, createClient])(
  'neither guard takes %s for its own',
  (value) => {
    expect([isRepresentation(value), isHandoff(value)]).toEqual([false, false])
  },
)
