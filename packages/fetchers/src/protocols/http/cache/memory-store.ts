import { randomUUID } from 'node:crypto'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { BodyWriter, Store, Stored } from './stored.ts'

/** Bodies are kept in chunks of this size, since a server may send single octets. */
const chunkSize = 64 * 1024

/** All responses of one key. */
interface Group {
  readonly all: readonly Stored[]
  readonly size: number
}

/**
 * Stores responses until the client is closed, up to a size. undici's store never evicts the only response of a URL.
 */
export class MemoryStore implements Store {
  readonly #maxSize: number
  /** The groups by key. The least recently used one is first. */
  readonly #groups = new Map<string, Group>()
  readonly #bodies = new Map<string, readonly Uint8Array[]>()
  #size = 0

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  async ready(): Promise<void> {}

  async read(key: string): Promise<readonly Stored[]> {
    const group = this.#groups.get(key)
    if (group === undefined) return []
    this.#groups.delete(key)
    this.#groups.set(key, group)
    return group.all
  }

  async write(key: string, all: readonly Stored[]): Promise<void> {
    this.#remove(key, all)
    if (all.length === 0) return
    // A character of a field may take two octets.
    const size = all.reduce((sum, one) => sum + one.length, 2 * JSON.stringify(all).length)
    this.#groups.set(key, { all, size })
    this.#size += size
    for (const oldest of this.#groups.keys()) {
      if (this.#size <= this.#maxSize) break
      this.#remove(oldest, [])
    }
  }

  async open({ body }: Stored): Promise<ByteSource | null> {
    const chunks = body === null ? undefined : this.#bodies.get(body)
    if (chunks === undefined) return null
    let at = 0
    return {
      read: async () => chunks[at++]?.slice() ?? null,
      cancel: async () => {},
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
    this.#groups.clear()
    this.#bodies.clear()
  }

  /** Removes a key, and its bodies except those of `kept`. */
  #remove(key: string, kept: readonly Stored[]): void {
    const group = this.#groups.get(key)
    if (group === undefined) return
    this.#groups.delete(key)
    this.#size -= group.size
    for (const { body } of group.all) {
      if (body !== null && !kept.some((other) => other.body === body)) this.#bodies.delete(body)
    }
  }
}

/** Appends octets to chunks. All chunks but the last are full. */
function gather(chunks: Uint8Array[], octets: Uint8Array): void {
  const last = chunks.at(-1)
  const room = last === undefined ? 0 : chunkSize - last.length
  // The last chunk is a view of a buffer that has room after it.
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
