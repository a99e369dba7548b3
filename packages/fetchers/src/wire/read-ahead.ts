import type { ByteSource } from '../contract/byte-source.ts'
import type { RetrievalContext } from '../contract/fetcher.ts'
import type { Extent } from '../kit/extent.ts'

/** An open file on a server, read by one request for each part. */
export interface RemoteFile {
  /** How many octets one request asks for. */
  readonly pieceSize: number
  /** How many requests are under way at a time. */
  readonly ahead: number
  /** Sends one request for up to `length` octets from a position on. The answer is empty at the file's end. */
  readPart(position: number, length: number, phase: 'request' | 'body'): Promise<Uint8Array>
  /** Turns an error of readPart into the one to throw. */
  failure(cause: unknown): unknown
  close(): void
}

/** A request that is under way. */
interface Piece {
  readonly position: number
  readonly length: number
  readonly octets: Promise<Uint8Array>
}

/** The octets of an open file, read ahead by several requests. The end of the body closes the file. */
export class ReadAheadBody implements ByteSource {
  readonly #file: RemoteFile
  readonly #context: RetrievalContext
  readonly #end: number
  readonly #forget: () => void
  readonly #pieces: Piece[] = []
  #next: number
  #isOver = false

  constructor(file: RemoteFile, context: RetrievalContext, { start, end }: Extent) {
    this.#file = file
    this.#context = context
    this.#next = start
    this.#end = end
    this.#forget = context.deadline.onAbort(() => void this.cancel())
  }

  async read(): Promise<Uint8Array | null> {
    this.#context.deadline.throwIfAborted()
    if (this.#isOver) return null
    this.#askAhead()
    const piece = this.#pieces.shift()
    try {
      const octets = await piece?.octets
      if (piece !== undefined && octets !== undefined && octets.length > 0) {
        // A server may send fewer octets than we asked for.
        if (octets.length < piece.length) {
          this.#pieces.unshift(this.#ask(piece.position + octets.length, piece.length - octets.length))
        }
        return octets
      }
      if (piece !== undefined && this.#end !== Number.POSITIVE_INFINITY) {
        throw this.#context.error('partial', 'The file ended before its size was reached: it may have become shorter.')
      }
      await this.cancel()
      return null
    } catch (cause) {
      await this.cancel()
      throw this.#file.failure(cause)
    }
  }

  async cancel(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#forget()
    this.#file.close()
  }

  /** Sends requests until enough are under way. A file of unknown size is read one piece at a time. */
  #askAhead(): void {
    const most = this.#end === Number.POSITIVE_INFINITY ? 1 : this.#file.ahead
    while (this.#pieces.length < most && this.#next < this.#end) {
      const length = Math.min(this.#file.pieceSize, this.#end - this.#next)
      this.#pieces.push(this.#ask(this.#next, length))
      this.#next += length
    }
  }

  #ask(position: number, length: number): Piece {
    const octets = this.#file.readPart(position, length, 'body')
    // The read that takes this piece reports its error.
    octets.catch(() => {})
    return { position, length, octets }
  }
}

/** Reads octets of an open file before its body begins: fewer than `length` only at its end. */
export async function readAt(file: RemoteFile, position: number, length: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let left = length; left > 0; ) {
    const piece = await file.readPart(position + length - left, Math.min(left, file.pieceSize), 'request')
    if (piece.length === 0) break
    pieces.push(piece)
    left -= piece.length
  }
  return Buffer.concat(pieces)
}
