import {
  accessSync,
  closeSync,
  constants,
  type Dirent,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { byPath, normalize, type Tree, type TreeFile, type TreeNode } from './tree.ts'

const CHUNK = 64 * 1024
/** How many octets of a file are examined to tell text from other octets. */
const LOOK = 8 * 1024
/** A larger file is served as octets, since Gopher would hold a text in memory. */
const LARGEST_TEXT = 16 * 1024 * 1024
/** The most files that a search examines. */
const SEARCHED = 10_000

/**
 * The current files of a folder, read-only. It shows only readable files and directories. It hides names that lead out
 * of the folder through a link, and, unless asked for, what other users may not read, since those users can ask this
 * server. Paths and names are octets, one char each.
 */
export class FolderTree implements Tree {
  readonly #root: Buffer
  readonly #isPrivate: boolean

  /** `isPrivate` shows files that only their owner or group may read. */
  constructor(folder: string, isPrivate: boolean) {
    const root = real(Buffer.from(folder, 'utf8'))
    if (!root || !statSync(root).isDirectory()) throw new TypeError(`folder: expected a directory, got ${folder}`)
    this.#root = root
    this.#isPrivate = isPrivate
  }

  get(path: string): TreeNode | undefined {
    const clean = normalize(path)
    const place = this.#inside(clean)
    if (!place) return undefined
    try {
      accessSync(place, constants.R_OK)
      const stats = statSync(place)
      if (!this.#isPrivate && !this.#isOpen(place, stats)) return undefined
      if (stats.isDirectory()) return { kind: 'directory', path: clean, modified: stats.mtime }
      return stats.isFile() ? new FolderFile(place, clean, stats.size, stats.mtime) : undefined
    } catch {
      return undefined
    }
  }

  file(path: string): TreeFile | undefined {
    const node = this.get(path)
    return node?.kind === 'file' ? node : undefined
  }

  list(path: string): readonly TreeNode[] {
    const directory = normalize(path)
    const prefix = directory === '/' ? '/' : `${directory}/`
    return byPath(this.#names(directory).flatMap((entry) => this.get(prefix + name(entry)) ?? []))
  }

  /** Leaves out directories behind links, so that the walk ends. */
  files(): readonly TreeFile[] {
    const files: TreeFile[] = []
    const left = ['/']
    for (let path = left.pop(); path !== undefined && files.length < SEARCHED; path = left.pop()) {
      const prefix = path === '/' ? '/' : `${path}/`
      for (const entry of this.#names(path)) {
        if (entry.isDirectory()) left.push(prefix + name(entry))
        const file = this.file(prefix + name(entry))
        if (file) files.push(file)
      }
    }
    return files
  }

  /**
   * Whether other users may reach a real place below the root. The root itself always counts, since the user named it.
   */
  #isOpen(place: Buffer, stats: Stats): boolean {
    if (place.equals(this.#root)) return true
    if (!isOpenToOthers(stats)) return false
    const parent = place.subarray(0, place.lastIndexOf(SLASH))
    return parent.length <= this.#root.length || this.#isOpen(parent, statSync(parent))
  }

  #names(directory: string): readonly Dirent<Buffer>[] {
    const place = this.#inside(directory)
    try {
      if (!place) return []
      const entries = readdirSync(place, { encoding: 'buffer', withFileTypes: true })
      return entries.filter((entry) => !entry.name.some((octet) => octet < BLANK))
    } catch {
      return []
    }
  }

  /** The real place of a path, if that is the folder or lies in it. */
  #inside(path: string): Buffer | undefined {
    const place = real(Buffer.concat([this.#root, Buffer.from(path, 'latin1')]))
    const start = this.#root.at(-1) === SLASH ? this.#root : Buffer.concat([this.#root, Buffer.of(SLASH)])
    return place && (place.equals(this.#root) || place.subarray(0, start.length).equals(start)) ? place : undefined
  }
}

const SLASH = 0x2f
/**
 * A control character is below this. Names with one are not listed, since it would break a line of a listing or menu.
 */
const BLANK = 0x20

class FolderFile implements TreeFile {
  readonly kind = 'file'
  readonly path: string
  readonly size: number
  readonly modified: Date
  readonly etag: string
  readonly #place: Buffer

  constructor(place: Buffer, path: string, size: number, modified: Date) {
    this.#place = place
    this.path = path
    this.size = size
    this.modified = modified
    this.etag = `"${size.toString(16)}-${modified.getTime().toString(16)}"`
  }

  get text(): boolean {
    if (this.size > LARGEST_TEXT) return false
    for (const chunk of this.chunks(0, Math.min(this.size, LOOK))) if (chunk.includes(0)) return false
    return true
  }

  *chunks(start = 0, end: number = this.size): Iterable<Uint8Array> {
    // The name led to a real file when it was looked up. A link that has replaced the file since is not followed.
    const file = openSync(this.#place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      for (let at = start; at < end; ) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - at))
        const length = readSync(file, chunk, 0, chunk.length, at)
        // The length has been announced, so only ending the connection can show the failure.
        if (length === 0) throw Object.assign(new Error('The file has become shorter'), { code: 'ESHORT' })
        yield chunk.subarray(0, length)
        at += length
      }
    } finally {
      closeSync(file)
    }
  }
}

/** Whether users other than the owner and the group may read a file, or read and enter a folder. */
export function isOpenToOthers(stats: Stats): boolean {
  // Windows has no such modes.
  if (process.platform === 'win32') return true
  const needed = stats.isDirectory() ? constants.S_IROTH | constants.S_IXOTH : constants.S_IROTH
  return (stats.mode & needed) === needed
}

function name(entry: Dirent<Buffer>): string {
  return entry.name.toString('latin1')
}

/** The path with links resolved; undefined if nothing is there or it may not be seen. */
function real(path: Buffer): Buffer | undefined {
  try {
    return realpathSync(path, { encoding: 'buffer' })
  } catch {
    return undefined
  }
}
