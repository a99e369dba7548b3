import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../contract/fetcher.ts'
import { overHeld } from '../kit/size-limit.ts'

const lf = 0x0a
const cr = 0x0d
const greater = 0x3e
const from = Buffer.from('From ')
/** How much of a line's beginning is looked at. */
const maxFromLine = 1000

/**
 * Yields the messages of a mailbox file (mbox, RFC 4155). It leaves out the lines `From user date` that begin messages,
 * the empty lines before those, and the `>` that protects such lines within messages. A file that is no mailbox is
 * yielded as one message. A message over limits.maxCollected is replaced by its error.
 */
export async function* messagesIn(
  chunks: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array | RetrievalError, void, void> {
  const { maxCollected } = context.limits
  const splitter = new Splitter(maxCollected)
  const orError = (message: Buffer | null): Buffer | RetrievalError => {
    return message ?? overHeld(context, 'message')
  }
  for await (const chunk of chunks) {
    for (const message of splitter.push(chunk)) yield orError(message)
    if (splitter.isTooLarge) break
  }
  for (const message of splitter.end()) yield orError(message)
}

/** Returns the messages of a mailbox file, as messagesIn() yields them. Null if the octets are no such file. */
export function messagesOf(octets: Buffer): readonly Buffer[] | null {
  if (!isFirstLine(octets)) return null
  const splitter = new Splitter(Number.POSITIVE_INFINITY)
  return [...splitter.push(octets), ...splitter.end()].filter((message) => message !== null)
}

/** Splits a file while it arrives. A message over `maxMessage` octets becomes null. */
class Splitter {
  readonly #maxMessage: number
  /** The octets of the message so far. Null if it is too large. */
  #pieces: Uint8Array[] | null = []
  #length = 0
  /** The beginning of a line whose rest has not arrived. */
  #carry: Uint8Array = new Uint8Array(0)
  #isLineStart = true
  #isAfterBlank = true
  /** Whether the file is a mailbox. Null before its first line. */
  #isMailbox: boolean | null = null

  constructor(maxMessage: number) {
    this.#maxMessage = maxMessage
  }

  /** Whether the rest need not be read, because the only message is too large. */
  get isTooLarge(): boolean {
    return this.#isMailbox === false && this.#pieces === null
  }

  *push(chunk: Uint8Array): Generator<Buffer | null, void, void> {
    // The source may overwrite the chunk at the next read.
    yield* this.#lines(Buffer.concat([this.#carry, chunk]), false)
  }

  *end(): Generator<Buffer | null, void, void> {
    yield* this.#lines(Buffer.from(this.#carry), true)
    if (this.#length > 0 || this.#isMailbox !== true) yield this.#message()
  }

  *#lines(data: Buffer, isEnd: boolean): Generator<Buffer | null, void, void> {
    this.#carry = new Uint8Array(0)
    let kept = 0
    for (let at = 0; at < data.length; ) {
      const end = data.indexOf(lf, at)
      if (this.#isLineStart) {
        if (end === -1 && data.length - at < maxFromLine && !isEnd) {
          this.#carry = data.subarray(at)
          break
        }
        const line = data.subarray(at, end === -1 ? data.length : end)
        this.#isMailbox ??= isFirstLine(line)
        // If the file is no mailbox, all octets are one message.
        if (!this.#isMailbox) break
        if (this.#isAfterBlank && isFromLine(line, this.#length === 0 && kept === at)) {
          this.#keep(data.subarray(kept, at))
          if (this.#length > 0) yield this.#message()
          kept = end === -1 ? data.length : end + 1
        }
        this.#isAfterBlank = line.length === 0 || (line.length === 1 && line[0] === cr)
      }
      this.#isLineStart = end !== -1
      at = end === -1 ? data.length : end + 1
    }
    this.#keep(data.subarray(kept, data.length - this.#carry.length))
  }

  #keep(octets: Uint8Array): void {
    if (octets.length === 0) return
    this.#length += octets.length
    if (this.#length > this.#maxMessage) this.#pieces = null
    this.#pieces?.push(octets)
  }

  #message(): Buffer | null {
    const pieces = this.#pieces
    this.#pieces = []
    this.#length = 0
    if (pieces === null) return null
    const octets = Buffer.concat(pieces)
    return this.#isMailbox ? unquoted(withoutSeparator(octets)) : octets
  }
}

function isFirstLine(line: Buffer): boolean {
  return line.subarray(0, from.length).equals(from)
}

/**
 * Whether a line begins a message. Within a message the line comes after an empty one and must have a time of day,
 * since some programs do not protect text lines that begin with `From `.
 */
function isFromLine(line: Buffer, isFirst: boolean): boolean {
  return isFirstLine(line) && (isFirst || /\d\d:\d\d/.test(line.toString('latin1', 0, maxFromLine)))
}

/** Removes one `>` from lines such as `>From ` and `>>From ` (the form mboxrd), in place. */
function unquoted(octets: Buffer): Buffer {
  let at = octets[0] === greater ? 0 : octets.indexOf('\n>') + 1
  if (octets[at] !== greater) return octets
  let length = 0
  let kept = 0
  while (true) {
    let text = at
    while (octets[text] === greater) text++
    if (isFirstLine(octets.subarray(text, text + from.length))) {
      octets.copyWithin(length, kept, at)
      length += at - kept
      kept = at + 1
    }
    const next = octets.indexOf('\n>', text)
    if (next === -1) break
    at = next + 1
  }
  octets.copyWithin(length, kept)
  return octets.subarray(0, length + octets.length - kept)
}

/** Removes the empty line that stands before the next message. */
function withoutSeparator(octets: Buffer): Buffer {
  const text = octets.toString('latin1', Math.max(0, octets.length - 4))
  const [, end = ''] = /\n(\r?\n)$/.exec(text) ?? []
  return octets.subarray(0, octets.length - end.length)
}
