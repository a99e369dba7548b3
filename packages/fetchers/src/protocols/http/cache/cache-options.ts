import { checkOptions, count, type OptionKind } from '../../../kit/options.ts'
import type { Cache } from './cache.ts'

/** A cache in a folder. Several processes may use it at a time. */
export interface DirectoryCache {
  /**
   * The folder. It is created if it is missing. It must belong to the user, and no other user may have write access.
   */
  readonly directory: string
  /**
   * How many octets the cache may have, in blocks of 4 KiB a file. If it has more, the least recently used responses
   * are removed. Default 512 MiB.
   */
  readonly maxSize?: number
  /** How many octets a stored body may have. Default an eighth of maxSize. */
  readonly maxEntrySize?: number
}

/** `memory`: 64 MiB, bodies of up to 5 MiB, until the client is closed. */
export type CacheOption = 'memory' | DirectoryCache

const memory = { maxSize: 64 * 1024 * 1024, maxEntrySize: 5 * 1024 * 1024 }
const directoryMaxSize = 512 * 1024 * 1024

export const cacheOption: OptionKind = [
  '"memory", or { directory, maxSize, maxEntrySize }',
  (value) => value === 'memory' || (typeof value === 'object' && value !== null && 'directory' in value),
]

const folder: OptionKind = ['the path of a folder', (value) => typeof value === 'string' && /^[^\0]+$/.test(value)]
const directoryKinds: Readonly<Record<keyof DirectoryCache, OptionKind>> = {
  directory: folder,
  maxSize: count,
  maxEntrySize: count,
}

/** Throws `invalid-option` for options that make no sense. */
export function checkCache(option: CacheOption): void {
  if (option !== 'memory')
    checkOptions({ ...option, directory: option.directory ?? '' }, directoryKinds, 'httpFetcher.cache.')
}

/** Opens a cache. Its modules are loaded only now. */
export async function openCache(option: CacheOption): Promise<Cache> {
  const { Cache } = await import('./cache.ts')
  if (option === 'memory') {
    const { MemoryStore } = await import('./memory-store.ts')
    return new Cache(new MemoryStore(memory.maxSize), memory.maxEntrySize)
  }
  const { DirectoryStore } = await import('./directory-store.ts')
  const { directory, maxSize = directoryMaxSize, maxEntrySize = Math.ceil(maxSize / 8) } = option
  return new Cache(new DirectoryStore(directory, maxSize), maxEntrySize)
}
