/** The time of everything in the tree: 2001-02-03 04:05:06 UTC. */
export const seedTime: Date = new Date(Date.UTC(2001, 1, 3, 4, 5, 6))

export interface TreeFile {
  readonly kind: 'file'
  /** The absolute path, one char an octet. */
  readonly path: string
  readonly size: number
  readonly modified: Date
  /** A strong entity tag with its quotes (RFC 9110, 8.8.3). */
  readonly etag: string
  /** Whether the file looks like lines for a person, judged by its octets. */
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

/** The files that FTP, HTTP and Gopher show. A path is octets, with `/` between the names, and without `.` and `..`. */
export interface Tree {
  get(path: string): TreeNode | undefined
  file(path: string): TreeFile | undefined
  /** The children of a directory, in the order of their octets. */
  list(path: string): readonly TreeNode[]
  /** All files, for searches. */
  files(): readonly TreeFile[]
}

/** Nodes in the order of the octets of their paths. */
export function byPath(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return [...nodes].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Turns `/a//b/../c/` into `/a/c`. The result never leaves the root. */
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
