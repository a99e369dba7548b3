import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesOf, deepFreeze, failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'
import { lines, picture, related } from './support/messages.ts'

let folder = ''
let base = ''
const url = 'cid:foo4%25foo1@bar.net'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  await writeFile(join(folder, 'mail.eml'), lines(...related('m@h', 'foo4%foo1@bar.net')))
  base = pathToFileURL(join(folder, 'mail.eml')).href
})

afterAll(() => rm(folder, { recursive: true }))

/** The message is retrieved by other fetchers, which keep the contract themselves; this is left of it. */
describe('message keeps the contract of a fetcher', () => {
  test('the bytes are the part, and nothing stays open', async () => {
    const before = openHandles()
    const events: RetrievalEvent[] = []
    await using client = createClient(
      deepFreeze({ limits: {}, policy: {}, onEvent: (event) => void events.push(event) }),
    )
    const representation = await client.retrieve(url, deepFreeze({ base }))
    expect(representation).toMatchObject({
      kind: 'object',
      mechanism: 'message',
      mediaType: 'image/png',
      charset: null,
      size: picture.length,
      completeness: 'verified',
      metadata: { base, number: '2', messageId: 'm@h', contentId: 'foo4%foo1@bar.net', name: 'p.png' },
    })
    expect(picture.equals(await representation.bytes())).toBe(true)
    const own = events.filter(({ id }) => id === events[0]?.id).map(({ type }) => type)
    expect(own).toEqual(['resolved', 'progress', 'done'])
    expect(await handlesSince(before)).toEqual([])
  })

  test('twice, and several at a time', async () => {
    await using client = createClient()
    const all = await Promise.all(Array.from({ length: 5 }, () => bytesOf(client, url, { base })))
    expect(all.every((octets) => octets.equals(picture))).toBe(true)
    for await (const each of client.retrieveAll([url, url], { base })) {
      expect(each.error).toBe(null)
      await each.representation?.cancel()
    }
  })

  test('head: only the facts; a range is refused', async () => {
    await using client = createClient()
    const head = await client.retrieve(url, { base, head: true })
    expect(head).toMatchObject({ mediaType: 'image/png', size: picture.length })
    expect(await failureOf(client.retrieve(url, { base, range: [0, 1] }))).toMatchObject({ code: 'range-refused' })
  })

  test.each(['cid:', 'mid:'])(
    '%s without a base: the error names the option, and nothing is contacted',
    async (name) => {
      const events: string[] = []
      await using client = createClient({ onEvent: ({ type }) => void events.push(type) })
      const error = await failureOf(client.retrieve(`${name}a@b`))
      expect(error).toMatchObject({ code: 'invalid-option', phase: 'resolve', advice: { option: 'base' } })
      expect(error.message).toContain('`base`')
      expect(events).toEqual(['resolved', 'done'])
    },
  )

  test('an abort ends it', async () => {
    await using client = createClient()
    const signal = AbortSignal.abort()
    expect(await failureOf(client.retrieve(url, { base, signal }))).toMatchObject({ code: 'aborted' })
  })
})
