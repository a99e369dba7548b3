import { createReadStream, type ReadStream } from 'node:fs'
import { AsyncIterReader, WARCParser, type WARCRecord } from 'warcio'

/** How many octets are read at a time: warcio expands all of them at once, up to a thousand times. */
const chunkSize = 16 * 1024
/** How many octets may be read for the heads of a record. warcio keeps them in memory, and counts some twice. */
const maxHead = 4 * 1024 * 1024

/** Reads the records of a file one by one, with bounded memory. The file is open until the reader is disposed of. */
export class RecordReader implements Disposable {
  readonly #file: ReadStream
  readonly #octets: Octets
  readonly #parser: WARCParser

  /** Begins at an octet of the file. */
  constructor(file: string, start = 0, keepHeadersCase = false) {
    this.#file = createReadStream(file, { start, highWaterMark: chunkSize })
    this.#octets = new Octets(this.#file)
    this.#parser = new WARCParser(this.#octets, { keepHeadersCase })
  }

  /** Where the last record begins. */
  get offset(): number {
    return this.#parser.offset
  }

  /** The next record. Null at the end. Rejects if its head is too long. */
  async next(): Promise<WARCRecord | null> {
    this.#octets.left = maxHead
    const record = await this.#parser.parse()
    this.#octets.left = Number.POSITIVE_INFINITY
    return record
  }

  [Symbol.dispose](): void {
    this.#file.destroy()
  }
}

class Octets extends AsyncIterReader {
  /** How many octets may still be read. */
  left: number = Number.POSITIVE_INFINITY

  override async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of super[Symbol.asyncIterator]()) {
      this.left -= chunk.length
      if (this.left < 0) throw new Error('the head of a record is too long')
      yield chunk
    }
  }
}
