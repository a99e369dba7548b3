import { randomBytes } from 'node:crypto'
import type { Phase } from '@retriever/core'
import { prosperoPackets } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { overHeld } from '../../kit/size-limit.ts'
import type { Datagrams } from '../../wire/transport/datagrams.ts'
import { type Retransmission, RoundTrip } from '../../wire/transport/retransmission.ts'
import { acknowledgement, cancellation, options, type Packet, parsePacket, swapped } from './packet.ts'

/**
 * What a request says of the client. Tests choose it; otherwise the id is random, so that answers are hard to forge.
 */
export interface Identity {
  /** The two octets of the connection id for the next request. */
  nextId(): string
  /** The lines before the commands. Absent: those of the plan. */
  readonly head?: string
}

/** An id of 0 means that there is none. */
export const randomIdentity: Identity = {
  nextId() {
    const octets = randomBytes(2)
    return octets.readUInt16BE() === 0 ? randomIdentity.nextId() : octets.toString('latin1')
  },
}

/** The server's message, one octet a character, or the address at which it wants to be asked. */
export type Answer =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'redirect'; readonly address: string; readonly port: number }

/** How many milliseconds we wait at least until an answer begins: the server has to find what was asked for. */
const answerWait = 1000

/** How many packets after the first gap are kept. Servers send 16 before they wait for an acknowledgement. */
const maxAhead = 256

/** Those methods of Datagrams that an exchange needs. */
type Packets = Pick<Datagrams, 'restart' | 'send' | 'receive'>

/** One request and its answer (Prospero protocol 5, appendix B: ARDP). */
export class Exchange implements Retransmission {
  readonly #packets: Packets
  readonly #context: RetrievalContext
  readonly #id: string
  readonly #request: readonly string[]
  readonly #roundTrip: RoundTrip
  /** When packets are sent again, by performance.now(). */
  due = 0
  /** Whether `due` is set because packets were overtaken by others, and not because nothing came. */
  #isOvertaken = false
  /** When a packet was sent whose answer shows the round trip. Null: it has been sent again. */
  #sent: number | null = null
  /** How many packets of the request the server has. */
  #acknowledged = 0
  /** How often the request or an acknowledgement was sent. */
  #flights = 0
  /** The packets of the answer, by number. */
  readonly #received = new Map<number, Uint8Array>()
  /** All packets up to this one have arrived. */
  #through = 0
  /** The last packet that has arrived. */
  #last = 0
  /** The last packet for which the server wants an acknowledgement, and the last one that was acknowledged. */
  #wanted = 0
  #told = 0
  #total = 0
  #size = 0

  /** `roundTrip` holds what earlier exchanges with the server have measured. */
  constructor(
    packets: Packets,
    commands: string,
    context: RetrievalContext,
    identity: Identity,
    roundTrip: RoundTrip = new RoundTrip(),
  ) {
    this.#packets = packets
    this.#context = context
    this.#id = identity.nextId()
    this.#request = prosperoPackets(commands, this.#id, identity.head)
    this.#roundTrip = roundTrip
  }

  /** Sends the request, and again after growing waits, until the answer is complete. */
  async run(phase: Phase): Promise<Answer> {
    this.#packets.restart()
    this.#roundTrip.restart()
    this.#send(this.#request, true)
    this.#sent = performance.now()
    try {
      for (;;) {
        const step = await this.#packets.receive(phase, this, (octets) => this.#accept(octets))
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
    this.#wait()
  }

  #wait(): void {
    const { timeout } = this.#roundTrip
    this.#isOvertaken = false
    this.due = performance.now() + (this.#last === 0 ? Math.max(timeout, answerWait) : timeout)
  }

  /** Tells the server which packets are missing, or sends the request again. */
  expired(): void {
    this.#sent = null
    if (!this.#isOvertaken) this.#roundTrip.backOff()
    if (this.#through > 0) this.#acknowledge()
    else this.#send(this.#acknowledged < this.#request.length ? this.#request.slice(this.#acknowledged) : this.#request)
  }

  #acknowledge(): void {
    // The first acknowledgement without a gap makes the server send new packets, so its round trip is measured.
    const isFirst = this.#through > this.#told && this.#through === this.#last
    this.#told = this.#through
    this.#send([acknowledgement(this.#id, this.#through)])
    this.#sent = isFirst ? performance.now() : null
  }

  /** Returns undefined if the packet does not belong to this answer or brings nothing new. */
  #accept(octets: Uint8Array): Answer | 'more' | undefined {
    const packet = parsePacket(octets)
    if (packet === undefined || !this.#isOurs(packet)) return undefined
    if (packet.option === options.refused) throw this.#refused()
    if (packet.target !== null) return { kind: 'redirect', ...packet.target }
    this.#acknowledged = Math.max(this.#acknowledged, Math.min(packet.through, this.#request.length))
    const isNew = this.#keep(packet)
    if (isNew) this.#measure()
    if (isNew) this.#wait()
    if (packet.wait !== null && packet.wait > 0) this.due = performance.now() + packet.wait * 1000
    if (packet.number > 0 && packet.number <= this.#last) this.#follow(packet, isNew)
    if (!isNew) return undefined
    return this.#total > 0 && this.#through === this.#total ? { kind: 'message', text: this.#text() } : 'more'
  }

  #measure(): void {
    if (this.#sent !== null) this.#roundTrip.sample(performance.now() - this.#sent)
    this.#sent = null
    // Most packets after a loss answer a repetition, so they cannot be measured.
    this.#roundTrip.restart()
  }

  /**
   * Decides what a packet means for those around it. It sends one acknowledgement for each packet that wants one: a
   * server answers each with the packets after it, so acknowledging a packet twice would double all that follow.
   */
  #follow({ number, wantsAcknowledgement }: Packet, isNew: boolean): void {
    if (wantsAcknowledgement) this.#wanted = Math.max(this.#wanted, number)
    if (this.#wanted > this.#told && this.#through >= this.#wanted) {
      this.#acknowledge()
      return
    }
    // The server has sent all that it sends by itself, and packets before this one are missing.
    const isEnd = wantsAcknowledgement || number === this.#total || (number === this.#last && !isNew)
    if (!isEnd || this.#through >= this.#last) return
    const due = performance.now() + this.#roundTrip.reordering
    if (due > this.due) return
    this.due = due
    this.#isOvertaken = true
  }

  /**
   * Whether the packet has our id. Servers of another octet order swap the id in packets that answer a repetition or an
   * acknowledgement.
   */
  #isOurs({ id }: Packet): boolean {
    return id === this.#id || (this.#flights > 1 && id === swapped(this.#id))
  }

  /** Whether the packet brings something new. Its octets are kept until the answer is complete. */
  #keep({ number, total, isControl, octets }: Packet): boolean {
    if (number <= this.#through || number > this.#through + maxAhead || this.#received.has(number)) return false
    if (this.#total > 0 && number > this.#total) return false
    if (this.#total === 0 && total >= number && total >= this.#through) this.#total = total
    const kept = isControl ? new Uint8Array(0) : octets
    this.#size += kept.length
    if (this.#size > this.#context.limits.maxCollected) throw this.#tooLarge()
    this.#received.set(number, kept)
    this.#last = Math.max(this.#last, number)
    while (this.#received.has(this.#through + 1)) this.#through++
    return true
  }

  /**
   * Returns the message. Servers before 1994 end each packet with a NUL; others may have one within a packet's data.
   */
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
    return overHeld(this.#context, 'answer')
  }
}
