import { createReadStream, type ReadStream } from 'node:fs'
import { AsyncIterReader, LimitReader, WARCParser, type WARCRecord } from 'warcio'
import { HttpHead } from './http-head.ts'

/** How many octets are read at a time: warcio expands all of them at once, up to a thousand times. */
const chunkSize = 16 * 1024
/** How many octets may be read for the heads of a record. warcio keeps them in memory, and counts some twice. */
const maxHead = 4 * 1024 * 1024

/** A record. Its reader gives the payload: what follows the head, if the block is a message of HTTP. */
export interface ReadRecord {
  readonly record: WARCRecord
  /** Null: the block is no message of HTTP. */
  readonly head: HttpHead | null
}

/** Reads the records of a file one by one, with bounded memory. The file is open until the reader is disposed of. */
export class RecordReader implements Disposable {
  readonly #file: ReadStream
  readonly #octets: Octets
  readonly #parser: WARCParser

  /** Begins at an octet of the file. */
  constructor(file: string, start = 0) {
    this.#file = createReadStream(file, { start, highWaterMark: chunkSize })
    this.#octets = new Octets(this.#file)
    this.#parser = new WARCParser(this.#octets, { parseHttp: false })
  }

  /** Where the last record begins. */
  get offset(): number {
    return this.#parser.offset
  }

  /** Whether the record before the last one has more octets than its Content-Length says, so that it is damaged. */
  get wasLonger(): boolean {
    return this.#octets.afterRecord !== null && !/^(?:[\r\n]*$|WARC\/)/.test(this.#octets.afterRecord)
  }

  /** The next record. Null at the end. Rejects if its head is too long. */
  async next(): Promise<ReadRecord | null> {
    this.#octets.left = maxHead
    this.#octets.afterRecord = null
    const record = await this.#parser.parse()
    const head = record === null ? null : await headOf(record)
    this.#octets.left = Number.POSITIVE_INFINITY
    return record && { record, head }
  }

  [Symbol.dispose](): void {
    this.#file.destroy()
  }
}

/** Old archives have answers of DNS in records for responses, too. */
async function headOf({ warcType, warcContentType, reader }: WARCRecord): Promise<HttpHead | null> {
  const isMessage = warcType === 'response' || warcType === 'request' || warcType === 'revisit'
  if (!isMessage || !(reader instanceof LimitReader) || !/^application\/http\b/i.test(warcContentType ?? ''))
    return null
  return HttpHead.read(reader)
}

class Octets extends AsyncIterReader {
  /** How many octets may still be read. */
  left: number = Number.POSITIVE_INFINITY
  /** The first line that warcio has read since this was null: it follows a record, or is the first of the file. */
  afterRecord: string | null = null

  override async readlineRaw(maxLength?: number): Promise<Uint8Array | null> {
    const line = await super.readlineRaw(maxLength)
    this.afterRecord ??= Buffer.from(line?.subarray(0, 80) ?? []).toString('latin1')
    return line
  }

  override async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of super[Symbol.asyncIterator]()) {
      this.left -= chunk.length
      if (this.left < 0) throw new Error('the head of a record is too long')
      yield chunk
    }
  }
}
