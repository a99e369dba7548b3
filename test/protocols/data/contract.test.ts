import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { bytesOf, deepFreeze, failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'
import { everyOctet } from '../../support/contract/octets.ts'

const url = `data:application/octet-stream;base64,${Buffer.from(everyOctet).toString('base64')}`

/** A data URL contacts nothing and lacks nothing, so of the contract only this is left. */
describe('data keeps the contract of a fetcher', () => {
  test('the bytes are the resource, and nothing is opened', async () => {
    const before = openHandles()
    const events: string[] = []
    const onEvent = ({ type }: { readonly type: string }): void => void events.push(type)
    await using client = createClient(deepFreeze({ limits: {}, policy: { publicOnly: true }, onEvent }))
    const representation = await client.retrieve(url)
    expect(representation).toMatchObject({
      kind: 'object',
      mechanism: 'data',
      mediaType: 'application/octet-stream',
      charset: null,
      size: everyOctet.length,
      completeness: 'verified',
    })
    expect(Buffer.from(await representation.bytes()).equals(everyOctet)).toBe(true)
    expect(events).toEqual(['resolved', 'progress', 'done'])
    expect(await handlesSince(before)).toEqual([])
  })

  test('twice, and several at a time', async () => {
    await using client = createClient()
    const all = await Promise.all(Array.from({ length: 5 }, () => bytesOf(client, url)))
    expect(all.every((octets) => octets.equals(everyOctet))).toBe(true)
  })

  test.each([
    ['data:,hi%20x', 'text/plain', 'us-ascii', 'hi x'],
    ['data:;charset=iso-8859-7,%be%d3', 'text/plain', 'iso-8859-7', 'ΎΣ'],
    ['data:TEXT/HTML;CHARSET=UTF-8,%C3%A9', 'text/html', 'utf-8', 'é'],
    ['data:text/plain; base64 ,aGk', 'text/plain', null, 'hi'],
    ['data:image/svg+xml;utf8,<svg>', 'image/svg+xml', null, '<svg>'],
    ['data:x(y/z,t', 'text/plain', 'us-ascii', 't'],
    ['data:,', 'text/plain', 'us-ascii', ''],
  ])('%s', async (url, mediaType, charset, text) => {
    await using client = createClient()
    const representation = await client.retrieve(url)
    expect([representation.mediaType, representation.charset]).toEqual([mediaType, charset])
    expect(await representation.text()).toBe(text)
  })

  test('limits.maxSize, an aborted signal, a range', async () => {
    await using little = createClient({ limits: { maxSize: everyOctet.length - 1 } })
    expect(await failureOf(bytesOf(little, url))).toMatchObject({ code: 'limit-exceeded' })
    const signal = AbortSignal.abort('no more')
    expect(await failureOf(little.retrieve(url, { signal }))).toMatchObject({ code: 'aborted', cause: 'no more' })
    expect(await failureOf(little.retrieve(url, { range: [0, 1] }))).toMatchObject({ code: 'range-refused' })
  })

  test('threats.md case 90: too long, badly escaped, without a comma', async () => {
    await using client = createClient()
    const half = `data:;base64,${'QUJD'.repeat(1024 * 1024)}`
    expect((await bytesOf(client, half)).length).toBe(3 * 1024 * 1024)
    const long = `data:;base64,${'QUJD'.repeat(2 * 1024 * 1024)}`
    expect(await failureOf(client.retrieve(long))).toMatchObject({ code: 'limit-exceeded' })
    for (const bad of ['data:,%zz', 'data:text/plain;base64']) {
      expect(await failureOf(client.retrieve(bad))).toMatchObject({ code: 'malformed-url' })
    }
  })

  test('a redirect does not lead to it', async () => {
    const retrieve = async () => ({ outcome: 'redirect', location: 'data:,x', status: 302 }) as const
    await using client = createClient({ fetchers: [{ mechanism: 'http', retrieve }] })
    expect(await failureOf(client.retrieve('http://h/'))).toMatchObject({ code: 'refused' })
  })
})
