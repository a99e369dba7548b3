/** Jobs that share a connection, as many as the `inFlight` of their fetcher says, count for one place. */
import { createClient, type Fetcher } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { chunks, retrieved } from '../support/fake-fetcher.ts'

/** A fetcher of a mechanism that counts its jobs by host. */
function counting<Mechanism extends 'http' | 'gopher'>(mechanism: Mechanism, inFlight: number) {
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const change = (name: string, by: number): void => {
    const now = (running.get(name) ?? 0) + by
    running.set(name, now)
    most.set(name, Math.max(most.get(name) ?? 0, now))
  }
  const fetcher = {
    mechanism,
    inFlight,
    async retrieve({ host }: { readonly host: string }) {
      for (const name of [host, 'all']) change(name, 1)
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
      for (const name of [host, 'all']) change(name, -1)
      return retrieved(chunks('x'))
    },
  }
  return { fetcher: fetcher as unknown as Fetcher<Mechanism>, most }
}

const urlsOf = (place: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${place}/${n}`)

test('as many run as share the places of a host, and of the client', async () => {
  const { fetcher, most } = counting('http', 3)
  await using client = createClient({ fetchers: [fetcher], concurrency: 3, perHost: 2 })
  const urls = ['http://a', 'http://b'].flatMap((place) => urlsOf(place, 30))
  let came = 0
  for await (const { value } of client.mapAll(urls, (each) => each.text())) came += Number(value === 'x')
  expect([came, most.get('a'), most.get('b'), most.get('all')]).toEqual([60, 6, 6, 9])
})

test('those of another mechanism at the same port share none', async () => {
  const shared = counting('http', 3)
  const single = counting('gopher', 1)
  await using client = createClient({ fetchers: [shared.fetcher, single.fetcher], perHost: 1 })
  for (const urls of [urlsOf('http://a:8080', 9), urlsOf('gopher://a:8080', 9)]) {
    for await (const { error } of client.mapAll(urls, (each) => each.text())) expect(error).toBe(null)
  }
  expect([shared.most.get('a'), single.most.get('a')]).toEqual([3, 1])
})

test('results that the caller has not taken count for the places that they share', async () => {
  const { fetcher } = counting('http', 3)
  let begun = 0
  const counted = {
    ...fetcher,
    retrieve: (...asked: Parameters<typeof fetcher.retrieve>) => ++begun && fetcher.retrieve(...asked),
  }
  await using client = createClient({ fetchers: [counted as typeof fetcher], concurrency: 2, perHost: 2 })
  const batch = client.retrieveAll(urlsOf('http://a', 60))
  const counts: number[] = []
  for (let n = 0; n < 4; n++) {
    await batch.next()
    for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve))
    counts.push(begun)
  }
  // Six at first; the results of three URLs are those of a place, which is free when one of them is taken.
  expect(counts).toEqual([9, 9, 12, 12])
  let left = 0
  for await (const { error } of batch) left += Number(error === null)
  expect(left).toBe(56)
})
