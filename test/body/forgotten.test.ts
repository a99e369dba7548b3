/** Bodies that nobody reads are given back when they are collected. */
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Client, createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { reply } from '../protocols/http/support/http-answers.ts'
import { type Asked, scriptedHttp } from '../protocols/http/support/scripted-http.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Collects garbage until it has come true; gives up after 200 turns. */
async function collectUntil(isDone: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 200 && !isDone(); turn++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return isDone()
}

/** A body of which the rest never comes. */
async function endless() {
  const sockets: Asked['socket'][] = []
  const server = await scriptedHttp(({ socket }) => {
    sockets.push(socket)
    return reply(200, { 'Content-Length': '1000000' }, 'begun')
  })
  return { server, isClosed: () => sockets.length > 0 && sockets.every(({ destroyed }) => destroyed) }
}

const forgetting: readonly [string, (client: Client, url: string) => Promise<unknown>][] = [
  ['a representation', (client, url) => client.retrieve(url)],
  ['a Response of fetch()', (client, url) => client.fetch(url)],
  ['a Response whose body was looked at', async (client, url) => (await client.fetch(url)).body],
  ['a stream', async (client, url) => (await client.retrieve(url)).body],
  ['a Response made of a representation', async (client, url) => (await client.retrieve(url)).toResponse()],
]

test.each(forgetting)(
  '%s that nobody reads closes its connection once it is collected; a kept one does not',
  async (_, open) => {
    const [forgotten, kept] = [await endless(), await endless()]
    await using _forgotten = forgotten.server
    await using _kept = kept.server
    await using client = createClient()
    const held = await open(client, kept.server.url)
    await open(client, forgotten.server.url).then(() => undefined)
    expect(await collectUntil(forgotten.isClosed)).toBe(true)
    expect([kept.isClosed(), held]).toEqual([false, expect.anything()])
  },
)

test('a Node stream that is read goes on, though its representation is collected', async () => {
  const [forgotten, kept] = [await endless(), await endless()]
  await using _forgotten = forgotten.server
  await using _kept = kept.server
  await using client = createClient()
  const stream = await client.retrieve(kept.server.url).then((representation) => representation.nodeStream())
  const [chunk] = await once(stream, 'data')
  expect(String(chunk)).toBe('begun')
  await client.retrieve(forgotten.server.url).then(() => undefined)
  expect(await collectUntil(forgotten.isClosed)).toBe(true)
  expect(kept.isClosed()).toBe(false)
  stream.destroy()
})

test('a place of a batch is given back', async () => {
  const { server, isClosed } = await endless()
  await using _server = server
  await using client = createClient({ perHost: 1 })
  const batch = client.retrieveAll([server.url, server.url])
  await batch.next().then(() => undefined)
  const second = batch.next()
  let came = false
  second.then(() => {
    came = true
  })
  expect(await collectUntil(() => came)).toBe(true)
  expect(isClosed()).toBe(false)
  await batch.return?.()
})

test('an abort reaches the body of a Request that has been collected', async () => {
  const { server, isClosed } = await endless()
  await using _server = server
  await using client = createClient()
  const controller = new AbortController()
  const ask = () => new Request(server.url, { signal: controller.signal })
  const response = await client.fetch(ask())
  let isCollected = false
  const others = new FinalizationRegistry(() => {
    isCollected = true
  })
  others.register(ask(), null)
  const text = response.text()
  expect(await collectUntil(() => isCollected)).toBe(true)
  controller.abort('stop')
  await expect(text).rejects.toBe('stop')
  expect(await collectUntil(isClosed)).toBe(true)
})
