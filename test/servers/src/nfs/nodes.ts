import type { ServedFiles } from '../files/served-files.ts'
import { baseName, seedTime, type TreeFile } from '../files/tree.ts'
import { hostile } from './misbehaviours.ts'
import { word } from './xdr.ts'

/** The types of files (RFC 1813 2.5, ftype3). */
export const types = { file: 1, directory: 2, link: 5 } as const

export interface NfsNode {
  readonly id: number
  readonly path: string
  readonly type: number
  readonly size: number
  readonly modified: Date
  /** The text of a link. */
  readonly target?: string
  readonly file?: TreeFile
  /** The name of a misbehaviour. */
  readonly hostile?: string
}

/** Symbolic links, which the tree of files does not have. */
export const seedLinks: Readonly<Record<string, string>> = {
  '/pub/link': 'hello.txt',
  '/pub/up': '../readme.txt',
  '/pub/sublink': 'sub',
  '/pub/root': '/etc/motd',
  '/pub/loop': 'loop',
  '/pub/local': 'file:///etc/passwd',
  '/pub/web': 'http://127.0.0.1:9/',
  '/pub/link with spaces': 'name with spaces.txt',
}

const handleSize = 32
const magic = 'Test'

/** The files of the tree, by path and by handle. */
export class Nodes {
  readonly #tree: ServedFiles
  readonly #links: Readonly<Record<string, string>>
  readonly #paths: string[] = []
  readonly #ids = new Map<string, number>()

  constructor(tree: ServedFiles) {
    this.#tree = tree
    this.#links = tree.seeded ? seedLinks : {}
  }

  at(path: string): NfsNode | undefined {
    const [, name = ''] = /^\/misbehaviour\/([^/]*)$/.exec(path) ?? []
    const bad = Object.hasOwn(hostile, name) && this.#tree.seeded ? hostile[name] : undefined
    const common = { id: this.#idOf(path), path, modified: seedTime }
    if (bad !== undefined) return { ...common, type: bad.type, size: bad.size ?? 4096, hostile: name }
    const target = this.#links[path]
    if (target !== undefined) return { ...common, type: types.link, size: target.length, target }
    const node = this.#tree.get(path)
    if (node === undefined) return undefined
    if (node.kind === 'directory') return { ...common, type: types.directory, size: 4096, modified: node.modified }
    return { ...common, type: types.file, size: node.size, modified: node.modified, file: node }
  }

  /** The file of a handle; undefined if the handle is not ours. */
  of(handle: string): NfsNode | undefined {
    if (!handle.startsWith(magic)) return undefined
    const path = this.#paths[handle.charCodeAt(6) * 256 + handle.charCodeAt(7)]
    return path === undefined ? undefined : this.at(path)
  }

  children(path: string): readonly NfsNode[] {
    const links = Object.keys(this.#links).filter((link) => link.slice(0, link.lastIndexOf('/')) === path)
    const paths = [...this.#tree.list(path === '' ? '/' : path).map((node) => node.path), ...links]
    return paths.sort().flatMap((each) => this.at(each) ?? [])
  }

  #idOf(path: string): number {
    const known = this.#ids.get(path)
    if (known !== undefined) return known
    this.#ids.set(path, this.#paths.push(path) - 1)
    return this.#paths.length - 1
  }
}

export function handleOf({ id }: NfsNode): string {
  return (magic + word(id)).padEnd(handleSize, '\0')
}

export function nameOf({ path }: NfsNode): string {
  return baseName(path)
}

/** The octets of a file from `start` up to `end`. */
export function octetsOf({ file }: NfsNode, start: number, end: number): string {
  if (file === undefined || start >= end) return ''
  return Buffer.concat([...file.chunks(start, Math.min(end, file.size))]).toString('latin1')
}
