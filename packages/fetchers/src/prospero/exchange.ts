import { randomBytes } from 'node:crypto'
import { adviceText, type Phase, prosperoPackets } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { Datagrams, Patience } from '../wire/transport/datagrams.ts'
import { acknowledgement, cancellation, options, type Packet, parsePacket, swapped } from './packet.ts'

/** What a request says of the client. Tests choose it; else the id is random, so that answers are hard to forge. */
export interface Identity {
  /** The two octets of the connection id for the next request. */
  nextId(): string
  /** The lines before the commands; absent: those of the plan. */
  readonly head?: string
}

/** An id of 0 means that there is none. */
export const randomIdentity: Identity = {
  nextId() {
    const octets = randomBytes(2)
    return octets.readUInt16BE() === 0 ? randomIdentity.nextId() : octets.toString('latin1')
  },
}

/** The server's message, one octet a character; or the address at which it wants to be asked. */
export type Answer =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'redirect'; readonly address: string; readonly port: number }

/** The milliseconds of silence after which the rest of a message is asked for again, at first. */
const restWait = 500

/** The packets beyond the first gap that are kept. Servers send 16 before they wait for an acknowledgement. */
const maxAhead = 256

/** The part of Datagrams that an exchange needs. */
type Packets = Pick<Datagrams, 'restart' | 'send' | 'receive'>

/** One request and its answer (Prospero protocol 5, appendix B: ARDP). */
export class Exchange {
  readonly #packets: Packets
  readonly #context: RetrievalContext
  readonly #id: string
  readonly #request: readonly string[]
  readonly #patience: Patience = { wait: 1000 }
  /** The packets of the request that the server has. */
  #acknowledged = 0
  /** How often the request or an acknowledgement was sent. */
  #flights = 0
  /** The packets of the answer, by number. */
  readonly #received = new Map<number, Uint8Array>()
  #through = 0
  #total = 0
  #size = 0

  constructor(packets: Packets, commands: string, context: RetrievalContext, identity: Identity) {
    this.#packets = packets
    this.#context = context
    this.#id = identity.nextId()
    this.#request = prosperoPackets(commands, this.#id, identity.head)
  }

  /** Sends the request, and again after growing waits, until the answer is whole. */
  async run(phase: Phase): Promise<Answer> {
    this.#packets.restart()
    this.#send(this.#request, true)
    try {
      for (;;) {
        const step = await this.#packets.receive(
          phase,
          () => this.#again(),
          (octets) => this.#accept(octets),
          this.#patience,
        )
        if (step !== 'more') return step
      }
    } catch (error) {
      this.#packets.send(cancellation(this.#id))
      throw error
    }
  }

  #send(packets: readonly string[], isFirst: boolean = false): void {
    this.#flights++
    for (const packet of packets) this.#packets.send(packet, isFirst)
  }

  /** Nothing has come for a while: the server is told which packets are missing, or gets the request again. */
  #again(): void {
    if (this.#through > 0) this.#acknowledge()
    else this.#send(this.#acknowledged < this.#request.length ? this.#request.slice(this.#acknowledged) : this.#request)
  }

  #acknowledge(): void {
    this.#send([acknowledgement(this.#id, this.#through)])
  }

  /** Undefined: the packet is none of this answer, or brings nothing new. */
  #accept(octets: Uint8Array): Answer | 'more' | undefined {
    const packet = parsePacket(octets)
    if (packet === undefined || !this.#isOurs(packet)) return undefined
    if (packet.option === options.refused) throw this.#refused()
    if (packet.target !== null) return { kind: 'redirect', ...packet.target }
    if (packet.wait !== null && packet.wait > 0) this.#patience.wait = packet.wait * 1000
    this.#acknowledged = Math.max(this.#acknowledged, Math.min(packet.through, this.#request.length))
    const isNew = this.#keep(packet)
    if (packet.wantsAcknowledgement && packet.number > 0) this.#acknowledge()
    if (!isNew) return undefined
    this.#patience.wait = Math.max((packet.wait ?? 0) * 1000, restWait)
    return this.#total > 0 && this.#through === this.#total ? { kind: 'message', text: this.#text() } : 'more'
  }

  /** Servers of another octet order swap the id in packets that answer a repetition or an acknowledgement. */
  #isOurs({ id }: Packet): boolean {
    return id === this.#id || (this.#flights > 1 && id === swapped(this.#id))
  }

  /** Whether the packet brings something new. Its octets are kept until the answer is whole. */
  #keep({ number, total, isControl, octets }: Packet): boolean {
    if (number <= this.#through || number > this.#through + maxAhead || this.#received.has(number)) return false
    if (this.#total > 0 && number > this.#total) return false
    if (this.#total === 0 && total >= number && total >= this.#through) this.#total = total
    const kept = isControl ? new Uint8Array(0) : octets
    this.#size += kept.length
    if (this.#size > this.#context.limits.maxCollected) throw this.#tooLarge()
    this.#received.set(number, kept)
    while (this.#received.has(this.#through + 1)) this.#through++
    return true
  }

  /** The message. Servers before 1994 end each packet with a NUL; others may have one within a packet's data. */
  #text(): string {
    const last = this.#received.get(this.#total)
    const hasNuls = last?.at(-1) === 0
    return Array.from({ length: this.#total }, (_, at) => {
      const octets = this.#received.get(at + 1) ?? new Uint8Array(0)
      return Buffer.from(hasNuls && octets.at(-1) === 0 ? octets.subarray(0, -1) : octets).toString('latin1')
    }).join('')
  }

  #refused(): Error {
    return this.#context.error('server-refused', 'The server refuses the connection (ARDP option 1).', {
      transient: true,
    })
  }

  #tooLarge(): Error {
    const advice = { option: 'limits.maxCollected' } as const
    const limit = `${adviceText(advice)} is ${this.#context.limits.maxCollected}`
    return this.#context.error('limit-exceeded', `The answer is larger than ${limit} octets.`, { advice })
  }
}
