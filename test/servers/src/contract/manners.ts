import { deepStrictEqual, equal, ok } from 'node:assert/strict'
import { silence, withoutWaiting } from './long-timers.ts'
import {
  bytesOf,
  deepFreeze,
  everythingIn,
  failureOf,
  handlesSince,
  hasFields,
  openHandles,
  sameOctets,
} from './observe.ts'
import type { ContractEvent, Suite } from './subject.ts'

/** Tests how a retrieval treats the process, the options and the secrets of its caller. */
export function testManners(suite: Suite): void {
  testLeftovers(suite)
  testSignals(suite)
  testEvents(suite)
}

function testLeftovers({ subject, test, start }: Suite): void {
  const { createClient, bytes } = subject

  test('nothing stays open once the client is closed (property 21)', async () => {
    await using place = await start()
    const before = openHandles()
    const client = createClient()
    await bytesOf(client, place.object)
    if (place.missing !== undefined) await failureOf(bytesOf(client, place.missing))
    await (await client.retrieve(place.object)).cancel()
    await client.retrieve(place.object)
    await client.close()
    deepStrictEqual(await handlesSince(before), [])
    await place.server?.waitForConnections(0)
  })

  test('the options of the caller are not written to', async () => {
    await using place = await start()
    const options = deepFreeze({
      fetchers: [] as const,
      schemes: [] as const,
      policy: {},
      limits: { maxSize: 1e9 },
      tls: {},
      defaults: { newsServer: 'news.example' },
    })
    const before = JSON.stringify(options)
    await using client = createClient(options)
    sameOctets(await bytesOf(client, place.object, deepFreeze({ base: place.object })), bytes)
    equal(JSON.stringify(options), before)
  })

  test('a body over limits.maxSize is refused, at the limit it is not (property 13)', async () => {
    await using place = await start()
    await using enough = createClient({ limits: { maxSize: bytes.length } })
    equal((await bytesOf(enough, place.object)).length, bytes.length)
    await using little = createClient({ limits: { maxSize: bytes.length - 1 } })
    equal((await failureOf(bytesOf(little, place.object))).code, 'limit-exceeded')
    await Promise.all([enough.close(), little.close()])
    await place.server?.waitForConnections(0)
  })
}

function testSignals({ subject, test, start }: Suite): void {
  const { createClient } = subject

  test('a signal that was aborted before lets nothing begin', async () => {
    await using place = await start()
    await using client = createClient()
    const error = await failureOf(client.retrieve(place.object, { signal: AbortSignal.abort('no more') }))
    hasFields(error, { code: 'aborted', cause: 'no more' })
    if (place.server) equal(place.server.accepted, 0)
  })

  test('a listener on the signal does not outlive the retrieval', async () => {
    await using place = await start()
    await using client = createClient()
    const { signal } = new AbortController()
    let listeners = 0
    const count =
      (by: number, method: (...args: never[]) => void) =>
      (...args: never[]): void => {
        listeners += by
        method.apply(signal, args)
      }
    Object.assign(signal, {
      addEventListener: count(1, signal.addEventListener),
      removeEventListener: count(-1, signal.removeEventListener),
    })
    await bytesOf(client, place.object, { signal })
    if (place.missing !== undefined) await failureOf(bytesOf(client, place.missing, { signal }))
    equal(listeners, 0)
  })
}

function testEvents({ subject, test, start }: Suite): void {
  const { createClient, bytes } = subject

  test('the events tell the story, from resolved to done', async () => {
    await using place = await start()
    const events: ContractEvent[] = []
    await using client = createClient({ onEvent: (event) => void events.push(event) })
    await bytesOf(client, place.object)
    equal(events[0]?.type, 'resolved')
    hasFields(events.at(-1), { type: 'done', received: bytes.length, error: null })
    const types = events.map(({ type }) => type)
    if (place.server) ok(types.includes('connected') && types.includes('sent'), types.join(', '))
    if (place.missing === undefined) return
    await failureOf(bytesOf(client, place.missing))
    const last: ContractEvent & { readonly error?: unknown } = events.at(-1) ?? { type: 'none' }
    equal(last.type, 'done')
    hasFields(Object(last.error), { code: 'not-found' })
  })

  test('a password shows nowhere: not in the error, its cause or stack, nor in an event (case 47)', async () => {
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
      const events: ContractEvent[] = []
      await using client = createClient({
        limits: { idleTimeout: silence, maxRetries: 0 },
        onEvent: (event) => void events.push(event),
      })
      const error = await withoutWaiting(() => failureOf(bytesOf(client, url)))
      ok(!everythingIn(error).includes(secret), 'the error shows the password')
      ok(!JSON.stringify(events).includes(secret), 'an event shows the password')
    }
  })
}
