import { existsSync, statSync } from 'node:fs'
import { redact } from '@retriever/core'
import { readList } from '../many/list.ts'
import { writeInPlace } from '../saving/own-file.ts'
import type { Streams } from '../terminal/streams.ts'

/** A client may ask for URLs without end, and the list must not fill the disk. */
const maxListed = 100_000

/** The URLs that were asked for and not there, for --from. Each is there once. */
export class MissingList {
  readonly path: string
  readonly #known: Set<string>
  #isBegun: boolean

  private constructor(path: string, known: Set<string>) {
    this.path = path
    this.#known = known
    this.#isBegun = !existsSync(path) || statSync(path).size === 0
  }

  /** Reads what earlier runs have listed. Rejects with `file-failed`. */
  static async open(path: string, streams: Streams, signal: AbortSignal): Promise<MissingList> {
    const known = new Set<string>()
    if (existsSync(path)) for await (const { operand } of readList(path, streams, signal)) known.add(operand)
    return new MissingList(path, known)
  }

  /** Adds a URL. Returns false for one that cannot stand in a list: a part of it is secret. Throws `write-failed`. */
  add(url: string): boolean {
    const listed = url.replace(/[\t\r\n]+/g, ' ')
    if (redact(url) !== url || url.includes('***')) return false
    if (this.#known.has(listed)) return true
    if (this.#known.size >= maxListed) return false
    // A person may have left the last line without its end.
    writeInPlace(this.path, Buffer.from(`${this.#isBegun ? '' : '\n'}${listed}\n`), { append: true })
    this.#isBegun = true
    this.#known.add(listed)
    return true
  }
}
