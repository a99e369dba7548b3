import { lstatSync, type Stats } from 'node:fs'
import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { readIndex } from './index-file.ts'

/** The smallest unit that most file systems allocate. */
const block = 4096
/** If no index names a file and nobody has written it for this long, a killed process left it. */
const abandoned = 60 * 60 * 1000
/** A full folder is emptied to this share of its limit, so that it need not be swept again at once. */
const target = 0.9

/** How many files have their status read in one turn. Waiting for each of them takes ten times as long. */
const batch = 100

interface FoundFile {
  readonly name: string
  readonly size: number
  readonly modified: number
}

/** All files of one key. */
interface Group {
  readonly files: FoundFile[]
  /** When the index was last used. Null if there is none. */
  used: number | null
}

/**
 * Removes files that no index names and, if the folder is over its limit, the least recently used keys. Returns the
 * folder's size afterwards, in whole blocks. Leaves files alone that are not the cache's.
 */
export async function sweep(directory: string, maxSize: number): Promise<number> {
  const groups = await groupsIn(directory)
  let size = 0
  for (const group of groups.values()) size += await tidy(directory, group)
  if (size <= maxSize) return size
  const byUse = [...groups.values()].filter(({ used }) => used !== null)
  byUse.sort((one, other) => Number(one.used) - Number(other.used))
  for (const { files } of byUse) {
    if (size <= maxSize * target) break
    // The index is removed first, since the bodies that it names must exist.
    files.sort((one, other) => Number(isIndex(other)) - Number(isIndex(one)))
    for (const file of files) size -= await remove(directory, file)
  }
  return size
}

/** Returns the names of all bodies of a key, whether its index names them or not. */
export async function bodiesOf(directory: string, key: string): Promise<string[]> {
  const names = await readdir(directory)
  return names.filter((name) => name.startsWith(key) && /\.[0-9a-f]{16}$/.test(name))
}

async function groupsIn(directory: string): Promise<Map<string, Group>> {
  const groups = new Map<string, Group>()
  const names = await readdir(directory)
  const own = names.filter((name) => /^[0-9a-f]{64}\.(?:json|[0-9a-f]{16}(?:\.new)?)$/.test(name))
  for (const [at, name] of own.entries()) {
    if (at % batch === 0) await turn()
    const stats = statsOf(join(directory, name))
    if (stats === null) continue
    const key = name.slice(0, 64)
    const group = groups.get(key) ?? { files: [], used: null }
    groups.set(key, group)
    const file = { name, size: Math.ceil(stats.size / block) * block, modified: stats.mtimeMs }
    group.files.push(file)
    if (isIndex(file)) group.used = file.modified
  }
  return groups
}

/** Removes what a killed process left. Returns the size of the rest. */
async function tidy(directory: string, { files }: Group): Promise<number> {
  let size = 0
  const isOld = (file: FoundFile): boolean => !isIndex(file) && Date.now() - file.modified > abandoned
  // Usually there are an index and one body. The index need not be read then.
  const isNamed = files.length === 2 && files.some(isIndex) ? () => true : await namedBy(directory, files.find(isIndex))
  for (const file of files) {
    size += file.size
    if (isOld(file) && !isNamed(file.name)) size -= await remove(directory, file)
  }
  return size
}

async function namedBy(directory: string, index: FoundFile | undefined): Promise<(name: string) => boolean> {
  const all = index && (await readIndex(join(directory, index.name)).catch(() => null))
  return (name) => all?.some(({ body }) => body === name) === true
}

/** Removes the file. Returns how many octets that freed. */
async function remove(directory: string, { name, size }: FoundFile): Promise<number> {
  return unlink(join(directory, name)).then(
    () => size,
    () => 0,
  )
}

function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    return null
  }
}

function isIndex({ name }: FoundFile): boolean {
  return name.endsWith('.json')
}
