import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { bytesOf, failureOf } from './observe.ts'
import type { Place, Subject } from './subject.ts'

/** The promises that a mechanism keeps when its server, or the way to it, fails. */
export function testConnection(subject: Subject): void {
  if (subject.stalls === undefined) return
  testSilence(subject)
  testEndings(subject)
  testFaults(subject)
}

function serverOf({ server }: Place): NonNullable<Place['server']> {
  if (server === undefined) throw new Error('a subject with stalls needs a server')
  return server
}

function testSilence({ start, stalls = [] }: Subject): void {
  test.each(stalls)('a server that goes silent (%s) is a timeout of phase %s', async (stall, phase) => {
    await using place = await start({ stall })
    await using client = createClient({ limits: { idleTimeout: 100, maxRetries: 0 } })
    const error = await failureOf(bytesOf(client, place.object))
    expect(error).toMatchObject({ code: 'timeout', phase })
    expect(error.message).toMatch(/idleTimeout/)
    await serverOf(place).waitForConnections(0)
  })

  test('limits.totalTimeout ends what is only slow', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient({ limits: { totalTimeout: 150 } })
    const error = await failureOf(bytesOf(client, place.object))
    expect(error).toMatchObject({ code: 'timeout' })
    expect(error.message).toMatch(/totalTimeout/)
    await serverOf(place).waitForConnections(0)
  })
}

function testEndings({ start, stalls = [] }: Subject): void {
  test.each(stalls.map(([stall]) => stall))('an abort closes the socket, whatever is awaited (%s)', async (stall) => {
    await using place = await start({ stall })
    const abort = new AbortController()
    await using client = createClient({
      // The last thing before the silence; where nothing is sent before it, the connection itself.
      onEvent: ({ type }) => {
        if (type === 'connected' || type === 'sent' || type === 'progress') {
          clearTimeout(timer)
          timer = setTimeout(() => abort.abort('enough'), 50)
        }
      },
    })
    let timer: NodeJS.Timeout | undefined
    const error = await failureOf(bytesOf(client, place.object, { signal: abort.signal }))
    expect(error).toMatchObject({ code: 'aborted', cause: 'enough' })
    await serverOf(place).waitForConnections(0)
  })

  test('a consumer that stops early closes the socket', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient()
    const representation = await client.retrieve(place.object)
    for await (const chunk of representation) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await serverOf(place).waitForConnections(0)
  })

  test('so does one that reads nothing at all', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient()
    {
      await using _unread = await client.retrieve(place.object)
    }
    await serverOf(place).waitForConnections(0)
  })

  test('and one that gives up a web stream in the middle', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient()
    const reader = (await client.retrieve(place.object)).body.getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(0)
    await reader.cancel()
    await serverOf(place).waitForConnections(0)
  })

  test('closing the client ends what is under way', async () => {
    await using place = await start({ stall: 'body' })
    const client = createClient()
    const running = failureOf(bytesOf(client, place.object))
    await expect.poll(() => serverOf(place).connections).toBeGreaterThan(0)
    await client.close()
    expect(await running).toMatchObject({ code: 'aborted' })
    await serverOf(place).waitForConnections(0)
  })
}

function testFaults({ start, bytes, entries, short }: Subject): void {
  test('a closed port is connect-failed', async () => {
    const place = await start()
    await place[Symbol.asyncDispose]()
    await using client = createClient()
    expect(await failureOf(bytesOf(client, place.object))).toMatchObject({ code: 'connect-failed', phase: 'connect' })
  })

  test.each(['bytes', 'split-crlf'] as const)(
    'however the segments are cut (%s), the bytes are the same',
    async (chunking) => {
      await using place = await start({ chunking })
      await using client = createClient()
      expect((await bytesOf(client, place.object)).equals(bytes)).toBe(true)
      if (place.listing !== undefined) {
        const listing = await client.retrieve(place.listing)
        const names: string[] = []
        for await (const { name } of listing.entries()) names.push(name)
        expect(names).toEqual(expect.arrayContaining([...entries]))
      }
      expect(await failureOf(bytesOf(client, place.missing))).toMatchObject({ code: 'not-found' })
    },
  )

  test('a reset in the body is partial', async () => {
    await using place = await start({ resetAfter: Math.floor(bytes.length / 2) })
    await using client = createClient({ limits: { maxRetries: 0 } })
    expect(await failureOf(bytesOf(client, place.object))).toMatchObject({ code: 'partial', phase: 'body' })
    await serverOf(place).waitForConnections(0)
  })

  test.runIf(short !== undefined)('a body that ends early is partial, whatever the server claims', async () => {
    await using place = await start({ shortBody: short ?? 0 })
    await using client = createClient({ limits: { maxRetries: 0 } })
    expect(await failureOf(bytesOf(client, place.object))).toMatchObject({ code: 'partial', phase: 'body' })
    await serverOf(place).waitForConnections(0)
  })

  test('a server of another protocol is no success', async () => {
    await using place = await start({ replies: { greeting: 'SSH-2.0-OpenSSH_9.2\r\n', '/pub/a.bin': 'SSH-2.0-x\r\n' } })
    if (serverOf(place).protocol === 'gopher') return // Anything is a Gopher document.
    await using client = createClient({ limits: { idleTimeout: 500, maxRetries: 0 } })
    const error = await failureOf(bytesOf(client, place.object))
    expect(error.code).toBe('protocol-violation')
    await serverOf(place).waitForConnections(0)
  })
}
