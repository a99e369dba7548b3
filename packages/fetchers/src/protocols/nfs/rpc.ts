import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { Connection } from '../../wire/transport/connection.ts'
import type { Peer } from '../../wire/transport/dial.ts'
import { openSocket, peerAddressOf } from '../../wire/transport/socket.ts'
import { RecordReader } from './records.ts'
import { opaque, word, XdrError, XdrReader } from './xdr.ts'

/** A procedure of a version of a program (RFC 5531 8), and its name for people. */
export interface Procedure {
  readonly program: number
  readonly version: number
  readonly number: number
  readonly name: string
}

/** A server's refusal to carry out a call (RFC 5531 9). */
export class RpcRefusal extends Error {
  readonly why: 'version' | 'program' | 'procedure' | 'arguments' | 'system' | 'rpc-version' | 'auth'
  /** The versions that the server knows, for `version` and `rpc-version`. For `auth`, both are the auth_stat. */
  readonly low: number
  readonly high: number

  constructor(why: RpcRefusal['why'], low: number = 0, high: number = low) {
    super(why)
    this.why = why
    this.low = low
    this.high = high
  }
}

/** The caller as the server sees it. Null: AUTH_NONE, which tells nothing. */
export type Credential = { readonly uid: number; readonly gid: number } | null

/** Encodes AUTH_SYS (RFC 5531 appendix A) without the name of this machine and without further groups, or AUTH_NONE. */
function authentication(credential: Credential): string {
  if (credential === null) return word(0) + word(0)
  const { uid, gid } = credential
  return word(1) + opaque(word(0) + opaque('') + word(uid) + word(gid) + word(0))
}

const noVerifier = word(0) + word(0)

/** Calls of ONC RPC (RFC 5531) over one connection, several at a time. */
export class RpcClient {
  readonly #connection: Connection
  readonly #context: RetrievalContext
  readonly #records: RecordReader
  /** The calls that wait for an answer, by xid. Null until it has come. */
  readonly #pending = new Map<number, Buffer | null>()
  #xid = 0
  #reading: Promise<void> | undefined
  #failure: unknown
  credential: Credential
  /** The server's address. Undefined through a proxy. */
  readonly peerAddress: string | undefined

  private constructor(
    connection: Connection,
    context: RetrievalContext,
    credential: Credential,
    peerAddress: string | undefined,
  ) {
    this.#connection = connection
    this.#context = context
    this.#records = new RecordReader(connection, context)
    this.credential = credential
    this.peerAddress = peerAddress
  }

  static async open(context: RetrievalContext, peer: Peer, credential: Credential): Promise<RpcClient> {
    const socket = await openSocket(context, peer)
    const address = peerAddressOf(context, socket)
    return new RpcClient(new Connection(socket, context), context, credential, address)
  }

  /**
   * Makes a call and returns its results. Rejects with RpcRefusal, or RetrievalError. No event shows the calls for
   * octets of a body: there is one for each of its pieces.
   */
  async call(procedure: Procedure, args: string, phase: 'request' | 'body' = 'request'): Promise<XdrReader> {
    const { program, version, number } = procedure
    const xid = ++this.#xid
    const head = [xid, 0, 2, program, version, number].map(word).join('')
    const message = head + authentication(this.credential) + noVerifier + args
    const record = word(0x8000_0000 + message.length) + message
    this.#pending.set(xid, null)
    if (phase === 'body') await this.#connection.sendFrame(record)
    else await this.#connection.sendMessage(record)
    const octets = await this.#reply(xid, phase)
    if (phase !== 'body') this.#tell(octets)
    return resultsOf(octets)
  }

  end(): void {
    this.#connection.end()
  }

  close(): void {
    this.#connection.close()
  }

  /**
   * Waits for a reply. One call at a time reads for all of them. Nothing is read unless somebody waits for an answer.
   */
  async #reply(xid: number, phase: 'request' | 'body'): Promise<Buffer> {
    while (true) {
      const octets = this.#pending.get(xid) ?? null
      if (octets !== null) {
        this.#pending.delete(xid)
        return octets
      }
      if (this.#failure !== undefined) throw this.#failure
      this.#reading ??= this.#readNext(phase)
      await this.#reading
    }
  }

  async #readNext(phase: 'request' | 'body'): Promise<void> {
    try {
      const record = (await this.#records.next(phase)) ?? this.#throwClosed(phase)
      const xid = record.length < 4 ? 0 : record.readUInt32BE(0)
      if (this.#pending.get(xid) !== null) {
        const message = `The server answered the call ${xid}, which was not made; the connection was closed.`
        throw this.#context.error('protocol-violation', message, { phase })
      }
      this.#pending.set(xid, record)
    } catch (error) {
      this.#failure = error
    } finally {
      this.#reading = undefined
    }
  }

  #throwClosed(phase: Phase): never {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    const message = 'The server closed the connection before it had answered; try again.'
    throw this.#context.error(code, message, { phase, transient: true })
  }

  #tell(record: Buffer): void {
    if (this.#context.hasListener === false) return
    this.#context.emit({ type: 'received', url: this.#context.url, octets: record.toString('latin1') })
  }
}

/** Returns the results in an answer (RFC 5531 9). Throws RpcRefusal, or XdrError for what is no answer. */
export function resultsOf(record: Buffer): XdrReader {
  const xdr = new XdrReader(record)
  xdr.word()
  if (xdr.word() !== 1) throw new XdrError('it is no answer')
  if (xdr.word() === 0) {
    xdr.word()
    xdr.opaque(400)
    const status = xdr.word()
    if (status === 0) return xdr
    if (status === 2) throw new RpcRefusal('version', xdr.word(), xdr.word())
    const why = ({ 1: 'program', 3: 'procedure', 4: 'arguments', 5: 'system' } as const)[status]
    throw why === undefined ? new XdrError(`the state ${status} of an answer`) : new RpcRefusal(why)
  }
  if (xdr.word() === 0) throw new RpcRefusal('rpc-version', xdr.word(), xdr.word())
  throw new RpcRefusal('auth', xdr.word())
}
