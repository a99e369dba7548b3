import type { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'
import { recorded } from '../request.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { hostile } from './misbehaviours.ts'
import { type NfsNode, type Nodes, octetsOf } from './nodes.ts'
import { answerMount, answerPortmap } from './services.ts'
import { answerV2 } from './v2.ts'
import { answerV3 } from './v3.ts'
import { answerV4 } from './v4.ts'
import { Arguments, answer, record, words } from './xdr.ts'

export interface NfsSettings {
  readonly nodes: Nodes
  readonly versions: readonly number[]
  readonly publicHandle: boolean
  readonly mount: boolean
  readonly exported: string
  readonly readdirplus: boolean
  readonly auth: 'none' | 'sys'
  readonly pageSize: number
}

/** The results of a procedure; null if the server says nothing more. */
export type Results = string | null

/** A part of a file; null if the server says nothing more. */
export type Part = { readonly octets: string; readonly isEnd: boolean } | null

/** What the code of each version needs from a connection. */
export interface Service {
  readonly settings: NfsSettings
  readonly port: number
  /** Reads up to `count` octets of a file, and tells whether they are the last, as far as the faults allow. */
  read(node: NfsNode, position: number, count: number): Promise<Part>
  /** Records a procedure. */
  note(procedure: string, target: string): void
  /** Sends the wrong results of a hostile file, if it has some for this procedure. Resolves to whether it has. */
  misbehave(procedure: string, node: NfsNode | undefined): Promise<boolean>
}

/** A longer call ends the connection. */
const longestCall = 1024 * 1024

const programs = { portmap: 100_000, nfs: 100_003, mount: 100_005 } as const

/** The session of one connection. It answers calls in their order. */
export class NfsSession implements Service {
  readonly settings: NfsSettings
  readonly #connection: Connection
  readonly #line: ServerConnection
  readonly #server: Listener
  readonly #counts = new Map<string, number>()
  #xid = 0
  /** The faults for the file that is being read; undefined before the first one. */
  #faults: Connection['faults'] | undefined

  constructor(connection: Connection, server: Listener, settings: NfsSettings) {
    this.#connection = connection
    this.#line = serverConnection(connection, server)
    this.#server = server
    this.settings = settings
  }

  get port(): number {
    return this.#server.port
  }

  async run(): Promise<void> {
    if (this.#line.faults.stall === 'greeting') return this.#line.stall()
    if (await this.#line.sendFault('greeting')) return
    for (let call = await this.#call(); call !== undefined; call = await this.#call()) {
      if (!(await this.#answer(new Arguments(call)))) return
    }
  }

  /** The next call, joined from its fragments (RFC 5531 11); undefined if there is none or it is too long. */
  async #call(): Promise<string | undefined> {
    for (let call = ''; ; ) {
      const mark = await this.#line.readOctets(4)
      if (mark.length < 4) return undefined
      const word = new Arguments(mark).word()
      const length = word % 0x8000_0000
      if (call.length + length > longestCall) return undefined
      const fragment = await this.#line.readOctets(length)
      if (fragment.length < length) return undefined
      call += fragment
      if (word >= 0x8000_0000) return call
    }
  }

  async read(node: NfsNode, position: number, count: number): Promise<Part> {
    if (position === 0 || this.#faults === undefined) this.#faults = this.#connection.nextBody()
    const { resetAfter, cutAfter, shortBody = 0, stall } = this.#faults
    const size = Math.max(0, node.size - shortBody)
    const limit = Math.min(
      resetAfter ?? size,
      cutAfter ?? size,
      stall === 'body' ? Math.min(Math.ceil(size / 2), 65_536) : size,
    )
    if (position >= limit && limit < size) {
      if (resetAfter !== undefined) await this.#connection.reset()
      if (cutAfter === undefined) await this.#line.stall()
      return null
    }
    const end = Math.min(position + count, limit)
    return { octets: octetsOf(node, position, end), isEnd: end >= size }
  }

  note(procedure: string, target: string): void {
    const line = `${procedure} ${target}`.trim()
    this.#server.record(recorded(this.#connection, { line, method: procedure, target }))
  }

  async misbehave(procedure: string, node: NfsNode | undefined): Promise<boolean> {
    const bad = node?.hostile === undefined ? undefined : hostile[node.hostile]
    if (bad?.procedure !== procedure) return false
    const count = this.#counts.get(procedure) ?? 0
    this.#counts.set(procedure, count + 1)
    await this.#line.send(bad.answer(this.#xid, count))
    return true
  }

  /** Answers a call. Resolves to false if the connection is over. */
  async #answer(call: Arguments): Promise<boolean> {
    const xid = call.word()
    this.#xid = xid
    const [kind, rpc, program, version, procedure] = [0, 1, 2, 3, 4].map(() => call.word())
    const flavor = call.word()
    call.opaque()
    call.word()
    call.opaque()
    if (kind !== 0 || program === undefined || version === undefined || procedure === undefined) return false
    if (rpc !== 2) return this.#send(record(words(xid, 1, 1, 0, 2, 2)))
    if (this.#connection.faults.stall === 'response') {
      await this.#line.stall()
      return false
    }
    if (program === programs.portmap) return this.#send(answer(xid, answerPortmap(procedure, call, this)))
    if (program === programs.mount && this.settings.mount) {
      const results = answerMount(version, procedure, call, this)
      // 3 is PROC_UNAVAIL.
      return this.#send(results === null ? answer(xid, '', 3) : answer(xid, results))
    }
    if (program !== programs.nfs) return this.#send(answer(xid, '', 1))
    const { versions, auth } = this.settings
    if (!versions.includes(version)) {
      return this.#send(answer(xid, words(Math.min(...versions), Math.max(...versions)), 2))
    }
    if (auth === 'sys' && flavor !== 1) return this.#send(record(words(xid, 1, 1, 1, 5)))
    const answerCall = version === 2 ? answerV2 : version === 3 ? answerV3 : answerV4
    const results = await answerCall(procedure, call, this)
    if (results === 'misbehaved') return true
    return results !== null && this.#send(answer(xid, results))
  }

  async #send(octets: string): Promise<boolean> {
    await this.#line.send(octets)
    return true
  }
}
