import type { Socket } from 'node:net'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { secretForms } from '../../../kit/text/secret-forms.ts'
import { DotDecoder } from '../../../wire/framing/dot.ts'
import { LineReader } from '../../../wire/framing/lines.ts'
import { type Reply, readReply } from '../../../wire/framing/reply.ts'
import { Connection } from '../../../wire/transport/connection.ts'
import { checkGroupName } from '../group/group-reply.ts'
import type { CommandQueue, PendingCommand } from './command-queue.ts'

/** How many octets of abandoned answers are discarded before the next one. For more, another connection costs less. */
const maxDrained = 262_144

/** Replies that a multi-line block follows (RFC 3977 3.2, appendix C). After 211 one follows only for LISTGROUP. */
const withBlock: ReadonlySet<number> = new Set([100, 101, 215, 220, 221, 222, 224, 225, 230, 231])

/**
 * Reads the answers on one connection, for one retrieval after the other. If a read fails or its retrieval gives it up,
 * the position in the stream is unknown, so `onBroken` is called.
 */
export class AnswerReader {
  readonly #socket: Socket
  readonly #onBroken: () => void
  #lines: LineReader
  #context: RetrievalContext
  #isReading = false
  /** The secrets that logins have sent here, and their forms: a later reply may repeat them. */
  #sent: readonly string[] = []
  #forms: readonly string[] = []
  /** When a read last ended, by performance.now(). */
  lastRead: number = performance.now()

  constructor(socket: Socket, context: RetrievalContext, onBroken: () => void) {
    this.#socket = socket
    this.#context = context
    this.#onBroken = onBroken
    this.#lines = new LineReader(new Connection(socket, context), context)
  }

  /** The context of the retrieval that read last. */
  get context(): RetrievalContext {
    return this.#context
  }

  get isReading(): boolean {
    return this.#isReading
  }

  /** Whether octets have arrived that no retrieval has read. */
  get holdsOctets(): boolean {
    return this.#lines.holds || this.#socket.readableLength > 0
  }

  reply(command: PendingCommand, context: RetrievalContext): Promise<Reply> {
    return this.#read(context, async (lines) => {
      await command.sent
      return this.#replyTo(command, lines, context)
    })
  }

  /**
   * Reads the next octets of the block after a reply, without the dots that were added to its lines. Null at its end.
   */
  async octets(command: PendingCommand, context: RetrievalContext): Promise<Uint8Array | null> {
    const decoder = command.decoder ?? new DotDecoder(this.#lines.endsBare)
    command.decoder = decoder
    while (!decoder.ended) {
      const octets = await this.#read(context, (lines) => decoder.pull(lines, context))
      if (octets.length > 0) return octets
    }
    return null
  }

  /** Discards the abandoned answers that come before the answer to a command. */
  async drain(queue: CommandQueue, wanted: PendingCommand, context: RetrievalContext): Promise<void> {
    let left = maxDrained
    for (let head = queue.head; head !== undefined && head !== wanted; head = queue.head) {
      const command = head
      const reply = command.reply ?? (await this.#read(context, (lines) => this.#replyTo(command, lines, context)))
      let octets = hasBlock(command, reply) ? await this.octets(command, context) : null
      for (; octets !== null; octets = await this.octets(command, context)) {
        left -= octets.length
        if (left > 0) continue
        this.#onBroken()
        throw context.error('limit-exceeded', `The server sent over ${maxDrained} octets that are not wanted any more.`)
      }
      queue.end(command)
    }
  }

  async #replyTo(command: PendingCommand, lines: LineReader, context: RetrievalContext): Promise<Reply> {
    // The deadline names this phase even if no read waits because the reply has already come.
    context.deadline.phase = command.phase
    const secrets = command.secrets ?? []
    if (secrets.length > 0) {
      this.#sent = [...this.#sent, ...secrets]
      this.#forms = secretForms(...this.#sent)
    }
    const reply = await readReply(lines, context, command.phase, secrets, this.#forms)
    command.reply = reply
    if (command.isGroup) checkGroupName(context, reply, command.text.slice('GROUP '.length))
    return reply
  }

  async #read<T>(context: RetrievalContext, read: (lines: LineReader) => Promise<T>): Promise<T> {
    if (this.#context !== context) {
      this.#context = context
      this.#lines = this.#lines.handOver(new Connection(this.#socket, context), context)
    }
    this.#isReading = true
    try {
      return await read(this.#lines)
    } catch (error) {
      this.#onBroken()
      throw error
    } finally {
      this.#isReading = false
      this.lastRead = performance.now()
    }
  }
}

function hasBlock({ text }: PendingCommand, { code }: Reply): boolean {
  return withBlock.has(code) || (code === 211 && text.startsWith('LISTGROUP'))
}
