import { Socket } from 'node:net'
import type { Connection } from '../connection.ts'
import { Incoming } from '../incoming.ts'
import { Listener } from '../listener.ts'
import { type Checks, checkOptions, isObject, wrong } from '../options.ts'
import { recorded } from '../request.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { WaisAnswers } from './answers.ts'
import type { WaisCollection } from './collection.ts'
import { misbehaviours } from './misbehaviours.ts'
import { seedCollection } from './seed-collection.ts'

export interface WaisServerOptions extends ServerOptions {
  /** The documents, which replace the seed. */
  readonly collection?: WaisCollection
}

export const waisChecks: Checks<WaisServerOptions> = {
  ...serverChecks,
  collection(name, value) {
    if (!isObject(value)) throw wrong(name, 'an object with search() and document()', value)
  },
}

/** A WAIS server (RFC 1625) that behaves like freeWAIS-sf 2.2.10, with the databases `demo` and `plain`. */
export async function startWaisServer(options: WaisServerOptions = {}): Promise<TestServer> {
  checkOptions('startWaisServer', options, waisChecks)
  const listener = new Listener(
    {
      name: 'wais',
      scheme: 'wais',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        const answers = new WaisAnswers(options.collection ?? seedCollection)
        await serve(connection, answers, (line) => {
          const [method = '', , target = ''] = line.split(' ')
          server.record(recorded(connection, { line, method, target }))
        })
      },
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}

const headerLength = 25

async function serve(connection: Connection, answers: WaisAnswers, record: (line: string) => void): Promise<void> {
  const incoming = new Incoming(connection.stream, () => {})
  if (await connection.sendFault('greeting')) return
  while (true) {
    const header = await incoming.octets(headerLength)
    const [, length, rest = ''] = /^(\d{10})z(\d.{10} {2}.)/is.exec(header) ?? []
    // The real server waits forever for octets that the client announced; this one closes.
    if (length === undefined || Number(length) > 100_000) return
    const apdu = Buffer.from(await incoming.octets(Number(length)), 'latin1')
    // Two requests at once end the connection.
    if (apdu.length < Number(length) || incoming.hasMore) return
    const answer = answers.answer(apdu, rest)
    if (answer === null) return
    record(answer.line)
    const [command = '', , words = ''] = answer.line.split(' ')
    if (await connection.sendFault(answer.line, command)) continue
    const wrong = Object.hasOwn(misbehaviours, words) ? misbehaviours[words] : undefined
    const { stall, resetAfter } = connection.faults
    // A document comes in several answers, so the faults of a body apply to all answers but the first.
    const isRest = command === 'RETRIEVE' && !/ 0 \d+$/.test(answer.line)
    if (stall === 'response' || (stall === 'body' && isRest)) return connection.stall()
    if (resetAfter !== undefined && isRest) {
      if (connection.stream instanceof Socket) connection.stream.resetAndDestroy()
      return
    }
    await connection.send((wrong ?? answer.packet).toString('latin1'))
  }
}
