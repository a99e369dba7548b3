import type { Mechanism } from '@retriever/core'

/** HTTP: the status line and the header section of the answer (RFC 9110 6). */
export interface HttpMetadata {
  /** 200 to 299. With `http.fail: false`, any status up to 999. */
  readonly status: number
  /** The reason phrase as sent, one octet a character: `OK`. HTTP/2 has none (RFC 9112 4), so it is empty. */
  readonly reason?: string
  /** The fields by lower-case name. `, ` joins the values of one name (RFC 9110 5.3). One octet a character. */
  readonly headers: Readonly<Record<string, string>>
  /** The field lines as the server sent them, in order. One octet a character. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The content codings that were decoded (`http.compressed`), in the order of decoding. */
  readonly decoded?: readonly string[]
  /**
   * Present if the fetcher has a cache. Tells whether the answer came from the cache, and its age in seconds (RFC 9111
   * 5.1).
   */
  readonly cache?: { readonly hit: boolean; readonly age: number | null }
}

/** FTP: the server's own words, one octet a character. */
export interface FtpMetadata {
  /** The server's greeting (RFC 959 5.4, reply 220). */
  readonly welcome: string
  /** The reply that announced the transfer. */
  readonly reply?: string
  /** The representation type of a file: `a` is text (ASCII), `i` octets unchanged (RFC 1738 3.2.2). */
  readonly typecode?: 'a' | 'i'
  /** The command that listed a directory. */
  readonly format?: 'mlsd' | 'list' | 'nlst'
}

/** Gopher. */
export interface GopherMetadata {
  /** Present if the URL or an option asks for Gopher+. Tells whether the server answered in that form. */
  readonly gopherPlus?: boolean
  /** The view that `accept` and `acceptLanguage` chose. Null if none fits. */
  readonly view?: GopherView | null
  /** All views of the item (Gopher+ +VIEWS). */
  readonly views?: readonly GopherView[]
}

/** One form in which a Gopher+ server has an item. */
export interface GopherView {
  /** `type/subtype` in lower case; null for names such as `GView`. */
  readonly mediaType: string | null
  /** The language in the server's spelling: `De_DE`, `English`. */
  readonly language: string | null
  /** The approximate number of octets: servers count in units of 1024. */
  readonly size: number | null
  /** The view's name in a request: type and language in the server's own spelling, one octet a character. */
  readonly name: string
}

/** News: the metadata of an article, a newsgroup, or a list of groups. */
export interface NntpMetadata {
  /** The newsgroup; for an article, the one in its URL, if any. */
  readonly newsgroup?: string | null
  /** An article's number in the group. */
  readonly number?: number
  /** An article's Message-ID without `<` and `>`. */
  readonly messageId?: string
  /** An article's header if only the header was asked for (RequestOptions.head): decoded, by lower-case name. */
  readonly header?: Readonly<Record<string, string>>
  /** The estimated number of articles in a group, and its lowest and highest number (RFC 3977 6.1.1). */
  readonly count?: number
  readonly low?: number
  readonly high?: number
  /** The article numbers of a group among which the search for the newest articles began. */
  readonly first?: number
  readonly last?: number
  /** The pattern in the URL of a list of groups (RFC 3977 4). */
  readonly wildmat?: string
}

/** A file or a local directory has only the metadata that all representations have. */
export type FileMetadata = Readonly<Record<string, never>>

/** SFTP: a file or directory has only the metadata that all representations have. */
export type SftpMetadata = Readonly<Record<string, never>>

/** NFS. */
export interface NfsMetadata {
  /** The version of NFS that we used. */
  readonly version: 2 | 3 | 4
  /** The number of the file in its file system, in decimal digits. */
  readonly fileId: string
}

/** A node of an Info file. The names of its neighbours are as in the file; `(dir)` is the list of all files. */
export interface InfoMetadata {
  readonly file: string
  readonly node: string
  readonly next?: string
  readonly previous?: string
  readonly up?: string
}

/** An answer of Finger has only the metadata that all representations have. */
export type FingerMetadata = Readonly<Record<string, never>>

/** The draft of a mail has only the metadata that all representations have. */
export type MailtoMetadata = Readonly<Record<string, never>>

/** TN3270: the first screen of a service. Rows and columns count from 1. */
export interface Tn3270Metadata {
  readonly protocol: 'tn3270' | 'tn3270e'
  /** The name that a TN3270E server gives the terminal (RFC 2355 7.1.2). Null: none. */
  readonly device: string | null
  /** The size of the screen. */
  readonly rows: number
  readonly columns: number
  readonly cursor: { readonly row: number; readonly column: number }
  /** `locked` if the server has not said that the screen is complete. */
  readonly keyboard: 'unlocked' | 'locked'
  readonly fields: readonly Tn3270Field[]
}

/** A field of a 3270 screen. */
export interface Tn3270Field {
  /** Where its first character is. */
  readonly row: number
  readonly column: number
  /**
   * How many characters it has, up to the next field. The last field of a screen continues at the screen's beginning.
   */
  readonly length: number
  /** True if nothing can be typed into it. */
  readonly protected: boolean
  /** True if a terminal does not show it, as a field for a password. `text` is then "". */
  readonly hidden: boolean
  readonly numeric: boolean
  readonly intensified: boolean
  /** Its characters without the blanks at the end. Untrusted text. */
  readonly text: string
}

/** POP3. */
export interface Pop3Metadata {
  /** The number of the message; absent for the list of messages. */
  readonly message?: number
}

/** IMAP: a mailbox and its messages. All are absent for the list of mailboxes. */
export interface ImapMetadata {
  /** The mailbox, as text. */
  readonly mailbox?: string
  readonly uidValidity?: number
  /** The number of messages in the mailbox. */
  readonly count?: number
  readonly uid?: number
}

/** A WebSocket. */
export interface WsMetadata {
  /** The header fields of the server's answer, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** MQTT. */
export interface MqttMetadata {
  /** The topic, or the filter for several. */
  readonly topic: string
}

/** Gemini: the header of the answer (specification 0.24.1). */
export interface GeminiMetadata {
  /** 20 to 29. */
  readonly status: number
  /** The media type with all its parameters, as the server wrote it. */
  readonly contentType: string
  /** The languages of a text (gemtext's `lang` parameter), as the server wrote them. */
  readonly language?: string
  /** The SHA-256 of the server's certificate in hexadecimal. */
  readonly fingerprint: string
}

/** RTSP: the answer to DESCRIBE (RFC 2326 10.2). */
export interface RtspMetadata {
  /** 200 to 299. */
  readonly status: number
  /** The media type with all its parameters, as the server wrote it. Null if it names none. */
  readonly contentType: string | null
  /** The base of the relative URLs in the description (RFC 2326 C.1.1), without a login. Untrusted text. */
  readonly base: string
}

/** TFTP: the values that the server agreed to. */
export interface TftpMetadata {
  /** Octets in a block (RFC 2348). */
  readonly blockSize: number
  /** Blocks in a window (RFC 7440). */
  readonly windowSize: number
}

/** A dictionary server (RFC 2229). */
export interface DictMetadata {
  /** The number of definitions, matches, databases or strategies that the server announces. */
  readonly count?: number
}

/** Prospero: the attributes of an object or directory. All texts come from the server and are untrusted. */
export interface ProsperoMetadata {
  /** The host-specific name of the object. */
  readonly hsoname: string
  readonly attributes: readonly ProsperoAttribute[]
  /** How to get the object's data, in the server's order. */
  readonly accessMethods: readonly ProsperoAccess[]
}

/** One value of an attribute. */
export interface ProsperoAttribute {
  readonly name: string
  /** `OBJECT`, or for a link `LINK`, `CACHED`, `ADDITIONAL` or `REPLACEMENT`. */
  readonly appliesTo: string
  /** `FIELD`, `INTRINSIC` or `APPLICATION`. */
  readonly namespace: string
  /** The tokens of the value: `['20 bytes']`. */
  readonly value: readonly string[]
}

/** An access method: a protocol that has the data of an object. */
export interface ProsperoAccess {
  /** `AFTP`, `FTP`, `GOPHER`, `PROSPERO-CONTENTS`, ... */
  readonly method: string
  /** The URL of the data. Null if no URL leads there, as to a file of the server's own machine (LOCAL). */
  readonly url: string | null
}

/** Z39.50: the record, as the server named it. */
export interface Z3950Metadata {
  /** The name of the record syntax, or its OID: `usmarc`, `1.2.840.10003.5.80`. */
  readonly syntax?: string
  /** The element set that we asked for. Null: the server chose. */
  readonly elementSet?: string | null
  /** The database of the record, one octet a character. Null if the server does not tell. */
  readonly database?: string | null
  /** The number of records that a query found. */
  readonly count?: number
  /** The server's own name, safe on a terminal. "" if it gives none. */
  readonly server: string
}

/** WAIS. */
export interface WaisMetadata {
  /** The type of a document, as the server names it: `TEXT`. */
  readonly wtype?: string
  /** The number of documents that a search found. */
  readonly count?: number
}

/** A message, or its part (RFC 2392). */
export interface MessageMetadata {
  /** The URL without its password of the message, or of the mailbox or folder that has it. */
  readonly base: string
  /** The number of the part as `Message.part()` takes it: `2`, `2.1`. Null for a whole message. */
  readonly number: string | null
  /**
   * The Message-ID of the message without `<` and `>`. Null if it has none. This and all that follow are untrusted
   * text.
   */
  readonly messageId: string | null
  /** The Content-ID of the part as the message writes it, without `<` and `>`. */
  readonly contentId: string | null
  /** The file name of the part as the sender wrote it. It may be a path: clean it before you use it. */
  readonly name: string | null
}

/** A data URL. */
export interface DataMetadata {
  /** The media type with all its parameters: `text/html;charset=utf-8`. */
  readonly contentType: string
}

/** LDAP. */
export interface LdapMetadata {
  /**
   * The distinguished name of the login, as text. `EXTERNAL`: the user of this process, by the local socket. Null: the
   * search was anonymous.
   */
  readonly login: string | null
}

/**
 * The metadata of each mechanism. A package with its own mechanism adds a line: `declare module
 * '@retriever/fetchers/plugin' { interface MetadataByMechanism { finger: FingerMetadata } }`. Without it, the metadata
 * are a record of unknown values.
 */
export interface MetadataByMechanism {
  http: HttpMetadata
  ftp: FtpMetadata
  gopher: GopherMetadata
  nntp: NntpMetadata
  ldap: LdapMetadata
  sftp: SftpMetadata
  nfs: NfsMetadata
  pop3: Pop3Metadata
  imap: ImapMetadata
  ws: WsMetadata
  mqtt: MqttMetadata
  file: FileMetadata
  mailto: MailtoMetadata
  mailserver: MailtoMetadata
  afs: FileMetadata
  tn3270: Tn3270Metadata
  data: DataMetadata
  info: InfoMetadata
  tftp: TftpMetadata
  gemini: GeminiMetadata
  rtsp: RtspMetadata
  dict: DictMetadata
  wais: WaisMetadata
  z3950: Z3950Metadata
  message: MessageMetadata
  prospero: ProsperoMetadata
  finger: FingerMetadata
}

/** The metadata of one mechanism: JSON-able, without secrets. */
export type MetadataOf<M extends Mechanism> = M extends keyof MetadataByMechanism
  ? MetadataByMechanism[M]
  : Readonly<Record<string, unknown>>

/** A mechanism and its metadata; `mechanism` tells which metadata there are. */
export type TaggedMetadata =
  | {
      [M in keyof MetadataByMechanism]: { readonly mechanism: M; readonly metadata: MetadataByMechanism[M] }
    }[keyof MetadataByMechanism]
  | {
      readonly mechanism: Exclude<Mechanism, keyof MetadataByMechanism>
      readonly metadata: Readonly<Record<string, unknown>>
    }
