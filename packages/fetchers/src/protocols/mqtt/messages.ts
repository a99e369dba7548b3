import { octetsToText } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ExactReader } from '../../wire/exact-reader.ts'
import { askingForLife } from '../../wire/keep-alive.ts'
import type { LeavingConnection } from '../../wire/leaving-connection.ts'
import { messageForm, tooFewMessages } from '../../wire/message-form.ts'
import { type PacketHead, pingPacket, readHead, types } from './packets.ts'

/** The members of a message without its payload, as JSON names them. */
interface MessageHead {
  readonly topic: string
  readonly qos: 0
  readonly retain: boolean
}

/** A message that came before the server acknowledged the subscription. */
export interface EarlyMessage {
  readonly head: MessageHead
  readonly content: readonly Uint8Array[]
}

/** The messages of a subscription as a body. */
export class Messages {
  readonly #early: readonly EarlyMessage[]
  readonly #reader: ExactReader
  readonly #leaving: LeavingConnection
  readonly #context: RetrievalContext
  readonly #forget: () => void
  #isWithin = false
  #isOver = false

  constructor(
    early: readonly EarlyMessage[],
    reader: ExactReader,
    leaving: LeavingConnection,
    context: RetrievalContext,
  ) {
    this.#early = early
    this.#reader = reader
    this.#leaving = leaving
    this.#context = context
    this.#forget = context.deadline.onTimeUp(() => this.#endWell())
  }

  close(): void {
    this.#forget()
    this.#leaving.close()
  }

  /**
   * Whether the end of the total time ends the body properly. A subscription has no end of its own, so the messages
   * until then are all of it.
   */
  #endWell(): boolean {
    // A message was cut, or fewer messages came than are wanted.
    if (this.#isWithin || this.#context.request.count !== undefined) return false
    this.#isOver = true
    this.close()
    return true
  }

  /** Gives the messages. curl would write the topic and its length before each payload. */
  async *octets(): AsyncGenerator<Uint8Array> {
    const { count = Number.POSITIVE_INFINITY } = this.#context.request
    let came = 0
    for (const { head, content } of this.#early) {
      if (came++ === count) return
      yield* messageForm(head, true, each(content), this.#context)
    }
    for (; came < count; came++) {
      const packet = await this.#next()
      if (packet === null && count !== Number.POSITIVE_INFINITY) throw tooFewMessages(came, this.#context)
      if (packet === null) return
      this.#isWithin = true
      const { size, ...head } = await readMessageHead(packet, this.#reader, this.#context)
      yield* messageForm(head, true, payload(size, this.#reader), this.#context)
      this.#isWithin = false
    }
  }

  /** Reads the fixed header of the next message. Null if there is none. */
  async #next(): Promise<PacketHead | null> {
    while (!this.#isOver) {
      const head = await this.#readHead()
      // The server has already left.
      if (head === null) this.#leaving.farewell = null
      if (head === null || head.type === types.publish) return head
      if (head.type === types.pingresp && head.length === 0) continue
      throw violation(this.#context, `a packet of type ${head.type} is out of turn`)
    }
    return null
  }

  async #readHead(): Promise<PacketHead | null> {
    try {
      return await askingForLife(
        this.#context,
        () => this.#leaving.connection.sendFrame(pingPacket),
        () => readHead(this.#reader, this.#context, 'body'),
      )
    } catch (error) {
      // We closed the connection because the time is over.
      if (this.#isOver) return null
      throw error
    }
  }
}

/** Reads a message into memory. */
export async function wholeMessage(
  packet: PacketHead,
  reader: ExactReader,
  context: RetrievalContext,
): Promise<EarlyMessage> {
  const { size, ...head } = await readMessageHead(packet, reader, context)
  const content: Uint8Array[] = []
  for await (const octets of payload(size, reader)) content.push(Uint8Array.from(octets))
  return { head, content }
}

/** Reads the variable header of PUBLISH (3.3.2). `size` is that of the payload. */
async function readMessageHead(
  { flags, length }: PacketHead,
  reader: ExactReader,
  context: RetrievalContext,
): Promise<MessageHead & { readonly size: number }> {
  // The subscription is for QoS 0, in which a packet has no identifier.
  if ((flags & 0x06) !== 0 || length < 2) throw violation(context, 'a message has another quality of service')
  const topicSize = (await exactly(2, reader, context)).readUInt16BE()
  const size = length - 2 - topicSize
  if (size < 0) throw violation(context, 'a topic is longer than its packet')
  const topic = topicSize === 0 ? '' : (await exactly(topicSize, reader, context)).toString('latin1')
  return { topic: octetsToText(topic), qos: 0, retain: (flags & 1) !== 0, size }
}

async function* payload(size: number, reader: ExactReader): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const octets = await reader.some(left)
    left -= octets.length
    yield octets
  }
}

async function exactly(count: number, reader: ExactReader, context: RetrievalContext): Promise<Buffer> {
  const octets = await reader.exactly(count, 'body')
  if (octets === null) throw context.error('partial', 'The connection ended within a message; try again.')
  return octets
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

function violation(context: RetrievalContext, what: string): Error {
  return context.error('protocol-violation', `The server broke MQTT: ${what}.`)
}
