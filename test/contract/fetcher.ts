import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { testConnection } from './connection.ts'
import { bytesOf, deepFreeze, everythingIn, failureOf, handlesSince, openHandles } from './observe.ts'
import type { Subject } from './subject.ts'

/**
 * The promises of every mechanism, seen through createClient. A fetcher that passes may be used like any other; what
 * only its protocol has is tested beside it.
 */
export function testFetcher(subject: Subject): void {
  describe(`${subject.mechanism} keeps the contract of a fetcher`, () => {
    testRetrieval(subject)
    testManners(subject)
    testConnection(subject)
  })
}

function testRetrieval({ start, bytes, entries }: Subject): void {
  test('the bytes are the resource', async () => {
    await using place = await start()
    await using client = createClient()
    const representation = await client.retrieve(place.object)
    expect(representation).toMatchObject({ kind: 'object', url: place.object })
    expect(Buffer.from(await representation.bytes()).equals(bytes)).toBe(true)
    if (representation.size !== null) expect(representation.size).toBe(bytes.length)
    expect(representation.completeness).toMatch(/^(verified|terminated|eof-only)$/)
  })

  test('twice, by one client, too', async () => {
    await using place = await start()
    await using client = createClient()
    for (let time = 0; time < 3; time++) expect((await bytesOf(client, place.object)).equals(bytes)).toBe(true)
  })

  test('several at a time do not mix', async () => {
    await using place = await start()
    await using client = createClient()
    const all = await Promise.all(Array.from({ length: 5 }, () => bytesOf(client, place.object)))
    expect(all.every((octets) => octets.equals(bytes))).toBe(true)
  })

  test('what is not there is not-found, and the server says so in its own words', async () => {
    await using place = await start()
    await using client = createClient()
    const error = await failureOf(bytesOf(client, place.missing))
    expect(error).toMatchObject({ code: 'not-found' })
    expect(error.message.startsWith(`${place.missing}: `), error.message).toBe(true)
    if (place.server) expect(error.reply).toBeTruthy()
  })

  test('a listing has entries of the one schema', async () => {
    await using place = await start()
    if (place.listing === undefined) return
    await using client = createClient()
    const representation = await client.retrieve(place.listing)
    expect(representation.kind).toBe('listing')
    const found = await entriesOf(representation)
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining([...entries]))
    for (const { url, kind } of found) {
      expect(kind).toMatch(/^(file|directory|link|search|article|group|service|info|other)$/)
      if (url !== null) expect(() => client.resolve(url), url).not.toThrow()
    }
  })

  test('the URL of an entry leads on', async () => {
    await using place = await start()
    if (place.listing === undefined) return
    await using client = createClient()
    const representation = await client.retrieve(place.listing)
    const urls: string[] = []
    for await (const { name, url } of representation.entries()) {
      if (url !== null && entries.includes(name)) urls.push(url)
    }
    expect(urls).toHaveLength(entries.length)
    for (const url of urls) await (await client.retrieve(url)).bytes()
  })
}

function testManners({ start, bytes }: Subject): void {
  test('nothing stays open once the client is closed', async () => {
    await using place = await start()
    const before = openHandles()
    const client = createClient()
    await bytesOf(client, place.object)
    await failureOf(bytesOf(client, place.missing))
    await (await client.retrieve(place.object)).cancel()
    await client.retrieve(place.object)
    await client.close()
    expect(await handlesSince(before)).toEqual([])
    await place.server?.waitForConnections(0)
  })

  test('the options of the caller are not written to', async () => {
    await using place = await start()
    const options: ClientOptions = deepFreeze({
      fetchers: [],
      schemes: [],
      policy: {},
      limits: { maxSize: 1e9 },
      tls: {},
      defaults: { newsServer: 'news.example' },
    })
    const before = JSON.stringify(options)
    await using client = createClient(options)
    const request = deepFreeze({ base: place.object })
    expect((await bytesOf(client, place.object, request)).equals(bytes)).toBe(true)
    expect(JSON.stringify(options)).toBe(before)
  })

  test('a body over limits.maxSize is refused, at the limit it is not', async () => {
    await using place = await start()
    await using enough = createClient({ limits: { maxSize: bytes.length } })
    expect(await bytesOf(enough, place.object)).toHaveLength(bytes.length)
    await using little = createClient({ limits: { maxSize: bytes.length - 1 } })
    expect(await failureOf(bytesOf(little, place.object))).toMatchObject({ code: 'limit-exceeded' })
    await Promise.all([enough.close(), little.close()])
    await place.server?.waitForConnections(0)
  })

  test('a signal that was aborted before lets nothing begin', async () => {
    await using place = await start()
    await using client = createClient()
    const error = await failureOf(client.retrieve(place.object, { signal: AbortSignal.abort('no more') }))
    expect(error).toMatchObject({ code: 'aborted', cause: 'no more' })
    if (place.server) expect(place.server.accepted).toBe(0)
  })

  test('a listener on the signal does not outlive the retrieval', async () => {
    await using place = await start()
    await using client = createClient()
    const { signal } = new AbortController()
    let listeners = 0
    const count = (by: number, method: (...args: never[]) => void) =>
      Object.assign((...args: never[]) => {
        listeners += by
        return method.apply(signal, args)
      })
    Object.assign(signal, {
      addEventListener: count(1, signal.addEventListener),
      removeEventListener: count(-1, signal.removeEventListener),
    })
    await bytesOf(client, place.object, { signal })
    await failureOf(bytesOf(client, place.missing, { signal }))
    expect(listeners).toBe(0)
  })

  test('the events tell the story, from resolved to done', async () => {
    await using place = await start()
    const events: RetrievalEvent[] = []
    await using client = createClient({ onEvent: (event) => void events.push(event) })
    await bytesOf(client, place.object)
    expect(events[0]?.type).toBe('resolved')
    expect(events.at(-1)).toMatchObject({ type: 'done', received: bytes.length, error: null })
    if (place.server) expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['connected', 'sent']))
    await failureOf(bytesOf(client, place.missing))
    expect(events.at(-1)).toMatchObject({ type: 'done', error: { code: 'not-found' } })
  })

  test('a password shows nowhere: not in the error, its cause or stack, nor in an event', async () => {
    const secret = 'pl4nted-s3cr3t'
    for (const faults of [
      {},
      { stall: 'greeting' },
      { replies: { greeting: '500 no\r\n' } },
      { resetAfter: 0 },
    ] as const) {
      await using place = await start(faults)
      const url = place.login?.('mallory', secret)
      if (url === undefined) return
      const events: RetrievalEvent[] = []
      await using client = createClient({
        limits: { idleTimeout: 100, maxRetries: 0 },
        onEvent: (event) => void events.push(event),
      })
      const error = await failureOf(bytesOf(client, url))
      expect(everythingIn(error)).not.toContain(secret)
      expect(JSON.stringify(events)).not.toContain(secret)
    }
  })
}
