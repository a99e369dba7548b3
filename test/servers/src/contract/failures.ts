import { deepStrictEqual, equal, match, ok } from 'node:assert/strict'
import { silence, withoutWaiting } from './long-timers.ts'
import { bytesOf, entriesOf, failureOf, hasFields, sameOctets, serverOf } from './observe.ts'
import type { Suite } from './subject.ts'

/** Tests what a mechanism promises if its server, or the way to the server, fails. */
export function testFailures(suite: Suite): void {
  if (suite.subject.stalls === undefined) return
  testSilence(suite)
  testEndings(suite)
  testFaults(suite)
  testBodies(suite)
}

function testSilence({ subject, test, start }: Suite): void {
  const { createClient, stalls = [] } = subject

  for (const [stall, phase] of stalls) {
    test(`a server that goes silent (${stall}) is a timeout of phase ${phase} (R33)`, async () => {
      await using place = await start({ stall })
      await using client = createClient({ limits: { idleTimeout: silence, maxRetries: 0 } })
      const error = await withoutWaiting(() => failureOf(bytesOf(client, place.object)))
      hasFields(error, { code: 'timeout', phase })
      match(error.message, /idleTimeout/)
      await serverOf(place).waitForConnections(0)
    })

    test(`an abort closes the socket, whatever is awaited (${stall}) (R40)`, async () => {
      await using place = await start({ stall })
      const abort = new AbortController()
      let timer: NodeJS.Timeout | undefined
      await using client = createClient({
        // Aborts after the last event. It is the connection itself if the server goes silent before anything is sent.
        onEvent: ({ type }) => {
          if (type === 'connected' || type === 'sent' || type === 'progress') {
            clearTimeout(timer)
            timer = setTimeout(() => abort.abort('enough'), 50)
          }
        },
      })
      const error = await failureOf(bytesOf(client, place.object, { signal: abort.signal }))
      hasFields(error, { code: 'aborted', cause: 'enough' })
      await serverOf(place).waitForConnections(0)
    })
  }

  test('limits.totalTimeout ends a retrieval that is only slow (property 21)', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient({ limits: { totalTimeout: 150 } })
    const error = await failureOf(bytesOf(client, place.object))
    equal(error.code, 'timeout')
    match(error.message, /totalTimeout/)
    await serverOf(place).waitForConnections(0)
  })
}

function testEndings({ subject, test, start }: Suite): void {
  const { createClient, multiplexed = false } = subject

  test('a consumer that stops early closes the socket', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient()
    for await (const chunk of await client.retrieve(place.object)) {
      ok(chunk.length > 0)
      break
    }
    await serverOf(place).waitForConnections(0)
  })

  test('a consumer that reads nothing at all closes the socket', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient()
    {
      await using _unread = await client.retrieve(place.object)
    }
    if (multiplexed) await client.close()
    await serverOf(place).waitForConnections(0)
  })

  test('a consumer that gives up a web stream in the middle closes the socket', async () => {
    await using place = await start({ stall: 'body' })
    await using client = createClient()
    const reader = (await client.retrieve(place.object)).body.getReader()
    ok(((await reader.read()).value?.length ?? 0) > 0)
    await reader.cancel()
    await serverOf(place).waitForConnections(0)
  })

  test('closing the client ends its retrievals', async () => {
    await using place = await start({ stall: 'body' })
    const client = createClient()
    const connected = serverOf(place).waitForConnections(1)
    const running = failureOf(bytesOf(client, place.object))
    await connected
    await client.close()
    equal((await running).code, 'aborted')
    await serverOf(place).waitForConnections(0)
  })
}

function testFaults({ subject, test, start }: Suite): void {
  const { createClient, bytes, entries = [], unframed = false } = subject

  test('a closed port is connect-failed', async () => {
    const place = await start()
    await place[Symbol.asyncDispose]()
    await using client = createClient()
    hasFields(await failureOf(bytesOf(client, place.object)), { code: 'connect-failed', phase: 'connect' })
  })

  for (const chunking of ['bytes', 'split-crlf'] as const) {
    test(`however the segments are cut (${chunking}), the bytes are the same (property 11)`, async () => {
      await using place = await start({ chunking })
      await using client = createClient()
      sameOctets(await bytesOf(client, place.object), bytes)
      if (place.listing !== undefined) {
        const names = (await entriesOf(await client.retrieve(place.listing))).map(({ name }) => name)
        deepStrictEqual(
          entries.filter((name) => !names.includes(name)),
          [],
        )
      }
      if (place.missing !== undefined) equal((await failureOf(bytesOf(client, place.missing))).code, 'not-found')
    })
  }

  if (unframed) return
  test('a server of another protocol is no success, but a coded error (property 14)', async () => {
    const ssh = 'SSH-2.0-OpenSSH_9.2\r\n'
    const healthy = await start()
    const { pathname } = new URL(healthy.object)
    await healthy[Symbol.asyncDispose]()
    await using place = await start({ replies: { greeting: ssh, [pathname]: ssh } })
    await using client = createClient({ limits: { idleTimeout: 20_000, maxRetries: 0 } })
    equal((await failureOf(bytesOf(client, place.object))).code, 'protocol-violation')
    await serverOf(place).waitForConnections(0)
  })
}

function testBodies({ subject, test, start }: Suite): void {
  const { createClient, bytes, short, multiplexed = false } = subject

  test('a reset in the body is partial (property 12)', async () => {
    await using place = await start({ resetAfter: Math.floor(bytes.length / 2) })
    await using client = createClient({ limits: { maxRetries: 0 } })
    hasFields(await failureOf(bytesOf(client, place.object)), { code: 'partial', phase: 'body' })
    await serverOf(place).waitForConnections(0)
  })

  if (short === undefined) return
  test('a body that ends early is partial, whatever the server claims (property 18)', async () => {
    await using place = await start({ shortBody: short })
    await using client = createClient({ limits: { maxRetries: 0 } })
    hasFields(await failureOf(bytesOf(client, place.object)), { code: 'partial', phase: 'body' })
    if (multiplexed) await client.close()
    await serverOf(place).waitForConnections(0)
  })
}
