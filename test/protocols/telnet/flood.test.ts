import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { resolve } from '@retriever/core'
import type { TelnetPlan } from '@retriever/core/internal'
import { defaultLimits, type RetrievalContext } from '@retriever/fetchers/plugin'
import { expect, test } from 'vitest'
import { RetrievalDeadline } from '../../../packages/fetchers/src/kit/deadline.ts'
import { TelnetSession } from '../../../packages/fetchers/src/protocols/telnet/session.ts'

/** A connection whose other side never reads. */
class StuckSocket extends Duplex {
  written = 0
  override _read(): void {}
  override _write(octets: Buffer): void {
    this.written += octets.length
  }
}

/** A connection whose other side reads all. */
class PassThroughSocket extends Duplex {
  override _read(): void {}
  override _write(_octets: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done()
  }
}

const { plan } = resolve('telnet://h/')

test('case 65, property 13: a server that asks without end, and reads no answer, is read no more', async () => {
  const url = 'telnet://h/'
  const deadline = new RetrievalDeadline(url, defaultLimits)
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

const [options, send] = ['\x18\x23\x27', (option: string) => `\xff\xfa${option}\x01\xff\xf0`]
test.each([
  ['subnegotiations', [...options].map(send).join('').repeat(20_000)],
  ['sizes', '\xff\xfe\x1f\xff\xfd\x1f'.repeat(60_000)],
])('case 65, of one connection, a server gets at most 100 answers to its %s', async (_what, flood) => {
  for (const size of [flood.length, 1000]) {
    const url = 'telnet://h/'
    const deadline = new RetrievalDeadline(url, defaultLimits)
    const sent: string[] = []
    const emit = (event: { readonly type: string; readonly octets?: string }): void => {
      if (event.type === 'sent' && event.octets?.startsWith('IAC SB ')) sent.push(event.octets)
    }
    // The rest of a context is not used.
    const context = { url, deadline, limits: defaultLimits, emit } as unknown as RetrievalContext
    const socket = new PassThroughSocket()
    const environment = { USER: 'alice', LANG: 'C' }
    const told = { terminalType: 'vt100', displayLocation: ':0', environment, columns: 80, rows: 24 }
    const session = new TelnetSession(socket as unknown as Socket, plan as TelnetPlan, context, told)
    session.resume()
    const wills = [...options, '\x1f'].map((option) => `\xff\xfd${option}`).join('')
    for (const piece of [wills, ...(flood.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])]) {
      socket.push(Buffer.from(piece, 'latin1'))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(sent).toHaveLength(100)
    session.resize(100, 30)
    expect(sent).toHaveLength(101)
    session.destroy()
  }
})
