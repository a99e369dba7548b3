import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { getSurt, WARCSerializer } from 'warcio'
import { systemFailure, tryFile } from '../saving/destination.ts'
import type { Ready } from './records.ts'

/** A longer record is compressed while it is read, and in another thread. */
const maxAtOnce = 64 * 1024

/** One file of an archive, and its index beside it. Each record is a member of gzip. */
export class WarcFile {
  readonly path: string
  readonly #file: number
  readonly #index: number
  /** Where the next record begins. */
  length = 0
  #indexLength = 0

  private constructor(path: string, file: number, index: number) {
    this.path = path
    this.#file = file
    this.#index = index
  }

  /** Makes the file. Returns null if there is one of that name. Throws `write-failed`. */
  static create(path: string): WarcFile | null {
    const file = made(path)
    if (file === null) return null
    const index = made(path.replace(/\.warc\.gz$/, '.cdxj'))
    if (index !== null) return new WarcFile(path, file, index)
    closeSync(file)
    return null
  }

  /**
   * Adds records that belong together, and their lines of the index. If that fails, both files end as before. Rejects
   * with `write-failed`.
   */
  async add(records: readonly Ready[]): Promise<void> {
    const begin = this.length
    try {
      const lines: string[] = []
      for (const each of records) {
        const offset = this.length
        await this.#append(each)
        const place = { filename: basename(this.path), offset, length: this.length - offset }
        if (each.indexed !== null) lines.push(indexLine(each.record, each.indexed, place))
      }
      // A whole line says that its record is whole.
      const octets = Buffer.from(lines.join(''))
      writeAt(this.#index, octets, this.#indexLength)
      this.#indexLength += octets.length
    } catch (error) {
      this.length = begin
      ftruncateSync(this.#file, begin)
      ftruncateSync(this.#index, this.#indexLength)
      throw systemFailure(this.path, error)
    }
  }

  close(): void {
    closeSync(this.#file)
    closeSync(this.#index)
  }

  async #append({ record, block }: Ready): Promise<void> {
    // The block is in the spool already, so warcio's own buffer, a file that others may read, is not needed.
    const buffer = { write() {}, readAll: () => asAsync(block.octets()), purge() {} }
    const octets = new WARCSerializer(record, {}, buffer)
    try {
      if (block.size > maxAtOnce) {
        await pipeline(octets, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
          for await (const chunk of compressed) this.#write(chunk)
        })
      } else this.#write(gzipSync(await octets.readFully()))
    } finally {
      block.close()
    }
  }

  #write(octets: Uint8Array): void {
    writeAt(this.#file, octets, this.length)
    this.length += octets.length
  }
}

function writeAt(file: number, octets: Uint8Array, place: number): void {
  for (let at = 0; at < octets.length; ) at += writeSync(file, octets, at, octets.length - at, place + at)
}

/** Makes a file that does not exist yet. Returns null if it does. Throws `write-failed`. */
function made(path: string): number | null {
  return tryFile(path, () => {
    try {
      return openSync(path, 'wx')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
      throw error
    }
  })
}

async function* asAsync(octets: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* octets
}

type Place = Readonly<Record<'offset' | 'length', number>> & { readonly filename: string }

/** A line of CDXJ as pywb and warcio write it. */
function indexLine(
  { warcTargetURI, warcDate, warcType, warcPayloadDigest }: Ready['record'],
  { status, mediaType }: NonNullable<Ready['indexed']>,
  { filename, offset, length }: Place,
): string {
  const url = warcTargetURI ?? ''
  const facts = {
    url,
    mime: warcType === 'revisit' ? 'warc/revisit' : (mediaType ?? undefined),
    status: status === null ? undefined : String(status),
    digest: warcPayloadDigest?.replace(/^sha256:/, ''),
    length: String(length),
    offset: String(offset),
    filename,
  }
  return `${getSurt(url)} ${(warcDate ?? '').replace(/[-:T]/g, '').slice(0, 14)} ${JSON.stringify(facts)}\n`
}
