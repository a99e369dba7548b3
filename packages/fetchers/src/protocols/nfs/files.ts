import { XdrError } from './xdr.ts'

/** The attributes of a file that all versions of NFS have. */
export interface Attributes {
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** The permission bits, as in Unix. */
  readonly mode: number
  /** The owner and the group. They are numbers, or in version 4 what the server writes. */
  readonly owner: string
  readonly group: string
  /** Octets. */
  readonly size: number
  readonly modified: Date
  /** The number of the file in its file system, in decimal digits. */
  readonly fileId: string
}

/** A file that a server has found. The handle holds octets, one a character. */
export interface Found {
  readonly handle: string
  readonly attributes: Attributes
}

/** One name of a directory. The attributes are null if the server does not tell them. */
export interface DirectoryItem {
  /** Octets, one a character. Untrusted. */
  readonly name: string
  readonly attributes: Attributes | null
  /** The text of a symbolic link, in octets. Null if it is none, or the server does not tell it. */
  readonly target: string | null
}

/** A part of a file. */
export interface Octets {
  readonly octets: Uint8Array
  /** Whether the part reaches the end of the file. */
  readonly isEnd: boolean
}

/**
 * The procedures of one version of NFS. Each rejects with NfsStatus, RpcRefusal or XdrError, or with a RetrievalError
 * of the connection.
 */
export interface NfsFiles {
  readonly version: 2 | 3 | 4
  /** How many octets may be read at once. */
  readonly pieceSize: number
  lookup(directory: string, name: string): Promise<Found>
  attributes(handle: string): Promise<Attributes>
  readLink(handle: string): Promise<string>
  read(handle: string, position: number, length: number, phase: 'request' | 'body'): Promise<Octets>
  /** Yields the names of a directory page by page, without `.` and `..`. */
  pages(handle: string): AsyncGenerator<readonly DirectoryItem[], void, void>
}

/** The status of a procedure that failed. */
export class NfsStatus extends Error {
  readonly status: number
  /** The procedure, such as `LOOKUP`. */
  readonly procedure: string

  constructor(status: number, procedure: string) {
    super(`${procedure}: ${status}`)
    this.status = status
    this.procedure = procedure
  }
}

/** Makes a date of seconds and nanoseconds. If Date cannot hold it, returns Date's epoch. */
export function dateOf(seconds: number, nanoseconds: number): Date {
  const date = new Date(seconds * 1000 + Math.floor(nanoseconds / 1_000_000))
  return Number.isNaN(date.getTime()) ? new Date(0) : date
}

function isDots(name: string): boolean {
  return name === '.' || name === '..'
}

/** Returns the kind for a number of ftype (RFC 1094 2.3.2), ftype3 or nfs_ftype4, which agree up to 5. */
export function kindOf(type: number): Attributes['kind'] {
  return ({ 1: 'file', 2: 'directory', 5: 'link' } as const)[type] ?? 'other'
}

/** How many pages of a directory may hold no names, or only `.` and `..`. */
const maxEmptyPages = 8

/** Notices a directory whose pages go round in a circle, lead nowhere, or are larger than they may be. */
export class PageWatch {
  readonly #cookies = new Set<string>()
  readonly #most: number
  #empty = 0

  /** `pageSize` is how many octets of a page were requested. No name takes fewer than 16 of them. */
  constructor(pageSize: number) {
    this.#most = pageSize / 16
  }

  /** Returns the names of a page without `.` and `..`. Throws XdrError if there are more than fit into the page. */
  named<Named extends { readonly name: string }>(page: readonly Named[]): Named[] {
    if (page.length > this.#most) throw new XdrError(`a part of a directory has ${page.length} names`)
    const named = page.filter(({ name }) => !isDots(name))
    if (named.length === 0) this.#empty++
    return named
  }

  /** Throws XdrError for a page from which no next one can be reached. */
  check(cookie: string, count: number): void {
    if (count === 0) throw new XdrError('a part of a directory has no names and is not the last one')
    if (this.#empty > maxEmptyPages) throw new XdrError('the parts of a directory have no names')
    if (this.#cookies.has(cookie)) throw new XdrError('the parts of a directory go round in a circle')
    this.#cookies.add(cookie)
  }
}
