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

  /** Adds a record. If that fails, the file ends with the record before. Rejects with `write-failed`. */
  async add({ record, block, indexed }: Ready): Promise<void> {
    const begin = this.length
    // The block is in the spool already, so warcio's own buffer, a file that others may read, is not needed.
    const buffer = { write() {}, readAll: () => asAsync(block.octets()), purge() {} }
    const octets = new WARCSerializer(record, {}, buffer)
    try {
      if (block.size > maxAtOnce) {
        await pipeline(octets, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
          for await (const chunk of compressed) this.#write(chunk)
        })
      } else this.#write(gzipSync(await octets.readFully()))
    } catch (error) {
      this.length = begin
      ftruncateSync(this.#file, begin)
      throw systemFailure(this.path, error)
    } finally {
      block.close()
    }
    if (indexed === null) return
    const line = indexLine(record, indexed, {
      filename: basename(this.path),
      offset: begin,
      length: this.length - begin,
    })
    tryFile(this.path, () => writeSync(this.#index, line))
  }

  close(): void {
    closeSync(this.#file)
    closeSync(this.#index)
  }

  #write(octets: Uint8Array): void {
    for (let at = 0; at < octets.length; ) {
      const written = writeSync(this.#file, octets, at, octets.length - at, this.length)
      at += written
      this.length += written
    }
  }
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
