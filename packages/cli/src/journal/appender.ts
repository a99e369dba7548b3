import { closeSync, fchmodSync, fdatasync, fstatSync, fsyncSync, ftruncateSync, openSync, write } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { throwUnlessDenied } from '@retriever/fetchers/internal'
import { systemFailure, tryFile, writeFailed } from '../saving/destination.ts'
import { openOwn } from '../saving/own-file.ts'

const writeSome = promisify(write)
const synchronise = promisify(fdatasync)

/** Only the owner may read a journal, since its URLs may tell more than the files. */
const mode = 0o600

/** Someone who waits until the lines so far are on the disk. */
interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Appends lines to a file. All who wait at the same time share one write and one fdatasync, so that many small files
 * cost few of them.
 */
export class Appender {
  readonly #path: string
  readonly #file: number
  #end: number
  #lines: Buffer[] = []
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null
  #failure: { readonly cause: unknown } | null = null

  /** Opens the file, and cuts what is behind `end`: a torn line. Throws `write-failed`. */
  constructor(path: string, end: number) {
    this.#path = path
    this.#end = end
    this.#file = openOwn(path, { append: true })
    tryFile(path, () => {
      const stats = fstatSync(this.#file)
      if (!stats.isFile()) throw writeFailed(path, 'it is no regular file')
      if ((stats.mode & 0o077) !== 0) fchmodSync(this.#file, mode)
      if (stats.size > end) ftruncateSync(this.#file, end)
    })
    if (end === 0) synchroniseFolder(dirname(path))
  }

  /** Adds a line, and returns its position. It is written soon. */
  add(line: string): number {
    const at = this.#end
    const octets = Buffer.from(line)
    this.#end += octets.length
    this.#lines.push(octets)
    this.#writing ??= this.#write()
    return at
  }

  /** Resolves when all lines so far are on the disk. Rejects with `write-failed`. */
  committed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  /** Closes the file once all lines are on the disk. Rejects with `write-failed`. */
  async close(): Promise<void> {
    try {
      await this.committed()
    } finally {
      closeSync(this.#file)
    }
  }

  async #write(): Promise<void> {
    // What ends in the same turn of the event loop is written together.
    await new Promise(setImmediate)
    while (this.#lines.length > 0 || this.#waiting.length > 0) {
      const [lines, waiting] = [this.#lines, this.#waiting]
      this.#lines = []
      this.#waiting = []
      try {
        if (this.#failure !== null) throw this.#failure.cause
        if (lines.length > 0) await this.#writeWhole(Buffer.concat(lines))
        // With --jail, Node refuses this: then lines outlive the process, and may be lost with the power.
        if (waiting.length > 0) await synchronise(this.#file).catch(throwUnlessDenied)
        for (const { resolve } of waiting) resolve()
      } catch (cause) {
        // Behind a line that was written in part, no other line could be read.
        this.#failure ??= { cause: systemFailure(this.#path, cause) }
        for (const { reject } of waiting) reject(this.#failure.cause)
      }
    }
    this.#writing = null
  }

  async #writeWhole(octets: Buffer): Promise<void> {
    for (let at = 0; at < octets.length; ) {
      at += (await writeSome(this.#file, octets, at)).bytesWritten
    }
  }
}

/** Puts the name of a new file on the disk. Some systems cannot open a folder. */
function synchroniseFolder(folder: string): void {
  try {
    const file = openSync(folder, 'r')
    fsyncSync(file)
    closeSync(file)
  } catch {
    // The lines are on the disk all the same, and most systems write the name with them.
  }
}
