import type { Mechanism } from '@retriever/core'

/** HTTP: the status line and the header section of the answer (RFC 9110 6). */
export interface HttpMetadata {
  /** 200 to 299; with `fail: false` any status up to 999. */
  readonly status: number
  /** By lower-case name; the values of one name are joined by `, ` (RFC 9110 5.3). One octet a character. */
  readonly headers: Readonly<Record<string, string>>
  /** The field lines as the server sent them, in their order. One octet a character. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The content codings that were undone (RequestOptions.compressed), the last one applied first. */
  readonly decoded?: readonly string[]
  /**
   * Present where the fetcher has a cache: whether the answer comes from there, and its age in seconds (RFC 9111 5.1).
   */
  readonly cache?: { readonly hit: boolean; readonly age: number | null }
}

/** FTP: the server's own words, one octet a character. */
export interface FtpMetadata {
  /** Its greeting (RFC 959 5.4, reply 220). */
  readonly welcome: string
  /** The reply that announces the transfer. */
  readonly reply?: string
  /** Of a file: `a` text (ASCII), `i` octets as they are (RFC 1738 3.2.2). */
  readonly typecode?: 'a' | 'i'
  /** Of a directory: the command that listed it. */
  readonly format?: 'mlsd' | 'list' | 'nlst'
}

/** Gopher. */
export interface GopherMetadata {
  /** Present where the URL or an option asks for Gopher+: whether the server answered in its form. */
  readonly gopherPlus?: boolean
  /** The view that `accept` and `acceptLanguage` chose; null where none fits. */
  readonly view?: GopherView | null
  /** All views of the item (Gopher+ +VIEWS). */
  readonly views?: readonly GopherView[]
}

/** One form in which a Gopher+ server has an item. */
export interface GopherView {
  /** `type/subtype`, lower case; null for names as `GView`. */
  readonly mediaType: string | null
  /** In the server's spelling: `De_DE`, `English`. */
  readonly language: string | null
  /** Octets, about: servers count in units of 1024. */
  readonly size: number | null
  /** The view's name in a request: type and language in the server's own spelling, one octet a character. */
  readonly name: string
}

/** News: of an article, a newsgroup, or a list of groups. */
export interface NntpMetadata {
  /** The group, of an article where the URL names one. */
  readonly newsgroup?: string | null
  /** Of an article: its number in the group. */
  readonly number?: number
  /** Of an article: without `<` and `>`. */
  readonly messageId?: string
  /** Of an article of which the header alone was asked for (RequestOptions.head): by lower-case name, decoded. */
  readonly header?: Readonly<Record<string, string>>
  /** Of a group: an estimate of its articles, and the lowest and highest number (RFC 3977 6.1.1). */
  readonly count?: number
  readonly low?: number
  readonly high?: number
  /** Of a group: the article numbers among which the search for the newest ones began. */
  readonly first?: number
  readonly last?: number
  /** Of a list of groups: the pattern of the URL (RFC 3977 4). */
  readonly wildmat?: string
}

/** A file, or a local directory: there is nothing beside what all representations have. */
export type FileMetadata = Readonly<Record<string, never>>

/**
 * The metadata of each mechanism. A package with a mechanism of its own merges its line in: `declare module
 * '@retriever/fetchers/plugin' { interface MetadataByMechanism { finger: FingerMetadata } }`; without one, its metadata
 * are a record of unknown values.
 */
export interface MetadataByMechanism {
  http: HttpMetadata
  ftp: FtpMetadata
  gopher: GopherMetadata
  nntp: NntpMetadata
  file: FileMetadata
}

/** The metadata of one mechanism: JSON-able, without secrets. */
export type MetadataOf<M extends Mechanism> = M extends keyof MetadataByMechanism
  ? MetadataByMechanism[M]
  : Readonly<Record<string, unknown>>

/** A mechanism and its metadata: `mechanism` tells which metadata there are. */
export type TaggedMetadata =
  | {
      [M in keyof MetadataByMechanism]: { readonly mechanism: M; readonly metadata: MetadataByMechanism[M] }
    }[keyof MetadataByMechanism]
  | {
      readonly mechanism: Exclude<Mechanism, keyof MetadataByMechanism>
      readonly metadata: Readonly<Record<string, unknown>>
    }
