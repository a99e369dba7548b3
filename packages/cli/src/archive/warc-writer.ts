import { basename, dirname } from 'node:path'
import { writeFailed } from '../saving/destination.ts'
import { type Ready, recordOf } from './records.ts'
import { Spool } from './spool.ts'
import { WarcFile } from './warc-file.ts'

/** How an archive is written. */
export interface ArchiveOptions {
  /** The path with which the names of the files begin. */
  readonly prefix: string
  /** A file of this length, or longer, gets no further records: a new one begins. */
  readonly maxSize: number
  /** Lines of the form `name: value` for the warcinfo records. */
  readonly fields: readonly string[]
}

/** More files than this cannot be numbered. */
const maxFiles = 100_000

/** Writes records into the files of one archive, one after the other. */
export class WarcWriter {
  readonly #options: ArchiveOptions
  readonly #software: string
  readonly #begun: string
  #file: WarcFile
  #serial = 0
  /** Whether the file has records beside its description. */
  #hasRecords = false
  /** The ID of the warcinfo record in the file. */
  #info = ''
  #writing: Promise<void>
  /** The first error; null if there is none. After it, nothing is written. */
  #failure: unknown = null

  /** Makes the first file. Throws `write-failed`. */
  constructor(options: ArchiveOptions, software: string) {
    this.#options = options
    this.#software = software
    this.#begun = stamp(new Date())
    this.#file = this.#next()
    this.#writing = this.#begin()
  }

  /** The folder of the files. */
  get folder(): string {
    return dirname(this.#options.prefix)
  }

  /** Writes records that belong together, all into one file, or none of them. Rejects with `write-failed`. */
  write(records: readonly Ready[]): Promise<void> {
    const written = this.#writing.then(() => this.#write(records))
    this.#writing = written.catch(() => {})
    return written
  }

  /** Ends the writing, because something could not be kept. */
  fail(error: unknown): void {
    this.#failure ??= error
  }

  /** Resolves when all records so far are written. Rejects with the error that ended the writing. */
  async written(): Promise<void> {
    await this.#writing
    if (this.#failure !== null) throw this.#failure
  }

  /** Closes the file once all is written. Rejects with the error that ended the writing. */
  async close(): Promise<void> {
    try {
      await this.written()
    } finally {
      this.#file.close()
    }
  }

  async #write(records: readonly Ready[]): Promise<void> {
    try {
      if (this.#hasRecords && this.#file.length >= this.#options.maxSize) {
        const next = this.#next()
        this.#file.close()
        this.#file = next
        await this.#begin()
      }
      if (this.#failure !== null) throw this.#failure
      for (const { record } of records) record.warcHeaders.headers.set('WARC-Warcinfo-ID', this.#info)
      await this.#file.add(records)
      this.#hasRecords = true
    } catch (error) {
      this.fail(error)
      throw error
    } finally {
      for (const { block } of records) block.close()
    }
  }

  /** Makes the next file whose name is free: another process may write an archive of the same name. */
  #next(): WarcFile {
    const { prefix } = this.#options
    for (; this.#serial < maxFiles; this.#serial++) {
      const serial = String(this.#serial).padStart(5, '0')
      const file = WarcFile.create(`${prefix}-${this.#begun}-${serial}.warc.gz`)
      if (file === null) continue
      this.#serial++
      return file
    }
    throw writeFailed(prefix, `there are ${maxFiles} files of this name already`)
  }

  /** Writes the first record of a file, which describes the archive. */
  async #begin(): Promise<void> {
    this.#hasRecords = false
    try {
      const ready = this.#warcinfo()
      this.#info = ready.record.warcHeader('WARC-Record-ID') ?? ''
      await this.#file.add([ready])
    } catch (error) {
      this.fail(error)
    }
  }

  #warcinfo(): Ready {
    const lines = [
      `software: ${this.#software}`,
      'format: WARC File Format 1.1',
      'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
      ...this.#options.fields,
    ]
    const block = new Spool(this.folder)
    block.write(Buffer.from(`${lines.join('\r\n')}\r\n`))
    const facts = {
      date: new Date().toISOString(),
      contentType: 'application/warc-fields',
      more: { 'WARC-Filename': basename(this.#file.path) },
    }
    return recordOf('warcinfo', facts, block)
  }
}

/** `20261231235959`, in UTC. */
function stamp(date: Date): string {
  return date.toISOString().replace(/\D/g, '').slice(0, 14)
}
