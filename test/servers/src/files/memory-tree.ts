import { createHash } from 'node:crypto'
import { bigChunks } from './big.ts'
import { byPath, normalize, parent, seedTime, type Tree, type TreeFile, type TreeNode } from './tree.ts'

/** Files in memory, and computed files. */
export class MemoryTree implements Tree {
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

  list(path: string): readonly TreeNode[] {
    const directory = normalize(path)
    const children = [...this.#nodes.values()].filter((node) => node.path !== '/' && parent(node.path) === directory)
    return byPath(children)
  }

  files(): readonly TreeFile[] {
    return [...this.#nodes.values()].filter((node) => node.kind === 'file')
  }

  /** Adds a file, or replaces it. A path that ends in a slash makes an empty directory. */
  add(path: string, content: Uint8Array, modified: Date = seedTime): void {
    if (path.endsWith('/')) {
      this.addDirectory(path)
      return
    }
    this.#put({
      kind: 'file',
      path: normalize(path),
      size: content.length,
      modified,
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
