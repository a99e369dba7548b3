import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { bytesOf, deepFreeze, failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'

const url = 'mailto:joe@example.com?subject=Lunch&body=At%20one%3F'

/** A mailto URL contacts nothing and lacks nothing, so of the contract only this is left. */
describe('mailto keeps the contract of a fetcher', () => {
  test('the bytes are the draft, and nothing is opened', async () => {
    const before = openHandles()
    const events: string[] = []
    const onEvent = ({ type }: { readonly type: string }): void => void events.push(type)
    await using client = createClient(deepFreeze({ limits: {}, policy: { publicOnly: true }, onEvent }))
    const representation = await client.retrieve(url)
    const draft = await representation.bytes()
    expect(representation).toMatchObject({
      kind: 'object',
      mechanism: 'mailto',
      mediaType: 'message/rfc822',
      charset: null,
      size: draft.length,
      completeness: 'verified',
    })
    expect(events).toEqual(['resolved', 'progress', 'done'])
    expect(await handlesSince(before)).toEqual([])
  })

  test('twice, and several at a time', async () => {
    await using client = createClient()
    const all = await Promise.all(Array.from({ length: 5 }, () => bytesOf(client, url)))
    expect(all.every((octets) => octets.equals(all[0] ?? Buffer.of()))).toBe(true)
  })

  test('limits.maxSize, an aborted signal, a range', async () => {
    await using little = createClient({ limits: { maxSize: 20 } })
    expect(await failureOf(bytesOf(little, url))).toMatchObject({ code: 'limit-exceeded' })
    const signal = AbortSignal.abort('no more')
    expect(await failureOf(little.retrieve(url, { signal }))).toMatchObject({ code: 'aborted', cause: 'no more' })
    expect(await failureOf(little.retrieve(url, { range: [0, 1] }))).toMatchObject({ code: 'range-refused' })
  })

  test('a redirect does not lead to it', async () => {
    const retrieve = async () => ({ outcome: 'redirect', location: url, status: 302 }) as const
    await using client = createClient({ fetchers: [{ mechanism: 'http', retrieve }] })
    expect(await failureOf(client.retrieve('http://h/'))).toMatchObject({ code: 'refused' })
  })
})
