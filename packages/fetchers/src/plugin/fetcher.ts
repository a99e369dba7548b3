import type {
  AccessPlans,
  Advice,
  ErrorCode,
  ErrorResponse,
  HandoffDetails,
  Mechanism,
  Phase,
  RetrievalError,
} from '@retriever/core'
import type { ByteSource } from './byte-source.ts'
import type { Deadline } from './deadline.ts'
import type { RetrievalEvent } from './events.ts'
import type { FormAnswers, FormFiller } from './form.ts'
import type { Limits } from './limits.ts'
import type { MetadataOf } from './metadata.ts'
import type { Addresses, ProxyServer, TlsOptions } from './network.ts'
import type { Retries } from './retry.ts'

/** A plug-in for one mechanism: a plain object, usually made by a function from options. */
export interface Fetcher<M extends Mechanism = Mechanism> {
  readonly mechanism: M
  /**
   * Retrievals that share one connection, one answered after the other: retrieveAll() counts so many as one of a host.
   * Default 1.
   */
  readonly inFlight?: number
  /**
   * The options that it acts on: of the others a remark says that they have no effect. Default: for a mechanism that
   * has a built-in fetcher, what that acts on; for any other all, and nothing is said.
   */
  readonly honours?: readonly (keyof RequestOptions)[]
  /**
   * Does what the plan says, as far as the first octets of the body. Rejects with a RetrievalError (context.error makes
   * one). Must stop when context.deadline.signal aborts, and must not write to the plan.
   */
  retrieve(plan: AccessPlans[M], context: RetrievalContext): Promise<Outcome<M>>
  /** Closes what is kept between retrievals. */
  dispose?(): Promise<void>
}

/** All that a fetcher may know of the world. */
export interface RetrievalContext {
  /** The URL without its password: for messages, events, and the URLs of entries. */
  readonly url: string
  readonly deadline: Deadline
  readonly limits: Limits
  readonly request: RequestOptions
  /** What has been tried again until now; a body that breaks off has the rest of that budget. Absent: nothing has. */
  readonly retries?: Retries
  /**
   * True: a redirect has led to another origin than the caller named. The entity tags and dates of the request are
   * compared with what comes from there, and not sent.
   */
  readonly isOtherOrigin?: boolean
  readonly tls: TlsOptions
  /** On the way to this plan's host, which wire/transport/socket.ts goes by itself; null: there is none. */
  readonly proxy: ProxyServer | null
  /**
   * What names lead to, and where no connection may go; wire/transport/socket.ts keeps to it by itself. Absent: as the
   * resolver says.
   */
  readonly addresses?: Addresses
  /**
   * User and password that the URL does not give; null where nobody knows any. Asked only once the server wants them.
   */
  credentials(challenge: Challenge): Promise<Credentials | null>
  /** What servers have accepted of such answers, for the mechanisms that remember it: HTTP. */
  readonly acceptedLogins?: AcceptedLogins
  emit(event: RetrievalEvent): void
  /** False: nobody listens to events, and what takes work to tell need not be told. */
  readonly hasListener?: boolean
  /**
   * A RetrievalError with this URL and, unless told otherwise, the deadline's phase. The message begins with the URL.
   */
  error(code: ErrorCode, message: string, details?: ErrorExtras): RetrievalError
}

/** What a RetrievalError has beside its code and message. */
export interface ErrorExtras {
  /** Default: the deadline's, where it is. */
  readonly phase?: Phase
  /** The server's own words, harmless to show. */
  readonly reply?: string
  /** Of HTTP. */
  readonly status?: number
  /** The option that the message names, as adviceText() writes it. */
  readonly advice?: Advice
  /** Of HTTP: the fields of the answer, and the beginning of its body as text. */
  readonly response?: ErrorResponse
  /** True: trying again may help. */
  readonly transient?: boolean
  /** Milliseconds that the server asks to be left alone for. */
  readonly retryAfter?: number
  readonly cause?: unknown
}

/** What a caller may ask of one retrieval; a fetcher that cannot send a range fails with `range-refused`. */
export interface RequestOptions {
  /** [first, last] octets, both inclusive; last null for the rest. */
  readonly range?: readonly [number, number | null]
  /**
   * Octets that the caller has already: the body is to begin after them. Where the server cannot, or the resource is
   * another one by now, the whole comes: `offset` of what comes back tells.
   */
  readonly resumeFrom?: number | ResumePoint
  /** Rejects with `not-modified` where the server knows the resource to be no newer. */
  readonly ifChangedSince?: Date
  /** Media types, as in HTTP's Accept; Gopher+ picks a view by it. */
  readonly accept?: string
  /** Languages, as in HTTP's Accept-Language; Gopher+ picks a view by it. */
  readonly acceptLanguage?: string
  /** Answers to the form that stands before an item (Gopher+ +ASK), or who gives them. */
  readonly form?: FormAnswers | FormFiller
  /** Of a newsgroup's articles, at most so many, the newest ones. Default 1000. */
  readonly limit?: number
  /**
   * Rejects with `not-modified` where the resource still has this entity tag, or one of a list of them (RFC 9110
   * 13.1.2). HTTP only.
   */
  readonly ifNoneMatch?: string
  /**
   * Fields of a request that are the caller's own, by name; HTTP only. Dropped for good once a redirect leads to
   * another origin, but for Accept, Accept-Language and User-Agent.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Metadata alone: the body of what comes is empty. HEAD in HTTP. */
  readonly head?: boolean
  /**
   * Have the body compressed on its way, where the server can, and decode it. Default false: octets as the server keeps
   * them.
   */
  readonly compressed?: boolean
  /** False: an HTTP status of 400 and above is no error; its body comes. Default true. */
  readonly fail?: boolean
  /**
   * The charset of what comes, for text() and the names of entries: in place of what the server says, though not of a
   * byte order mark. Any label of the Encoding Standard. The octets stay as they are.
   */
  readonly charset?: string
  /** Connections for one large body, 1 to 16, where the server proves that it serves ranges. HTTP only. Default 1. */
  readonly split?: number
}

/**
 * Where to go on, and what the resource was when the octets before came: it is another one where anything of it
 * differs.
 */
export interface ResumePoint {
  /** Octets that are there already. */
  readonly offset: number
  /** Octets of the whole; null where nothing said. */
  readonly size?: number | null
  /** As the representation said; null where it did not. */
  readonly modified?: Date | null
  /** HTTP's entity tag, as the server wrote it. */
  readonly etag?: string | null
  /**
   * The last of the octets that are there already: where nothing else proves that the resource is the same, as in FTP,
   * up to 4096 of them are asked for again, and compared.
   */
  readonly tail?: Uint8Array
  /**
   * When the last of these octets came. A file that has no more of them, and was modified later, is another one. FTP
   * only.
   */
  readonly since?: Date
}

/** Who asks for a login, and for which. */
export interface Challenge {
  /** For the person asked: `alice@ftp.example.org`, an HTTP realm. Text, not octets, as all of it. */
  readonly realm: string
  /**
   * FTP: user and password are known, and the server wants an account too (RFC 959 4.1.1). Of the answer, that alone is
   * used.
   */
  readonly account?: true
  readonly host: string
  readonly port: number
  /** That of the URL; null where it has none. */
  readonly user: string | null
  /** HTTP: the server takes a Bearer token too (RFC 6750), which the answer may give in place of user and password. */
  readonly token?: true
}

/** As text: what needs octets gets those of UTF-8. */
export interface Credentials {
  readonly user: string
  readonly password: string
  /** FTP: for servers that want one (ACCT). */
  readonly account?: string
  /** Bearer token; user and password are "" then. */
  readonly token?: string
}

/**
 * Logins that servers have accepted, in the memory of one client. A `place` is whatever a mechanism tells them apart
 * by; it must name the origin, so that no other one gets them.
 */
export interface AcceptedLogins {
  /** Null: nothing was accepted there. */
  recall(place: string): Credentials | null
  keep(place: string, credentials: Credentials): void
  /** The server refuses it by now. */
  forget(place: string): void
}

/** What one attempt to retrieve comes to, unless it fails. */
export type Outcome<M extends Mechanism = Mechanism> = Retrieved<M> | Handoff | Redirect

/** A data object or listing whose body can be read now. */
export interface Retrieved<M extends Mechanism = Mechanism> {
  readonly outcome: 'retrieved'
  readonly kind: 'object' | 'listing'
  /** `type/subtype`, lower case; null where nothing says. */
  readonly mediaType: string | null
  /** As the server names it, lower case; null where it does not. */
  readonly charset: string | null
  /** Octets of the body, where known before. */
  readonly size: number | null
  /** The first octet of the body within the resource: beyond 0 after a range or resumeFrom. Default 0. */
  readonly offset?: number
  readonly modified: Date | null
  /** HTTP's entity tag, as the server wrote it. */
  readonly etag?: string | null
  /**
   * How the end of the body is known: `verified` by a length, `terminated` by the protocol's own end mark, `eof-only`
   * by nothing but the end of the connection (a cut one cannot be told from a whole one).
   */
  readonly completeness: 'verified' | 'terminated' | 'eof-only'
  /** What else the protocol said: status, header fields, the server's words. JSON-able. */
  readonly metadata: MetadataOf<M>
  /**
   * The octets: a ByteSource, or any async iterable of chunks that are the consumer's own. It ends only where the
   * representation is whole, else it throws a RetrievalError. An abort of the deadline's signal releases everything,
   * also where nothing was read yet.
   */
  readonly body: ByteSource | AsyncIterable<Uint8Array>
  /**
   * Of a listing that came although the URL names a file: the error for a caller who wants that file, as saveTo() does.
   */
  readonly notAFile?: RetrievalError
  /** Of listings: reads the entries out of such a body. An object may have some, too: the parts of a message. */
  readonly entries?: (body: AsyncIterable<Uint8Array>) => AsyncIterable<Entry>
}

/** One line of any listing: FTP directory, Gopher menu, newsgroup, folder. */
export interface Entry {
  /** For people, and decoded: UTF-8 where it is valid, else Latin-1. Untrusted text. */
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'search' | 'article' | 'group' | 'service' | 'info' | 'other'
  /** Absolute; null where the entry leads nowhere (an information line). */
  readonly url: string | null
  readonly size?: number
  readonly modified?: Date
  /** What only this protocol has: permissions, gophertype, from and message-id. JSON-able. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A URL that names a service, not data (RFC 4248): what to run, not run by itself. */
export interface Handoff extends Omit<HandoffDetails, 'password'> {
  readonly outcome: 'handoff'
  /** As `user`. Not enumerable in what a client gives, so that no log and no JSON tells it. */
  readonly password?: string | null
}

/** The server points elsewhere. The client decides whether to go. */
export interface Redirect {
  readonly outcome: 'redirect'
  /** As the server wrote it: perhaps relative. */
  readonly location: string
  /** 301, 302, 303, 307 or 308. */
  readonly status: number
  /** Cookies came with it, which nothing here keeps. */
  readonly setsCookies?: boolean
  /** The address of the connection that it came on; absent where it came through a proxy or from a cache. */
  readonly peerAddress?: string | undefined
}
