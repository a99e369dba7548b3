import { deepStrictEqual, doesNotThrow, equal, match, ok } from 'node:assert/strict'
import { bytesOf, entriesOf, failureOf, hasFields, sameOctets } from './observe.ts'
import type { Suite } from './subject.ts'

const KINDS = /^(file|directory|link|search|article|group|service|info|other)$/

/** Tests what a retrieval gives. */
export function testRetrieval({ subject, test, start }: Suite): void {
  const { createClient, bytes, entries = [] } = subject

  test('the bytes are the resource', async () => {
    await using place = await start()
    await using client = createClient()
    const representation = await client.retrieve(place.object)
    hasFields(representation, { kind: 'object', url: place.object })
    sameOctets(await representation.bytes(), bytes)
    if (representation.size !== null) equal(representation.size, bytes.length)
    match(representation.completeness, /^(verified|terminated|eof-only)$/)
  })

  test('one client retrieves it twice', async () => {
    await using place = await start()
    await using client = createClient()
    for (let time = 0; time < 3; time++) sameOctets(await bytesOf(client, place.object), bytes)
  })

  test('several at a time do not mix', async () => {
    await using place = await start()
    await using client = createClient()
    const all = await Promise.all(Array.from({ length: 5 }, () => bytesOf(client, place.object)))
    for (const octets of all) sameOctets(octets, bytes)
  })

  test('a missing resource is not-found, and the server says so in its own words', async () => {
    await using place = await start()
    if (place.missing === undefined) return
    await using client = createClient()
    const error = await failureOf(bytesOf(client, place.missing))
    equal(error.code, 'not-found')
    ok(error.message.startsWith(`${place.missing}: `), error.message)
    if (place.server) ok(error.reply)
  })

  test('a listing has entries of the one schema', async () => {
    await using place = await start()
    if (place.listing === undefined) return
    await using client = createClient()
    const representation = await client.retrieve(place.listing)
    equal(representation.kind, 'listing')
    const found = await entriesOf(representation)
    const names = found.map(({ name }) => name)
    deepStrictEqual(
      entries.filter((name) => !names.includes(name)),
      [],
    )
    for (const { url, kind } of found) {
      match(kind, KINDS)
      if (url !== null) doesNotThrow(() => client.resolve(url), url)
    }
  })

  test('the URL of an entry can be retrieved', async () => {
    await using place = await start()
    if (place.listing === undefined) return
    await using client = createClient()
    const found = await entriesOf(await client.retrieve(place.listing))
    const urls = found.flatMap(({ name, url }) => (url !== null && entries.includes(name) ? [url] : []))
    equal(urls.length, entries.length)
    for (const url of urls) await bytesOf(client, url)
  })
}
