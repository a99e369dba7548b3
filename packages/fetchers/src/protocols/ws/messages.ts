import { printable } from '@retriever/core'
import type { Hide } from '../../auth/sent-secrets.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ExactReader } from '../../wire/exact-reader.ts'
import { askingForLife } from '../../wire/keep-alive.ts'
import type { LeavingConnection } from '../../wire/leaving-connection.ts'
import { messageForm, tooFewMessages } from '../../wire/message-form.ts'
import { closeFrame, controlFrame, exactly, type FrameHead, opcodes, readHead } from './frames.ts'

/** The codes of a Close frame that are errors, and what they mean (RFC 6455 7.4.1). */
const failures: Readonly<Record<number, string>> = {
  1002: 'protocol error',
  1003: 'unsupported data',
  1007: 'invalid data',
  1008: 'policy violation',
  1009: 'message too big',
  1010: 'extension missing',
  1011: 'internal error',
  1012: 'service restart',
  1013: 'try again later',
  1014: 'bad gateway',
}

/**
 * The messages of a WebSocket (RFC 6455 5). Texts each end in a line feed; binary messages come unchanged. They end
 * with the server's Close frame, or after RequestOptions.count messages. Reading rejects with `partial` if the
 * connection ends earlier, and with `server-refused` if the server closes because of a failure.
 */
export class Messages {
  readonly #reader: ExactReader
  readonly #leaving: LeavingConnection
  readonly #hide: Hide
  readonly #context: RetrievalContext

  /** `hide` masks secrets in the reason of a Close frame. */
  constructor(reader: ExactReader, leaving: LeavingConnection, hide: Hide, context: RetrievalContext) {
    this.#reader = reader
    this.#leaving = leaving
    this.#hide = hide
    this.#context = context
    // 1001 means that the client goes away.
    leaving.farewell = closeFrame(1001)
  }

  async *octets(): AsyncGenerator<Uint8Array> {
    const { count = Number.POSITIVE_INFINITY } = this.#context.request
    for (let came = 0; came < count; came++) {
      const head = await this.#next()
      if (head === null) {
        if (count === Number.POSITIVE_INFINITY) return
        throw tooFewMessages(came, this.#context)
      }
      if (head.opcode === opcodes.continuation) throw this.#violation('a frame is out of turn')
      const isText = head.opcode === opcodes.text
      const type = isText ? 'text' : 'binary'
      yield* messageForm({ type }, isText, isText ? this.#text(head) : this.#content(head), this.#context)
    }
    this.#leaving.farewell = closeFrame(1000)
  }

  /** Gives the octets of a text, which must be UTF-8 (RFC 6455 8.1). */
  async *#text(first: FrameHead): AsyncGenerator<Uint8Array> {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    for await (const octets of this.#content(first)) {
      this.#decode(() => decoder.decode(octets, { stream: true }))
      yield octets
    }
    this.#decode(() => decoder.decode())
  }

  #decode(decode: () => string): string {
    try {
      return decode()
    } catch {
      throw this.#violation('a text is not UTF-8', 1007)
    }
  }

  /** Gives the octets of a message in one frame or more. */
  async *#content(first: FrameHead): AsyncGenerator<Uint8Array> {
    for (let head = first; ; ) {
      for (let left = head.length; left > 0; ) {
        const octets = await this.#reader.some(left)
        left -= octets.length
        yield octets
      }
      if (head.isLast) return
      const next = await this.#next()
      if (next === null) {
        throw this.#context.error('partial', 'The server closed the WebSocket within a message.', { phase: 'body' })
      }
      if (next.opcode !== opcodes.continuation) throw this.#violation('a frame is out of turn')
      head = next
    }
  }

  /** Reads the head of the next frame with data, and answers frames that control the WebSocket. Null: it is closed. */
  async #next(): Promise<FrameHead | null> {
    const { connection } = this.#leaving
    while (true) {
      const head = await askingForLife(
        this.#context,
        () => connection.sendFrame(controlFrame(opcodes.ping)),
        () => readHead(this.#reader, this.#context, this.#violation),
      )
      if (head.opcode < opcodes.close) return head
      const octets = await exactly(head.length, this.#reader, this.#context)
      if (head.opcode === opcodes.ping) await connection.sendFrame(controlFrame(opcodes.pong, octets))
      if (head.opcode !== opcodes.close) continue
      await this.#closed(octets)
      return null
    }
  }

  /** Answers a Close frame. Throws if it reports a failure. */
  async #closed(octets: Buffer): Promise<void> {
    // 1005 is never sent: it means that there is no code.
    const code = octets.length === 0 ? 1005 : octets.length === 1 ? 0 : octets.readUInt16BE()
    if (octets.length > 0 && !isCode(code)) throw this.#violation('its Close frame has a code that may not be sent')
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const said = this.#hide(octets.toString('latin1', 2))
    const reason = printable(this.#decode(() => decoder.decode(Buffer.from(said, 'latin1'))))
    this.#leaving.farewell = null
    await this.#leaving.connection.sendFrame(controlFrame(opcodes.close, octets.subarray(0, 2)))
    if ([1000, 1001, 1005].includes(code)) return
    const meaning = failures[code]
    const words = `${code}${meaning === undefined ? '' : ` (${meaning})`} ${reason}`.trim()
    throw this.#context.error('server-refused', `The server closed the WebSocket because of a failure: ${words}.`, {
      reply: `${code} ${reason}`.trim(),
    })
  }

  readonly #violation = (what: string, code: 1002 | 1007 = 1002): Error => {
    this.#leaving.farewell = closeFrame(code)
    return this.#context.error('protocol-violation', `The server broke WebSocket: ${what}.`)
  }
}

/**
 * Whether a code may be sent (RFC 6455 7.4): those below 3000 that are defined to be sent, those of libraries, and
 * those of applications.
 */
function isCode(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999)
}
