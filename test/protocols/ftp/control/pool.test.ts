/** How many connections there are, and what becomes of those that have gone bad. */
import { setImmediate } from 'node:timers/promises'
import { type ClientOptions, createClient } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { type FtpServerOptions, startFtpServer, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { failure as failureOf } from '../../../support/failure.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { explicitTls, scriptedTrial, type Trial, trial } from '../support/ftp-trial.ts'
import { type FtpPeer, mortal, sending } from '../support/scripted-ftp.ts'

describe('at most so many connections to a host', () => {
  const held = (all: Trial, count: number) =>
    Promise.all(Array.from({ length: count }, () => all.retrieve('pub/data.bin')))
  const place: FtpServerOptions = { files: { '/pub/data.bin': octets } }
  const connections = (count: number): ClientOptions => ({ fetchers: [ftpFetcher({ connections: count })] })

  // needs: pooling
  test('four; the fifth retrieval waits, and takes over a session', () =>
    trial(place, async (all) => {
      const four = await held(all, 4)
      expect(all.server.accepted).toBe(4)
      const fifth = all.retrieve('pub/data.bin')
      for (const body of four) expectSame(await body.bytes(), octets)
      expectSame(await (await fifth).bytes(), octets)
      expect(all.server.accepted).toBe(4)
    }))

  // needs: pooling
  test('twenty at once, over four connections', () =>
    trial(place, async (all) => {
      const bodies = await Promise.all(Array.from({ length: 20 }, () => all.get('pub/data.bin')))
      for (const body of bodies) expectSame(body, octets)
      expect(all.server.accepted).toBeLessThanOrEqual(4)
    }))

  // needs: pooling
  test('one, by option: the next comes after a good end, a refusal, a cancelled and a broken body', () =>
    trial(
      { ...place, bigSize: 2 ** 28 },
      async (all) => {
        const { failure, get, retrieve, server } = all
        const first = await retrieve('big')
        const rest = [get('pub/data.bin'), failure('pub/none'), get('pub/data.bin'), get('pub/data.bin')] as const
        await first.cancel()
        const [one, , two] = await Promise.all(rest)
        expectSame(one, octets)
        expectSame(two, octets)
        server.setFaults({ shortBody: 1 })
        expect(await failure('pub/data.bin')).toMatchObject({ code: 'partial' })
        server.setFaults({})
        expectSame(await get('pub/data.bin'), octets)
        await server.waitForConnections(1)
      },
      connections(1),
    ))

  // needs: pooling
  test('a retrieval that waits can be aborted, and delays no other', () =>
    trial(
      place,
      async (all) => {
        const [first] = await held(all, 1)
        const controller = new AbortController()
        const waiting = all.failure('pub/data.bin', { signal: controller.signal })
        const next = all.get('pub/data.bin')
        controller.abort()
        expect(await waiting).toMatchObject({ code: 'aborted' })
        await first?.bytes()
        expectSame(await next, octets)
        expect(all.server.accepted).toBe(1)
      },
      connections(1),
    ))

  // needs: pooling
  test('a retrieval that waits is aborted when the client closes', () =>
    trial(
      place,
      async (all) => {
        await held(all, 1)
        const waiting = all.failure('pub/data.bin')
        await all.client.close()
        expect(await waiting).toMatchObject({ code: 'aborted' })
        expect(all.server.accepted).toBe(1)
      },
      connections(1),
    ))

  // needs: pooling
  test('waiting is no silence of the server', () =>
    trial(
      place,
      async (all) => {
        const [first] = await held(all, 1)
        const next = all.get('pub/data.bin')
        // Longer than the server may be silent.
        await new Promise((done) => setTimeout(done, 700))
        await first?.bytes()
        expectSame(await next, octets)
      },
      { ...connections(1), limits: { idleTimeout: 500 } },
    ))

  // needs: pooling
  test('the option is a whole number of 1 or more', () => {
    for (const count of [0, 1.5, -1, '4', Number.NaN]) {
      expect(() => ftpFetcher({ connections: count } as object)).toThrow(/`ftpFetcher\.connections` to be a/)
    }
  })
})

describe('a session that the server has closed while idle is no error of the next retrieval', () => {
  const deaths: readonly (readonly [string, (peer: FtpPeer) => void])[] = [
    ['FIN', (peer) => void peer.control.end()],
    ['RST', (peer) => void peer.control.resetAndDestroy()],
    ['421, FIN', (peer) => void peer.control.end('421 idle too long\r\n')],
    ['421 in two lines, FIN', (peer) => void peer.control.end('421-idle\r\n421 too long\r\n')],
    ['421 alone', (peer) => peer.say('421 idle too long\r\n')],
  ]

  test.each(deaths)('%s while it is idle', (_, die) =>
    scriptedTrial({}, async ({ server, get }) => {
      await get('a/hello.txt')
      const [first] = server.peers
      if (first === undefined) return expect.fail('no connection')
      die(first)
      await first.closed
      expect((await get('a/hello.txt')).toString()).toBe('Hello, world.\n')
      expect(server.peers).toHaveLength(2)
    }),
  )

  test.each(deaths)('%s, which crosses the next command', (_, die) =>
    scriptedTrial(mortal(die), async ({ server, get }) => {
      await get('a/hello.txt')
      expect((await get('a/hello.txt')).toString()).toBe('Hello, world.\n')
      expect((await get('b/hello.txt')).toString()).toBe('Hello, world.\n')
      expect(server.peers.length).toBeGreaterThanOrEqual(2)
    }),
  )

  test('a host that has gone for good is an error', async () => {
    await using client = createClient()
    const server = await startFtpServer()
    await (await client.retrieve(`${server.url}pub/hello.txt`)).text()
    await server.close()
    expect(await failureOf(client.retrieve(`${server.url}pub/hello.txt`))).toMatchObject({ code: 'connect-failed' })
  })
})

describe('case 39: a reply that was not asked for', () => {
  // needs: pooling
  test.each([
    ['a reply', '200 hello\r\n'],
    ['a final reply of a transfer', '226 done once more\r\n'],
    ['a port', '229 Extended (|||25|)\r\n'],
    ['no reply', 'what?\r\n'],
    ['a line without end', 'x'.repeat(10_000)],
  ])('%s on an idle session: it is closed, and never used again', (_, stray) =>
    scriptedTrial({}, async ({ server, get }) => {
      await get('hello.txt')
      const [first] = server.peers
      if (first === undefined || first.control.destroyed) return expect.fail('the session was not kept')
      first.say(stray)
      await first.closed
      expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
      expect(server.peers).toHaveLength(2)
    }),
  )

  test.each([
    ['half a reply', '22'],
    ['the beginning of a reply of several lines', '200-hello\r\n'],
  ])('%s, which the reply to the next command would end: a new connection', (_, stray) =>
    scriptedTrial({}, async ({ server, get }) => {
      await get('hello.txt')
      server.peers[0]?.say(stray)
      // The client reads it in the next turn of the event loop, which ends with the second of these.
      await setImmediate()
      await setImmediate()
      expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
      expect(server.peers).toHaveLength(2)
    }),
  )

  test('empty lines, which some servers put between their replies, mean nothing', () =>
    scriptedTrial({}, async ({ server, get }) => {
      await get('hello.txt')
      server.peers[0]?.say('\r\n\r\n')
      expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
    }))

  test('glued to the final reply of a transfer: that transfer is whole, and the session is closed', () =>
    scriptedTrial(
      { RETR: sending('Hello, world.\n', '150 -\r\n', '226 done\r\n200 surprise\r\n') },
      async ({ server, get }) => {
        expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
        expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
        expect(server.peers).toHaveLength(2)
      },
    ))
})

test('a client that is never closed by name is closed by `await using`', async () => {
  await using server = await startFtpServer({ tls: true })
  {
    await using client = createClient({ tls: { ca: testCa }, schemes: [explicitTls] })
    await (await client.retrieve(`${server.url}pub/hello.txt`)).text()
  }
  await server.waitForConnections(0)
})
