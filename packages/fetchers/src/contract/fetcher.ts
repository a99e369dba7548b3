import type {
  AccessPlans,
  Advice,
  Asked,
  ErrorCode,
  ErrorResponse,
  HandoffDetails,
  Mechanism,
  Phase,
  Resolution,
  RetrievalError,
} from '@retriever/core'
import type { ByteSource } from './byte-source.ts'
import type { Deadline } from './deadline.ts'
import type { EmittedEvent } from './events.ts'
import type { FormAnswers, FormFiller } from './form.ts'
import type { Limits } from './limits.ts'
import type { MetadataOf } from './metadata.ts'
import type { NestedOptions, NestedRepresentation } from './nested.ts'
import type { Addresses, CookieStore, Network, ProxyServer, TlsOptions } from './network.ts'
import type { Retries } from './retries.ts'
import type { Session, SessionOptions } from './session.ts'
import type { Stopwatch } from './timings.ts'

/** A plug-in for one mechanism: a plain object, usually made by a function from options. */
export interface Fetcher<M extends Mechanism = Mechanism> {
  readonly mechanism: M
  /**
   * The number of retrievals that may share one connection, which answers one after the other: retrieveAll() counts
   * that many as one retrieval of a host. Default 1.
   */
  readonly inFlight?: number
  /** The protocol's name in messages, as a sentence begins. Default: that of the built-in fetcher, or `mechanism`. */
  readonly title?: string
  /**
   * The options that the fetcher acts on: a list, or an object that says for which results. A remark tells that the
   * others have no effect. Default: the options of the built-in fetcher for the mechanism; for any other mechanism all
   * options, without remarks.
   */
  readonly honours?: readonly (keyof RequestOptions)[] | Honours
  /** What the options with which the fetcher was made change about what is sent, for Client.explain. */
  readonly asked?: Asked
  /**
   * What a request asks for in this protocol's own way, for Client.explain: it takes the place of what the options say
   * by themselves.
   */
  readonly askedFor?: (asking: Asking) => Promise<Asked>
  /**
   * Carries out the plan up to the first octets of the body. Rejects with a RetrievalError (context.error makes one).
   * It must stop when context.deadline.signal aborts, and must not write to the plan.
   */
  retrieve(plan: AccessPlans[M], context: RetrievalContext): Promise<Outcome<M>>
  /**
   * Opens the service that the plan names, for Client.connect. The session must end when the deadline aborts. Absent:
   * the mechanism has no sessions.
   */
  connect?(plan: AccessPlans[M], context: RetrievalContext, options: SessionOptions): Promise<Session>
  /** Closes the connections and timers kept between retrievals. */
  dispose?(): Promise<void>
}

/** A request that is explained, before anything is sent. */
export interface Asking {
  readonly request: RequestOptions
  readonly resolution: Resolution
  readonly cookies: CookieStore | undefined
}

/** The kind of results on which an option has an effect. */
export type Extent = 'all' | 'objects' | 'listings'

/** The options that a fetcher acts on, and for which results. `head` and `charset` have an effect everywhere. */
export type Honours = Readonly<Partial<Record<keyof RequestOptions, Extent>>>

/** The environment of one retrieval, as its fetcher sees it. */
export interface RetrievalContext {
  /** The URL without its password: for messages, events, and the URLs of entries. */
  readonly url: string
  readonly deadline: Deadline
  readonly limits: Limits
  readonly request: RequestOptions
  /** The retry budget so far; a body that breaks off may use the rest. Absent: nothing was tried again. */
  readonly retries?: Retries
  /**
   * True: a redirect has led to another origin than the caller named. The request's entity tags and dates are then
   * compared with the answer, but not sent.
   */
  readonly isOtherOrigin?: boolean
  /**
   * True: a gateway stands for the URL that the caller has named (RFC 1738 4). None of the caller's logins are for it,
   * and no session that has one.
   */
  readonly isAtGateway?: boolean
  /** The caller's option `base`. Absent: there is none, or a server or another fetcher has chosen the URL. */
  readonly base?: string | undefined
  readonly tls: TlsOptions
  /** The proxy on the way to this plan's host, which wire/transport/socket.ts uses by itself; null: there is none. */
  readonly proxy: ProxyServer | null
  /**
   * The addresses of host names, and the addresses that are refused; wire/transport/socket.ts obeys it by itself.
   * Absent: the system's resolver decides.
   */
  readonly addresses?: Addresses
  /** The caller's network options, which wire/transport/socket.ts obeys by itself. Absent: there are none. */
  readonly network?: Network | undefined
  /**
   * Asks for a user and password that the URL does not give; null if none are known. Call it only once the server wants
   * them.
   */
  credentials(challenge: Challenge): Promise<Credentials | null>
  /** The logins that servers have accepted. Mechanisms that ask for one remember it by auth/found-login.ts. */
  readonly acceptedLogins?: AcceptedLogins
  /**
   * Retrieves another URL, perhaps relative to this one, under the same policy, limits, deadline and proxy, with the
   * same listener, and until this retrieval ends. Another origin gets neither the caller's client certificate nor its
   * fields. Rejects with a RetrievalError: `refused` by the policy, `handoff` for a service, `too-many-redirects` if
   * fetchers retrieve each other without end.
   */
  retrieve(url: string, options?: NestedOptions): Promise<NestedRepresentation>
  /** The handoff of this URL to a program of this system: an outcome for a URL that names a service. */
  handoff(): Handoff
  emit(event: EmittedEvent): void
  /** HTTP: the cookies to send, and the place for those that come. Absent: none are sent, and none are kept. */
  readonly cookies?: CookieStore | undefined
  /** HTTP: gets each header section as it came, with its secrets, which events hide. */
  readonly onHead?: ((octets: string) => void) | undefined
  /** Gets each chunk of the body that is read. The chunk is valid until the function returns. */
  readonly onBody?: ((octets: Uint8Array) => void) | undefined
  /** Notes when the steps of the retrieval are over; connections and sockets do so by themselves. */
  readonly stopwatch?: Stopwatch
  /** False: there is no listener, so events that are costly to make may be left out. */
  readonly hasListener?: boolean
  /** A RetrievalError with this URL and, by default, the deadline's phase. The message begins with the URL. */
  error(code: ErrorCode, message: string, details?: ErrorExtras): RetrievalError
}

/** The details of a RetrievalError beside its code and message. */
export interface ErrorExtras {
  /** Default: the deadline's current phase. */
  readonly phase?: Phase
  /** The server's own words, harmless to show. */
  readonly reply?: string
  /** The HTTP status. */
  readonly status?: number
  /** The option that the message names, as adviceText() writes it. */
  readonly advice?: Advice
  /** HTTP: the fields of the answer, and the beginning of its body as text. */
  readonly response?: ErrorResponse
  /** True: trying again may help. */
  readonly transient?: boolean
  /** Milliseconds that the server asks the client to wait. */
  readonly retryAfter?: number
  readonly cause?: unknown
}

/** The options of one retrieval. A fetcher that cannot send a range fails with `range-refused`. */
export interface RequestOptions {
  /** The octets to retrieve. Of several ranges, HTTP gives the multipart/byteranges of the server (RFC 9110 14.6). */
  readonly range?: OctetRange | readonly OctetRange[]
  /**
   * The number of octets that the caller has already: the body should begin after them. If the server cannot do that,
   * or the resource has changed, the whole comes; the result's `offset` tells.
   */
  readonly resumeFrom?: number | ResumePoint
  /** Rejects with `not-modified` if the server says that the resource is no newer. */
  readonly ifChangedSince?: Date
  /** Rejects with `not-modified` if the resource is newer: only what is as old as this date comes. */
  readonly ifUnchangedSince?: Date
  /** Media types, as in HTTP's Accept; Gopher+ picks a view by it. */
  readonly accept?: string
  /** Languages, as in HTTP's Accept-Language; Gopher+ picks a view by it. */
  readonly acceptLanguage?: string
  /** The answers to the form of an item (Gopher+ +ASK), or a function that gives them. */
  readonly form?: FormAnswers | FormFiller
  /**
   * The largest number of entries to list: of a newsgroup the newest articles (default 1000), of an LDAP search as many
   * as the server gives (default: all that it allows).
   */
  readonly limit?: number
  /**
   * MQTT and WebSocket: the number of messages that are wanted, after which the body ends. Fewer are `partial`. One
   * alone is the body as it is, without a line end behind it.
   */
  readonly count?: number
  /**
   * MQTT and WebSocket: each message becomes one line of JSON, with its topic or type, its size, and its payload as
   * text or in base64. Default false.
   */
  readonly jsonMessages?: boolean
  /** WAIS: the URLs of documents; those that are like them come first in a search (relevance feedback). */
  readonly relevantTo?: readonly string[]
  /**
   * Rejects with `not-modified` if the resource still has this entity tag, or one of a list of them (RFC 9110 13.1.2).
   * HTTP only.
   */
  readonly ifNoneMatch?: string
  /**
   * Additional header fields of the request, by name; HTTP only. Null: the field is not sent, not even by default. A
   * redirect to another origin drops them for good, except Accept, Accept-Language and User-Agent.
   */
  readonly headers?: RequestFields
  /**
   * The name, perhaps with a port, of a virtual host on the server of the URL: it is sent in Host, and cookies are
   * those of its URL. TLS verifies the name in the URL. A redirect to another origin drops it for good. HTTP only.
   */
  readonly virtualHost?: string
  /**
   * True: after a redirect, Referer names the URL that redirected, without its user; to another origin only its origin.
   * HTTP only. Default false.
   */
  readonly autoReferer?: boolean
  /**
   * User and password in place of those of the URL. HTTP and WebSocket send them with the first request by Basic
   * (RFC 7617), or by Digest once the server offers it and `digest` is true; MQTT with the first CONNECT. A redirect to
   * another origin drops them for good.
   */
  readonly login?: RequestLogin
  /**
   * True: the login is sent by Digest (RFC 7616) or not at all, so that the password never crosses the network. HTTP,
   * WebSocket and RTSP. Default false: by the strongest scheme that the server offers.
   */
  readonly digest?: boolean
  /** Metadata alone: the result has an empty body. HTTP sends HEAD. */
  readonly head?: boolean
  /**
   * Asks the server to compress the body on its way, and decodes it. Default false: octets as the server keeps them.
   */
  readonly compressed?: boolean
  /** False: an HTTP status of 400 and above is no error, and its body is the result. Default true. */
  readonly fail?: boolean
  /**
   * True: of an object that another protocol has (FTP, Gopher), gets the data, by the first access method of the server
   * that the policy and this client allow. Prospero only. Default false: the access methods are listed.
   */
  readonly followAccess?: boolean
  /**
   * The charset of the body, for text() and the names of entries. It replaces the charset that the server names, but
   * not that of a byte order mark. Any label of the Encoding Standard. The octets stay unchanged.
   */
  readonly charset?: string
  /** Connections for one large body, 1 to 16, if the server proves that it serves ranges. HTTP only. Default 1. */
  readonly split?: number
}

/**
 * [first, last] octets, both inclusive, counted from 0; last is null for the rest. [-n, null]: the last n octets, or
 * all if there are fewer.
 */
export type OctetRange = readonly [number, number | null]

/** A user and a password that are known before the server asks. Basic allows no colon in the user. */
export interface RequestLogin {
  readonly user: string
  readonly password: string
}

/** Header fields by name. Null: the field is not sent. */
export type RequestFields = Readonly<Record<string, string | null>>

/** Header fields as callers give them: by name, or what `new Headers()` takes: Headers, a Map, a list of pairs. */
export type GivenFields = RequestFields | Iterable<readonly [name: string, value: string]>

/**
 * The position to resume from, and the resource's properties at the time of the earlier octets. If one of them differs,
 * the resource has changed.
 */
export interface ResumePoint {
  /** The number of octets that the caller has already. */
  readonly offset: number
  /** The size of the whole resource in octets; null if unknown. */
  readonly size?: number | null
  /** The representation's modification time; null if it had none. */
  readonly modified?: Date | null
  /** HTTP's entity tag, as the server wrote it. */
  readonly etag?: string | null
  /**
   * The last octets that the caller has. If nothing else proves that the resource is unchanged, as in FTP, up to 4096
   * of them are retrieved again and compared. Alone they are no proof: two versions may share these octets.
   */
  readonly tail?: Uint8Array
  /** The time when the last of these octets came. A resource that was modified later has changed, or has grown. */
  readonly since?: Date
}

/** A server's request for a login, and the place it is for. */
export interface Challenge {
  /** Text for the person who is asked: `alice@ftp.example.org`, or an HTTP realm. It is text, not octets. */
  readonly realm: string
  /**
   * FTP: user and password are known, and the server wants an account too (RFC 959 4.1.1). Only the answer's account is
   * used.
   */
  readonly account?: true
  readonly host: string
  readonly port: number
  /** The user in the URL; null if it has none. */
  readonly user: string | null
  /** HTTP: the server also takes a Bearer token (RFC 6750), which the answer may give in place of user and password. */
  readonly token?: true
}

/** A login, as text; protocols that need octets get UTF-8. */
export interface Credentials {
  readonly user: string
  readonly password: string
  /** FTP: the account, for servers that want one (ACCT). */
  readonly account?: string
  /** The Bearer token; user and password are then "". */
  readonly token?: string
}

/**
 * Logins that servers have accepted, in the memory of one client. A mechanism chooses the `place` by which it tells
 * logins apart. It must name the origin, so that no other origin gets the login.
 */
export interface AcceptedLogins {
  /** Null: the place has accepted no login. */
  recall(place: string): Credentials | null
  keep(place: string, credentials: Credentials): void
  /** Removes a login that the server refuses now, unless the place has accepted another one since. */
  forget(place: string, refused: Credentials): void
  /**
   * Takes the right to ask for the login of a place and to try it; the function that is returned gives it back. Null:
   * another retrieval has it; recall() the login once claimed() resolves.
   */
  claim(place: string): (() => void) | null
  /** Resolves when the claim of another retrieval ends: its login was accepted, or was refused, or it gave up. */
  claimed(place: string): Promise<void>
}

/** The result of one attempt to retrieve, unless it fails. */
export type Outcome<M extends Mechanism = Mechanism> = Retrieved<M> | Handoff | Redirect

/** A data object or listing whose body can be read now. */
export interface Retrieved<M extends Mechanism = Mechanism> {
  readonly outcome: 'retrieved'
  readonly kind: 'object' | 'listing'
  /** `type/subtype` in lower case; null if unknown. */
  readonly mediaType: string | null
  /** The charset that the server names, in lower case; null if it names none. */
  readonly charset: string | null
  /** The body's length in octets, if it is known beforehand. */
  readonly size: number | null
  /** The position of the body's first octet in the resource: above 0 after a range or resumeFrom. Default 0. */
  readonly offset?: number
  readonly modified: Date | null
  /** HTTP's entity tag, as the server wrote it. */
  readonly etag?: string | null
  /**
   * How the end of the body is known: `verified` by a length, `terminated` by the protocol's own end mark, `eof-only`
   * by the end of the connection alone (a cut body looks like a whole one).
   */
  readonly completeness: 'verified' | 'terminated' | 'eof-only'
  /** Further data of the protocol: status, header fields, the server's words. JSON-able. */
  readonly metadata: MetadataOf<M>
  /**
   * The octets: a ByteSource, or any async iterable of chunks that are the consumer's own. It ends only if the
   * representation is complete; otherwise it throws a RetrievalError. An abort of the deadline's signal releases
   * everything, even before the first read.
   */
  readonly body: ByteSource | AsyncIterable<Uint8Array>
  /**
   * The URL names a file, but the server sent a listing: the error for callers that want the file, as saveTo() does.
   */
  readonly notAFile?: RetrievalError
  /** Reads the entries of a listing's body. An object may have entries, too: the parts of a message. */
  readonly entries?: (body: AsyncIterable<Uint8Array>) => AsyncIterable<Entry>
}

/** One line of any listing: FTP directory, Gopher menu, newsgroup, folder. */
export interface Entry {
  /** The decoded name for people: UTF-8 if it is valid, otherwise Latin-1. Untrusted text. */
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'search' | 'article' | 'group' | 'service' | 'info' | 'other'
  /** An absolute URL; null if the entry leads nowhere (an information line). */
  readonly url: string | null
  readonly size?: number
  readonly modified?: Date
  /** Data that only this protocol has: permissions, gophertype, from and message-id. JSON-able. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * A URL that names a service, not data (RFC 4248), or that the caller wants to hand to another program. It says which
 * program to run; the library does not run it.
 */
export interface Handoff extends Omit<HandoffDetails, 'password'> {
  readonly outcome: 'handoff'
  /** The password, as advice like `user`. A client makes it non-enumerable, so that no log and no JSON shows it. */
  readonly password?: string | null
}

/** The server points elsewhere. The client decides whether to go there. */
export interface Redirect {
  readonly outcome: 'redirect'
  /** The new URL as the server wrote it, perhaps relative. */
  readonly location: string
  /** HTTP: 301, 302, 303, 307, 308; Gemini: 30 to 39; RTSP: 301 to 303; NFS: 5 (a link); Prospero has none: 0. */
  readonly status: number
  /**
   * True: the caller wants what the server names by another protocol (RequestOptions.followAccess), so the rules for
   * links hold in place of those for redirects.
   */
  readonly isAccess?: boolean
  /** The largest number of redirects that the protocol lets a client follow; limits.maxRedirects may be smaller. */
  readonly maxRedirects?: number
  /** True: the redirect sets cookies. */
  readonly setsCookies?: boolean
  /** The address of the connection that brought it; absent if it came through a proxy or from a cache. */
  readonly peerAddress?: string | undefined
}
