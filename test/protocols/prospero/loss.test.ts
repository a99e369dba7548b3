/** What packets that are lost or come twice cost, and a port without a server. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { startProsperoServer } from '@retriever/servers'
import { afterEach, expect, test, vi } from 'vitest'
import { body } from '../../support/outcome.ts'
import { type Fate, Relay } from './support/relay.ts'

const content = 'a line of a large file\n'.repeat(9000)
const answer =
  'ATTRIBUTE OBJECT INTRINSIC BASE-TYPE SEQUENCE FILE\n' +
  `ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA '${content}'\n`
/** 1250 octets a packet, 16 packets a window: each but the last is acknowledged. */
const packets = Math.ceil(answer.length / 1250)
const windows = Math.ceil(packets / 16)

async function retrieve(fateOf: () => Fate, idleTimeout: number) {
  await using server = await startProsperoServer({ faults: { replies: { 'GET-OBJECT-INFO': answer } } })
  await using relay = await Relay.start(server.port, fateOf)
  const { got, error } = await body(`${relay.url}/large`, { limits: { idleTimeout, maxRetries: 0 } })
  return { isWhole: got?.toString() === content, error, sent: relay.sent }
}

afterEach(() => void vi.useRealTimers())

/** Nothing is sent again because a busy machine was late: no timer of the client or the server fires. */
const withoutTimers = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

test('without losses, each packet is sent once', async () => {
  withoutTimers()
  const outcome = await retrieve(() => 'arrives', 2000)
  expect(outcome).toEqual({ isWhole: true, error: null, sent: { client: windows, server: packets } })
})

test('case 76, packets that come twice are not answered twice', async () => {
  withoutTimers()
  const outcome = await retrieve(() => 'is doubled', 2000)
  // The server answers the doubled request, and each doubled acknowledgement, by a window.
  expect(outcome).toMatchObject({ isWhole: true, error: null, sent: { client: windows } })
  expect(outcome.sent.server).toBeLessThanOrEqual(2 * packets)
})

test('where one of ten packets is lost, a file costs few packets more', async () => {
  for (const seed of [3, 10]) {
    const chance = randomOf(seed)
    const { isWhole, sent } = await retrieve(() => (chance() < 0.1 ? 'is lost' : 'arrives'), 10_000)
    expect(isWhole).toBe(true)
    expect(sent.server).toBeLessThan(3 * packets)
    expect(sent.client).toBeLessThan(6 * windows)
  }
})

test('a port without a server is connect-failed before the request is sent again', async () => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const closed = once(socket, 'close')
  socket.close()
  await closed
  const { error } = await body(`prospero://127.0.0.1:${port}//x`, { limits: { idleTimeout: 900, maxRetries: 0 } })
  expect(error).toMatchObject({ code: 'connect-failed', message: expect.stringContaining('nothing listens there') })
})

/** Numbers from 0 to 1 in an order that the seed decides (Park and Miller). */
function randomOf(seed: number): () => number {
  let state = seed * 7919
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
