import { type Checks, flag, isObject, text, wholeNumber, wrong } from '../options.ts'
import { octets } from '../text.ts'
import { FolderTree } from './folder-tree.ts'
import { MemoryTree } from './memory-tree.ts'
import { seedTree } from './seed.ts'
import type { Tree, TreeFile, TreeNode } from './tree.ts'

/** The content of a file: text (sent as UTF-8) or octets, with the time of its last change if it matters. */
export type FileContent =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array /** Default 2001-02-03 04:05:06 UTC. */; readonly modified?: Date }

/** Files by absolute path (sent as UTF-8). A path that ends in a slash makes an empty directory. */
export type Files = Readonly<Record<string, FileContent>>

/** Options of servers that have files. */
export interface FileOptions {
  /** More files; they replace seed files of the same name. */
  readonly files?: Files
  /** The size of the generated file `/big`. Default 2 GiB. */
  readonly bigSize?: number
  /** false: no files, routes, searches or forms but your own. Default true. */
  readonly seed?: boolean
  /** Serves the files of this folder instead, read-only. Links that lead out of it do not show. */
  readonly folder?: string
  /**
   * Whether to serve files of the folder that other users of this machine may not read (mode 600), although these users
   * can ask the server. Default false.
   */
  readonly privateFiles?: boolean
}

export const fileChecks: Checks<FileOptions> = {
  files: checkFiles,
  bigSize: wholeNumber,
  seed: flag,
  folder: text,
  privateFiles: flag,
}

/** The files of one server, or of all servers of `startServers`. They can be replaced while the servers run. */
export class ServedFiles implements Tree {
  readonly #options: FileOptions
  #tree: Tree

  /** Expects checked options. Throws a TypeError if the folder is no folder. */
  constructor(options: FileOptions) {
    const { folder, files, seed, bigSize, privateFiles } = options
    if (folder !== undefined && (files !== undefined || seed !== undefined || bigSize !== undefined)) {
      throw new TypeError('folder: expected alone, without files, seed and bigSize')
    }
    if (folder === undefined && privateFiles !== undefined) {
      throw new TypeError('privateFiles: expected beside folder')
    }
    this.#options = { ...options }
    this.#tree = this.#first()
  }

  /** Whether the seed is served, with its routes, searches and forms. */
  get seeded(): boolean {
    return this.#options.seed !== false && this.#options.folder === undefined
  }

  get(path: string): TreeNode | undefined {
    return this.#tree.get(path)
  }

  file(path: string): TreeFile | undefined {
    return this.#tree.file(path)
  }

  list(path: string): readonly TreeNode[] {
    return this.#tree.list(path)
  }

  files(): readonly TreeFile[] {
    return this.#tree.files()
  }

  /** From now on serves the seed and these files, instead of earlier given files. */
  set(files: Files): void {
    if (this.#options.folder !== undefined) throw new TypeError('setFiles: this server serves a folder')
    checkFiles('files', files)
    this.#tree = this.#withSeed(files)
  }

  reset(): void {
    this.#tree = this.#first()
  }

  #first(): Tree {
    const { folder, files = {}, privateFiles = false } = this.#options
    return folder === undefined ? this.#withSeed(files) : new FolderTree(folder, privateFiles)
  }

  #withSeed(files: Files): Tree {
    const tree = this.seeded ? seedTree(this.#options.bigSize ?? 2 ** 31) : new MemoryTree()
    if (!this.seeded && this.#options.bigSize !== undefined) tree.addBig('/big', this.#options.bigSize)
    for (const [path, file] of Object.entries(files)) {
      const { content, modified } = typeof file === 'string' || file instanceof Uint8Array ? bare(file) : file
      tree.add(octets(path), typeof content === 'string' ? Buffer.from(content, 'utf8') : content, modified)
    }
    return tree
  }
}

function bare(content: string | Uint8Array): { readonly content: string | Uint8Array; readonly modified?: Date } {
  return { content }
}

function checkFiles(name: string, files: unknown): void {
  if (!isObject(files)) throw wrong(name, 'an object of contents by path', files)
  for (const [path, file] of Object.entries(files)) {
    if (!path.startsWith('/')) throw new TypeError(`${name}: expected absolute paths, got ${JSON.stringify(path)}`)
    checkContent(`${name}[${JSON.stringify(path)}]`, file)
  }
}

function checkContent(name: string, file: unknown): void {
  if (typeof file === 'string' || file instanceof Uint8Array) return
  const { content, modified, ...others } = Object(file) as Record<string, unknown>
  const isContent = typeof content === 'string' || content instanceof Uint8Array
  const isTime = modified === undefined || (modified instanceof Date && !Number.isNaN(modified.getTime()))
  if (!isContent || !isTime || Object.keys(others).length > 0) {
    throw wrong(name, 'text, octets, or { content, modified }', file)
  }
}
