import { octetsToText, printable } from '@retriever/core'
import type { ByteSource } from '../../contract/byte-source.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Datagrams } from '../../wire/transport/datagrams.ts'
import { Backoff } from '../../wire/transport/retransmission.ts'
import { acknowledgement, errorPacket, type Packet, parsePacket } from './packets.ts'

/** The values that client and server have agreed on. */
export interface Agreement {
  readonly blockSize: number
  readonly windowSize: number
  /** The size of the file (RFC 2349). Null if the server does not tell. */
  readonly size: number | null
}

/** The blocks of a file. We acknowledge each one after it is read, or the last of each window (RFC 7440). */
export class Transfer implements ByteSource {
  readonly #packets: Datagrams
  readonly #agreed: Agreement
  readonly #context: RetrievalContext
  /** A first block that came instead of an agreement. */
  #first: Uint8Array | null
  /** The number of the last block that came in order; it wraps at 65536. */
  #block = 0
  #inWindow = 0
  #received = 0
  #isOver = false
  readonly #forget: () => void

  constructor(packets: Datagrams, agreed: Agreement, first: Uint8Array | null, context: RetrievalContext) {
    this.#packets = packets
    this.#agreed = agreed
    this.#first = first
    this.#context = context
    this.#forget = context.deadline.onAbort(() => void this.cancel())
  }

  async read(): Promise<Uint8Array | null> {
    while (!this.#isOver) {
      const octets = this.#first ?? (await this.#next())
      this.#first = null
      this.#take(octets)
      if (octets.length > 0) return octets
    }
    return null
  }

  /** Sends an ERROR, which tells the server that the client has stopped (RFC 1350 7). */
  async cancel(): Promise<void> {
    if (!this.#isOver) this.#packets.send(errorPacket(0, 'Cancelled'))
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.#forget()
    this.#packets.close()
  }

  #take(octets: Uint8Array): void {
    this.#block = (this.#block + 1) & 0xffff
    this.#received += octets.length
    this.#inWindow++
    const isLast = octets.length < this.#agreed.blockSize
    if (isLast || this.#inWindow >= this.#agreed.windowSize) this.#acknowledge()
    if (!isLast) return
    this.#end()
    const { size } = this.#agreed
    if (size === null || size === this.#received) return
    const message = `The server announced ${size} octets and sent ${this.#received}; try again.`
    throw this.#context.error('partial', message, { phase: 'body' })
  }

  async #next(): Promise<Uint8Array> {
    const wanted = (this.#block + 1) & 0xffff
    const packet = await this.#packets.receive('body', new Backoff(() => this.#acknowledge()), (octets) => {
      const found = parsePacket(octets)
      if (found?.kind === 'error') return found
      if (found?.kind !== 'data') return undefined
      if (found.block === wanted && found.octets.length <= this.#agreed.blockSize) return found
      // After a gap, the window begins again behind the last block that came. An old block is ignored: otherwise each
      // block would be sent twice from then on (RFC 1123 4.2.3.1).
      if (((found.block - wanted) & 0xffff) < 0x8000) this.#acknowledge()
      return undefined
    })
    if (packet.kind === 'data') return packet.octets
    this.#end()
    throw transferError(packet, this.#context, 'body')
  }

  #acknowledge(): void {
    this.#inWindow = 0
    this.#packets.send(acknowledgement(this.#block))
  }
}

/** Makes the error that the server's ERROR packet means (RFC 1350, appendix). */
export function transferError(
  { code, text }: Extract<Packet, { kind: 'error' }>,
  context: RetrievalContext,
  phase: 'request' | 'body',
): Error {
  const reply = printable(`${code} ${octetsToText(text)}`.trim()).slice(0, 300)
  context.emit({ type: 'received', url: context.url, octets: errorPacket(code & 255, text) })
  if (phase === 'body') return context.error('partial', `The server broke the transfer off: ${reply}`, { phase, reply })
  const [name, what] =
    code === 1
      ? (['not-found', 'The server has no such file'] as const)
      : code === 2
        ? (['access-denied', 'The server refuses access'] as const)
        : (['server-refused', 'The server refused'] as const)
  return context.error(name, `${what}: ${reply}`, { phase, reply })
}
