import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { resolve, type TelnetPlan } from '@retriever/core'
import { defaultLimits, type RetrievalContext } from '@retriever/fetchers/plugin'
import { expect, test } from 'vitest'
import { Deadline } from '../../../packages/fetchers/src/plugin/deadline.ts'
import { TelnetSession } from '../../../packages/fetchers/src/telnet/session.ts'

/** A connection whose other side never reads. */
class StuckSocket extends Duplex {
  written = 0
  override _read(): void {}
  override _write(octets: Buffer): void {
    this.written += octets.length
  }
}

const { plan } = resolve('telnet://h/')

test('a server that asks without end, and reads no answer, is read no more', async () => {
  const url = 'telnet://h/'
  const deadline = new Deadline(url, defaultLimits)
  // The rest of a context is not used.
  const context = { url, deadline, limits: defaultLimits, emit: () => {} } as unknown as RetrievalContext
  const socket = new StuckSocket()
  const session = new TelnetSession(socket as unknown as Socket, plan as TelnetPlan, context, {})
  session.resume()
  for (let round = 0; round < 100; round++) {
    socket.push(Buffer.from('\xff\xfd\x05'.repeat(5000), 'latin1'))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(socket.isPaused()).toBe(true)
  expect(socket.writableLength).toBeLessThan(100_000)
  session.destroy()
})
