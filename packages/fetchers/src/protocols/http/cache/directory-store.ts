import { randomBytes } from 'node:crypto'
import { type FileHandle, lstat, rename, unlink, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { makeFolders } from '../../../kit/files/make-folders.ts'
import { systemReason } from '../../../kit/system-reason.ts'
import { bodiesOf, sweep } from './directory-sweep.ts'
import { createStored, openStored, readIndex, writeIndex } from './index-file.ts'
import type { BodyWriter, Store, Stored } from './stored.ts'

/** How many octets are read at once. */
const chunkSize = 64 * 1024

/**
 * Stores responses in one folder, which several processes may use at once. `<key>.json` is the index of a key's
 * responses and names their bodies, `<key>.<random>`. A body is written before the index that names it, and an index
 * gets its name only when it is complete. So what a killed process leaves is never served; `sweep` removes it.
 */
export class DirectoryStore implements Store {
  readonly #directory: string
  readonly #maxSize: number
  #checked: Promise<void> | undefined
  #sweeping: Promise<void> = Promise.resolve()
  /** By how many octets the folder may exceed its limit. Negative if there is room. */
  #excess = Number.POSITIVE_INFINITY
  /** How many octets were written since the sweep under way began; null: none is under way. */
  #meanwhile: number | null = null

  constructor(directory: string, maxSize: number) {
    this.#directory = resolve(directory)
    this.#maxSize = maxSize
  }

  async ready(context: RetrievalContext): Promise<void> {
    this.#checked ??= checkDirectory(this.#directory)
    try {
      await this.#checked
    } catch (cause) {
      this.#checked = undefined
      const { code, message } = cause as NodeJS.ErrnoException
      const reason = code === 'EEXIST' ? 'it is no folder' : (systemReason(cause) ?? code ?? message)
      const why = cause instanceof Unfit ? message : `${reason}; name another`
      throw context.error('file-failed', `The cache folder ${this.#directory} cannot be used: ${why}.`, { cause })
    }
  }

  async read(key: string): Promise<readonly Stored[]> {
    const path = this.#path(`${key}.json`)
    try {
      const all = await readIndex(path)
      if (all !== null) {
        // sweep reads this as the time of the last use.
        await utimes(path, new Date(), new Date()).catch(() => {})
        return all
      }
      await this.#removeAll(key)
    } catch (error) {
      // It is a symbolic link, which is not ours, or a file that we may not read.
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'ELOOP' || code === 'EACCES') await this.#removeAll(key).catch(() => {})
    }
    return []
  }

  async write(key: string, all: readonly Stored[]): Promise<void> {
    const before = await this.read(key)
    if (all.length === 0) await unlink(this.#path(`${key}.json`)).catch(() => {})
    else await this.#publish(key, all)
    const gone = before.filter(({ body }) => !all.some((one) => one.body === body))
    for (const { body } of gone) if (body !== null) await unlink(this.#path(body)).catch(() => {})
    this.#grow(all.reduce((sum, { length }) => sum + length, 0))
  }

  async open(stored: Stored): Promise<ByteSource | null> {
    if (stored.body === null) return null
    try {
      const file = await openStored(this.#path(stored.body))
      if (await isUndamaged(file, stored).catch(() => false)) return reader(file)
      await file.close()
    } catch {
      // Another process has replaced or removed it.
    }
    return null
  }

  async create(key: string): Promise<BodyWriter> {
    const name = `${key}.${randomName()}`
    const path = this.#path(name)
    const file = await createStored(path)
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      closing ??= file.close()
      return closing
    }
    return {
      name,
      write: async (chunk) => {
        for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
      },
      end: close,
      discard: async () => {
        await close().catch(() => {})
        await unlink(path).catch(() => {})
      },
    }
  }

  async close(): Promise<void> {
    await this.#sweeping
  }

  async #publish(key: string, all: readonly Stored[]): Promise<void> {
    const path = this.#path(`${key}.${randomName()}.new`)
    try {
      await writeIndex(path, all)
      await rename(path, this.#path(`${key}.json`))
    } catch (error) {
      await unlink(path).catch(() => {})
      throw error
    }
  }

  async #removeAll(key: string): Promise<void> {
    await unlink(this.#path(`${key}.json`))
    for (const name of await bodiesOf(this.#directory, key)) await unlink(this.#path(name)).catch(() => {})
  }

  /** Measures the folder at the first write, since other processes fill it, too, and whenever it may be full. */
  #grow(octets: number): void {
    if (this.#meanwhile !== null) this.#meanwhile += octets
    else {
      this.#excess += octets
      if (this.#excess > 0) this.#sweeping = this.#sweep()
    }
  }

  /** Sweeps again if what was written meanwhile may be too much. After a failure, the next write tries again. */
  async #sweep(): Promise<void> {
    do {
      this.#meanwhile = 0
      const size = await sweep(this.#directory, this.#maxSize).catch(() => Number.POSITIVE_INFINITY)
      this.#excess = size - this.#maxSize + this.#meanwhile
    } while (this.#meanwhile > 0 && this.#excess > 0 && this.#excess < Number.POSITIVE_INFINITY)
    this.#meanwhile = null
  }

  #path(name: string): string {
    return join(this.#directory, name)
  }
}

class Unfit extends Error {}

/** Checks that only the user can write to the folder, since its content decides what is served. */
async function checkDirectory(directory: string): Promise<void> {
  makeFolders(directory, 0o700)
  const stats = await lstat(directory)
  if (stats.isSymbolicLink()) throw new Unfit('it is a symbolic link; name the folder that it leads to')
  // Windows has no user ids and modes.
  if (process.getuid === undefined) return
  if (stats.uid !== process.getuid()) throw new Unfit('it belongs to somebody else; name one of your own')
  if ((stats.mode & 0o022) !== 0) throw new Unfit('others may write to it; forbid that by chmod go-w, or name another')
}

/** Reads the whole body before it is served: if damage shows up later, octets that were served cannot be taken back. */
async function isUndamaged(file: FileHandle, { length, check }: Stored): Promise<boolean> {
  const stats = await file.stat()
  if (!stats.isFile() || stats.size !== length) return false
  const chunk = new Uint8Array(chunkSize)
  let sum = 0
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(chunk, 0, chunkSize, at)
    if (bytesRead === 0) return false
    sum = crc32(chunk.subarray(0, bytesRead), sum)
    at += bytesRead
  }
  return sum === check
}

function reader(file: FileHandle): ByteSource {
  let closing: Promise<void> | undefined
  return {
    read: async () => {
      const chunk = new Uint8Array(chunkSize)
      const { bytesRead } = await file.read(chunk, 0, chunkSize)
      if (bytesRead === chunkSize) return chunk
      return bytesRead === 0 ? null : chunk.slice(0, bytesRead)
    },
    cancel: () => {
      closing ??= file.close()
      return closing
    },
  }
}

function randomName(): string {
  return randomBytes(8).toString('hex')
}
