import { createHash } from 'node:crypto'
import { bigChunks } from './big.ts'

/** The time of everything in the tree: 2001-02-03 04:05:06 UTC. */
export const seedTime: Date = new Date(Date.UTC(2001, 1, 3, 4, 5, 6))

export interface TreeFile {
  readonly kind: 'file'
  /** Absolute, one char an octet. */
  readonly path: string
  readonly size: number
  readonly modified: Date
  /** A strong entity tag, with its quotes (RFC 9110, 8.8.3). */
  readonly etag: string
  /** Lines for a person to read, as far as a look at the octets tells. */
  readonly text: boolean
  /** The octets from `start` up to, not including, `end`. */
  chunks(start?: number, end?: number): Iterable<Uint8Array>
}

export interface TreeDirectory {
  readonly kind: 'directory'
  readonly path: string
  readonly modified: Date
}

export type TreeNode = TreeFile | TreeDirectory

/** The files that FTP, HTTP and Gopher show. Paths are octets, `/` between the names, no `.` or `..` among them. */
export class Tree {
  readonly #nodes = new Map<string, TreeNode>()

  constructor() {
    this.addDirectory('/')
  }

  get(path: string): TreeNode | undefined {
    return this.#nodes.get(normalize(path))
  }

  file(path: string): TreeFile | undefined {
    const node = this.get(path)
    return node?.kind === 'file' ? node : undefined
  }

  /** The children of a directory, in the order of their octets. */
  list(path: string): readonly TreeNode[] {
    const directory = normalize(path)
    const children = [...this.#nodes.values()].filter((node) => node.path !== '/' && parent(node.path) === directory)
    return children.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  files(): readonly TreeFile[] {
    return [...this.#nodes.values()].filter((node) => node.kind === 'file')
  }

  /** Adds a file, or replaces it. A path that ends in a slash makes an empty directory. */
  add(path: string, content: Uint8Array): void {
    if (path.endsWith('/')) {
      this.addDirectory(path)
      return
    }
    this.#put({
      kind: 'file',
      path: normalize(path),
      size: content.length,
      modified: seedTime,
      etag: `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`,
      text: !content.includes(0),
      chunks: (start = 0, end = content.length) => [content.subarray(start, end)],
    })
  }

  /** Adds a file whose octets are computed, see `bigOctet`. */
  addBig(path: string, size: number): void {
    this.#put({
      kind: 'file',
      path,
      size,
      modified: seedTime,
      etag: `"big-${size}"`,
      text: false,
      chunks: (start = 0, end = size) => bigChunks(start, Math.min(end, size)),
    })
  }

  addDirectory(path: string): void {
    const clean = normalize(path)
    if (this.#nodes.has(clean)) return
    this.#put({ kind: 'directory', path: clean, modified: seedTime })
  }

  #put(node: TreeNode): void {
    this.#nodes.set(node.path, node)
    if (node.path !== '/') this.addDirectory(parent(node.path))
  }
}

/** `/a//b/../c/` -> `/a/c`. Never leaves the root. */
export function normalize(path: string): string {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return `/${names.join('/')}`
}

export function parent(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
