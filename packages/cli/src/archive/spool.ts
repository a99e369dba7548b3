import { createHash, type Hash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tryFile } from '../saving/destination.ts'

/** How many octets of a body stay in memory. */
const maxInMemory = 256 * 1024
/** How many octets are read from the file at a time. */
const chunkSize = 64 * 1024

/** Processes of other machines, which may have the same folder, have another one. */
const own = randomBytes(8).toString('hex')
let made = 0

interface Digests {
  readonly block: string
  readonly payload: string
}

/**
 * Keeps the block of a record until its length and digests are known: a head, and a body of any size. A large body lies
 * in a file that only its owner can read and that has no name, so that nothing is left however the process ends.
 */
export class Spool {
  readonly #folder: string
  /** What begins the block and does not belong to the payload. */
  readonly head: Buffer
  #chunks: Buffer[] = []
  #inMemory = 0
  #file: number | null = null
  #path = ''
  /** Whether the file has its name still: Windows does not let us remove it while it is open. */
  #isNamed = false
  #digests: Digests | undefined
  #block: Hash
  #payload: Hash
  /** The length of the body. */
  size = 0

  /** Files are made in `folder`, where the archive is. */
  constructor(folder: string, head: Buffer = Buffer.alloc(0)) {
    this.#folder = folder
    this.head = head
    this.#block = createHash('sha256').update(head)
    this.#payload = createHash('sha256')
  }

  /** Adds octets of the body. Throws `write-failed`. */
  write(octets: Uint8Array): void {
    this.#payload.update(octets)
    if (this.head.length > 0) this.#block.update(octets)
    if (this.#file === null && this.#inMemory + octets.length <= maxInMemory) {
      this.#chunks.push(Buffer.from(octets))
      this.#inMemory += octets.length
    } else {
      const file = this.#opened()
      tryFile(this.#path, () => {
        for (let at = 0; at < octets.length; ) at += writeSync(file, octets, at)
      })
    }
    this.size += octets.length
  }

  /** Throws the body away: it begins anew. */
  startOver(): void {
    this.close()
    this.#chunks = []
    this.#inMemory = 0
    this.size = 0
    this.#block = createHash('sha256').update(this.head)
    this.#payload = createHash('sha256')
  }

  /** The digests of the whole block and of the body. No octets can be added afterwards. */
  digests(): Digests {
    if (this.#digests !== undefined) return this.#digests
    const payload = `sha256:${this.#payload.digest('hex')}`
    this.#digests = { payload, block: this.head.length > 0 ? `sha256:${this.#block.digest('hex')}` : payload }
    return this.#digests
  }

  /** The block. It can be read several times. */
  *octets(): Generator<Buffer> {
    if (this.head.length > 0) yield this.head
    yield* this.#chunks
    if (this.#file === null) return
    const left = this.size - this.#inMemory
    for (let at = 0; at < left; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkSize, left - at))
      const length = readSync(this.#file, chunk, 0, chunk.length, at)
      if (length === 0) throw new Error('the file of a body has lost octets')
      at += length
      yield chunk.subarray(0, length)
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    if (this.#isNamed) unlinkSync(this.#path)
    this.#file = null
    this.#isNamed = false
  }

  #opened(): number {
    if (this.#file !== null) return this.#file
    made++
    const path = join(this.#folder, `.warc-${own}-${made}.tmp`)
    const file = tryFile(path, () => openSync(path, 'wx+', 0o600))
    this.#file = file
    this.#path = path
    try {
      unlinkSync(path)
    } catch {
      this.#isNamed = true
    }
    return file
  }
}
