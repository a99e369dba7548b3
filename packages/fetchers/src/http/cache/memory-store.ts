import { randomUUID } from 'node:crypto'
import type { BodyReader, BodyWriter, Store, Stored } from './stored.ts'

/** A server may send octet by octet, and an array for each would take a hundred times as much. */
const chunkSize = 64 * 1024

interface Shelf {
  readonly all: readonly Stored[]
  readonly size: number
}

/**
 * Keeps answers for as long as the fetcher lives, up to a size. undici's store never lets go of a URL's only
 * answer.
 */
export class MemoryStore implements Store {
  readonly #maxSize: number
  /** In the order of their use. */
  readonly #shelves = new Map<string, Shelf>()
  readonly #bodies = new Map<string, readonly Uint8Array[]>()
  #size = 0

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  async ready(): Promise<void> {}

  async read(key: string): Promise<readonly Stored[]> {
    const shelf = this.#shelves.get(key)
    if (shelf === undefined) return []
    this.#shelves.delete(key)
    this.#shelves.set(key, shelf)
    return shelf.all
  }

  async write(key: string, all: readonly Stored[]): Promise<void> {
    this.#remove(key, all)
    if (all.length === 0) return
    // A character of the head may take two octets.
    const size = all.reduce((sum, one) => sum + one.length, 2 * JSON.stringify(all).length)
    this.#shelves.set(key, { all, size })
    this.#size += size
    for (const oldest of this.#shelves.keys()) {
      if (this.#size <= this.#maxSize) break
      this.#remove(oldest, [])
    }
  }

  async open({ body }: Stored): Promise<BodyReader | null> {
    const chunks = body === null ? undefined : this.#bodies.get(body)
    if (chunks === undefined) return null
    let at = 0
    return {
      read: async () => chunks[at++]?.slice() ?? null,
      close: async () => {},
    }
  }

  async create(): Promise<BodyWriter> {
    const name = randomUUID()
    const chunks: Uint8Array[] = []
    return {
      name,
      write: async (chunk) => gather(chunks, chunk),
      end: async () => {
        this.#bodies.set(
          name,
          chunks.map((chunk) => chunk.slice()),
        )
      },
      discard: async () => {
        this.#bodies.delete(name)
      },
    }
  }

  async close(): Promise<void> {
    this.#shelves.clear()
    this.#bodies.clear()
    this.#size = 0
  }

  #remove(key: string, still: readonly Stored[]): void {
    const shelf = this.#shelves.get(key)
    if (shelf === undefined) return
    this.#shelves.delete(key)
    this.#size -= shelf.size
    for (const { body } of shelf.all) {
      if (body !== null && !still.some((other) => other.body === body)) this.#bodies.delete(body)
    }
  }
}

/** Adds octets to chunks that are full but for the last. */
function gather(chunks: Uint8Array[], octets: Uint8Array): void {
  const last = chunks.at(-1)
  const room = last === undefined ? 0 : chunkSize - last.length
  // A view at the beginning of its buffer, which has room behind it.
  if (last !== undefined && room > 0) {
    const grown = new Uint8Array(last.buffer, 0, last.length + Math.min(room, octets.length))
    grown.set(octets.subarray(0, room), last.length)
    chunks[chunks.length - 1] = grown
  }
  for (let at = room; at < octets.length; at += chunkSize) {
    const part = octets.subarray(at, at + chunkSize)
    const chunk = new Uint8Array(new ArrayBuffer(chunkSize), 0, part.length)
    chunk.set(part)
    chunks.push(chunk)
  }
}
