import type {
  AccessPlans,
  Advice,
  ErrorCode,
  Mechanism,
  Phase,
  Resolution,
  RetrievalError,
  Scheme,
} from '@retriever/core'
import type { Asked, ErrorResponse, HandoffDetails } from '@retriever/core/internal'
import type { ByteSource } from './byte-source.ts'
import type { Deadline } from './deadline.ts'
import type { EmittedEvent } from './events.ts'
import type { FormAnswers, FormFiller } from './form.ts'
import type { Limits } from './limits.ts'
import type { MetadataOf } from './metadata.ts'
import type { NestedOptions, NestedRepresentation } from './nested.ts'
import type { Addresses, CookieStore, Network, ProxyServer, TlsOptions } from './network.ts'
import type { Extent, NamedOption, NamedOptions, NamedRows } from './options.ts'
import type { Retries } from './retries.ts'
import type { Session, SessionOptions } from './session.ts'
import type { Stopwatch } from './timings.ts'

/** A plug-in for one mechanism: a plain object, which a function usually makes from options. */
export interface Fetcher<M extends Mechanism = Mechanism> {
  readonly mechanism: M
  /** The schemes whose URLs it retrieves: the client knows them beside those of its option `schemes`. */
  readonly schemes?: readonly Scheme[]
  /**
   * How many retrievals may share one connection that answers one after the other. retrieveAll() counts that many as
   * one retrieval of a host. Default 1.
   */
  readonly inFlight?: number
  /** The protocol's name in messages, which begins a sentence. Default: the built-in fetcher's, or `mechanism`. */
  readonly title?: string
  /**
   * The options that the fetcher uses: a list, or an object that says for which results. A remark tells that others
   * have no effect. Default: the options of the built-in fetcher for the mechanism, or, for any other mechanism, all
   * options without remarks.
   */
  readonly honours?: readonly RequestOption[] | Honours
  /** The options that this mechanism alone honours. A retrieval has them under the mechanism's name. */
  readonly options?: NamedRows
  /** For Client.explain: how the options that the fetcher was made with change what is sent. */
  readonly asked?: Asked
  /**
   * For Client.explain: what a request asks for in this protocol's own way. It replaces what the options say by
   * themselves.
   */
  readonly askedFor?: (asking: Asking) => Promise<Asked>
  /**
   * Carries out the plan up to the first octets of the body. Rejects with a RetrievalError, which context.error makes.
   * It must stop when context.deadline.signal aborts, and must not change the plan.
   */
  retrieve(plan: AccessPlans[M], context: RetrievalContext): Promise<Outcome<M>>
  /**
   * Gives an answer that a step of the caller has made, as of the octets of an archive, what `retrieve` gives with such
   * octets: the kind and the entries of a listing. Absent: it stays as it is.
   */
  reread?(answer: Retrieved<M>, plan: AccessPlans[M], context: RetrievalContext): Promise<Retrieved<M>>
  /**
   * Opens the service that the plan names, for Client.connect. The session must end when the deadline aborts. Absent if
   * the mechanism has no sessions.
   */
  connect?(plan: AccessPlans[M], context: RetrievalContext, options: SessionOptions): Promise<Session>
  /** Closes the connections and timers kept between retrievals. */
  dispose?(): Promise<void>
}

/** A request that is explained before anything is sent. */
export interface Asking {
  readonly request: RequestOptions
  readonly resolution: Resolution
  readonly cookies: CookieStore | undefined
}

/** The options that a fetcher uses, and for which results. `head` and `charset` always have an effect. */
export type Honours = Readonly<Partial<Record<RequestOption, Extent>>>

/** What a fetcher can use during one retrieval. */
export interface RetrievalContext {
  /** The URL without its password: for messages, events, and the URLs of entries. */
  readonly url: string
  readonly deadline: Deadline
  readonly limits: Limits
  readonly request: RequestOptions
  /** The retry budget so far. A body that breaks off may use the rest. Absent: nothing was tried again. */
  readonly retries?: Retries
  /**
   * True if a redirect, a link or a gateway has led to another origin than the caller named. The request's entity tags
   * and dates are then compared with the answer, but not sent.
   */
  readonly isOtherOrigin?: boolean
  /**
   * True if a gateway stands for the URL that the caller named (RFC 1738 4). It gets none of the caller's logins, and
   * no session that has one.
   */
  readonly isAtGateway?: boolean
  /** The caller's option `base`. Absent if there is none, or if a server or another fetcher chose the URL. */
  readonly base?: string | undefined
  readonly tls: TlsOptions
  /** The proxy on the way to this plan's host. wire/transport/socket.ts uses it by itself. Null: no proxy. */
  readonly proxy: ProxyServer | null
  /**
   * Looks up host names, and says which addresses are refused. wire/transport/socket.ts obeys it by itself. Absent: the
   * system's resolver decides.
   */
  readonly addresses?: Addresses
  /** The caller's network options. wire/transport/socket.ts obeys them by itself. Absent: there are none. */
  readonly network?: Network | undefined
  /**
   * Asks for a user and password that the URL does not give. Returns null if none are known. Call it only after the
   * server has asked for them.
   */
  credentials(challenge: Challenge): Promise<Credentials | null>
  /** The logins that servers have accepted. Mechanisms that ask for a login remember it by auth/found-login.ts. */
  readonly acceptedLogins?: AcceptedLogins
  /**
   * Retrieves another URL, perhaps relative to this one, under the same policy, limits, deadline, proxy and listener,
   * and at most until this retrieval ends. Another origin gets neither the caller's client certificate nor its fields.
   * Rejects with a RetrievalError: `refused` by the policy, `handoff` for a service, `too-many-redirects` if fetchers
   * retrieve each other without end.
   */
  retrieve(url: string, options?: NestedOptions): Promise<NestedRepresentation>
  /** Makes the handoff of this URL to a program of this system: the outcome for a URL that names a service. */
  handoff(): Handoff
  emit(event: EmittedEvent): void
  /** HTTP: keeps cookies, and says which to send. Absent: no cookies are sent or kept. */
  readonly cookies?: CookieStore | undefined
  /** HTTP: called with each header section as it arrived. It includes secrets, which events hide. */
  readonly onHead?: ((octets: string) => void) | undefined
  /**
   * HTTP: called with each request that is answered, also those of redirects, refused logins and parts. What it returns
   * is read in place of the body, which is as the server sent it, without the frames of chunks.
   */
  readonly onExchange?: ((exchange: HttpExchange, body: ByteSource) => ByteSource) | undefined
  /** Called with each chunk of the body that is read. The chunk is valid until the function returns. */
  readonly onBody?: ((octets: Uint8Array) => void) | undefined
  /** Notes when each step of the retrieval is over. Connections and sockets do so by themselves. */
  readonly stopwatch?: Stopwatch
  /** False if there is no listener, so that a fetcher can omit events that are costly to make. */
  readonly hasListener?: boolean
  /** Makes a RetrievalError with this URL and, by default, the deadline's phase. The message begins with the URL. */
  error(code: ErrorCode, message: string, details?: ErrorExtras): RetrievalError
}

/** One request of HTTP and the head of its answer, as the events `sent` and `received` have them. */
export interface HttpExchange {
  /** The request, one octet a character, without secrets. */
  readonly request: string
  /** The header section of the answer, one octet a character, without secrets and line folding. */
  readonly head: string
  readonly status: number
  /** The server's address. Absent through a proxy. */
  readonly peerAddress?: string | undefined
}

/** The details of a RetrievalError in addition to its code and message. */
export interface ErrorExtras {
  /** Default: the deadline's current phase. */
  readonly phase?: Phase
  /** The server's own words, safe to show. */
  readonly reply?: string
  /** The HTTP status. */
  readonly status?: number
  /** The option that the message names by adviceText(). */
  readonly advice?: Advice
  /** HTTP: the fields of the answer, and the beginning of its body as text. */
  readonly response?: ErrorResponse
  /** True if another try may help. */
  readonly transient?: boolean
  /** How many milliseconds the server asks the client to wait. */
  readonly retryAfter?: number
  readonly cause?: unknown
}

/** The options of one retrieval. A fetcher that cannot send a range fails with `range-refused`. */
export interface RequestOptions extends SharedOptions, NamedOptions {}

/** The path of an option of a retrieval: `limit`, `http.compressed`. */
export type RequestOption = keyof SharedOptions | NamedOption

/** The options of a retrieval that several mechanisms honour, or the client itself. */
export interface SharedOptions {
  /**
   * The octets to retrieve: `[first, last]`, or `[-n, null]` for the last n; HTTP takes a list of ranges, too. Then it
   * gives the server's multipart/byteranges (RFC 9110 14.6).
   */
  readonly range?: OctetRange | readonly OctetRange[]
  /**
   * How many octets the caller already has: the body should begin after them. If the server cannot do that, or the
   * resource has changed, the whole resource comes. The result's `offset` tells which.
   */
  readonly resumeFrom?: number | ResumePoint
  /** Rejects with `not-modified` if the server says that the resource is no newer. */
  readonly ifChangedSince?: Date
  /** Rejects with `not-modified` if the resource is newer than this date. */
  readonly ifUnchangedSince?: Date
  /** Media types, as in HTTP's Accept; Gopher+ chooses a view by them, and Z39.50 the syntax of a record. */
  readonly accept?: string
  /** Languages, as in HTTP's Accept-Language; Gopher+ chooses a view by them, and man, ghelp and toc a page. */
  readonly acceptLanguage?: string
  /** The answers to the form of an item (Gopher+ +ASK) or to Gemini's input, or a function that gives them. */
  readonly form?: FormAnswers | FormFiller
  /**
   * How many entries to list at most: the newest articles of a newsgroup or messages of an IMAP mailbox (default 1000),
   * or the results of a search by WAIS, Z39.50 or LDAP (LDAP's default: all that the server allows).
   */
  readonly limit?: number
  /**
   * How many messages are wanted: the body ends after them. Fewer are `partial`. If one is wanted, the body is that
   * message, without a line end after it.
   */
  readonly count?: number
  /**
   * True: each message becomes one line of JSON, with its topic or type, its size, and its payload as text or in
   * base64. Default false.
   */
  readonly jsonMessages?: boolean
  /**
   * Additional header fields of the request, by name; null: the field is not sent, even if it has a default. A redirect
   * to another origin drops them for good, except Accept, Accept-Language and User-Agent.
   */
  readonly headers?: RequestFields
  /**
   * A `user` and `password` that replace those of the URL. HTTP and WebSocket send them with the first request by Basic
   * (RFC 7617), or, if `digest` is true, by Digest once the server offers it. MQTT sends them with the first CONNECT. A
   * redirect to another origin drops them for good.
   */
  readonly login?: RequestLogin
  /**
   * True: the login is sent only by Digest (RFC 7616), so that the password never crosses the network. Default false:
   * the strongest scheme that the server offers is used.
   */
  readonly digest?: boolean
  /** True: retrieve only metadata; the body is empty. HTTP sends HEAD. */
  readonly head?: boolean
  /**
   * The charset of the body, for text() and the names of entries: any label of the Encoding Standard. It overrides the
   * charset that the server names, but not a byte order mark. The octets stay unchanged.
   */
  readonly charset?: string
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<RequestOption | 'error.response', true>> {}
}

/**
 * [first, last]: both octets are included, counted from 0; if last is null, the rest. [-n, null]: the last n octets, or
 * all if there are fewer.
 */
export type OctetRange = readonly [number, number | null]

/** A user and a password to use before the server asks. Basic allows no colon in the user. */
export interface RequestLogin {
  readonly user: string
  readonly password: string
}

/** Header fields by name. Null: the field is not sent. */
export type RequestFields = Readonly<Record<string, string | null>>

/**
 * Header fields as callers give them: by name, or anything that `new Headers()` takes (Headers, a Map, a list of
 * pairs).
 */
export type GivenFields = RequestFields | Iterable<readonly [name: string, value: string]>

/**
 * Where to resume, and what the resource was like when the earlier octets arrived. If one of the properties differs
 * now, the resource has changed.
 */
export interface ResumePoint {
  /** How many octets the caller already has. */
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
  /** When the last of these octets arrived. If the resource was modified later, it has changed or grown. */
  readonly since?: Date
}

/** A server's request for a login, and the place it is for. */
export interface Challenge {
  /** What the person who is asked sees: `alice@ftp.example.org`, or an HTTP realm. It is text, not octets. */
  readonly realm: string
  /**
   * FTP: user and password are known, but the server wants an account, too (RFC 959 4.1.1). Only the account of the
   * answer is used.
   */
  readonly account?: true
  readonly host: string
  readonly port: number
  /** The user in the URL. Null if there is none. */
  readonly user: string | null
  /** HTTP: the server also takes a Bearer token (RFC 6750). The answer may give one in place of user and password. */
  readonly token?: true
}

/** A login, as text. Protocols that need octets get UTF-8. */
export interface Credentials {
  readonly user: string
  readonly password: string
  /** FTP: the account, for servers that want one (ACCT). */
  readonly account?: string
  /** The Bearer token. User and password are then "". */
  readonly token?: string
}

/**
 * Logins that servers have accepted, in the memory of one client. A mechanism chooses the `place` that tells logins
 * apart. The place must name the origin, so that no other origin gets the login.
 */
export interface AcceptedLogins {
  /** Returns null if the place has accepted no login. */
  recall(place: string): Credentials | null
  keep(place: string, credentials: Credentials): void
  /** Removes a login that the server now refuses, unless the place has accepted another one since. */
  forget(place: string, refused: Credentials): void
  /**
   * Claims the right to ask for a place's login and to try it. The returned function releases it. Returns null if
   * another retrieval has it; recall() the login after claimed() resolves.
   */
  claim(place: string): (() => void) | null
  /** Resolves when the claim of another retrieval ends: its login was accepted or refused, or it gave up. */
  claimed(place: string): Promise<void>
}

/** What one attempt to retrieve gives if it does not fail. */
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
  /** The position of the body's first octet in the resource. It is above 0 after a range or resumeFrom. Default 0. */
  readonly offset?: number
  readonly modified: Date | null
  /** HTTP's entity tag, as the server wrote it. */
  readonly etag?: string | null
  /**
   * What proves that the body is complete: `verified`, a length; `terminated`, the protocol's own end mark; `eof-only`,
   * only the end of the connection (a body that was cut looks complete).
   */
  readonly completeness: 'verified' | 'terminated' | 'eof-only'
  /** Further data of the protocol, such as status, header fields and the server's words. JSON-able. */
  readonly metadata: MetadataOf<M>
  /**
   * The octets: a ByteSource, or any async iterable whose chunks belong to the consumer. It ends only if the
   * representation is complete; otherwise it throws a RetrievalError. An abort of the deadline's signal releases
   * everything, even before the first read.
   */
  readonly body: ByteSource | AsyncIterable<Uint8Array>
  /**
   * Set if the URL names a file but the server sent a listing. It is the error for callers that want the file, such as
   * saveTo().
   */
  readonly notAFile?: RetrievalError
  /** Reads the entries from a listing's body. An object may have entries, too: the parts of a message. */
  readonly entries?: (body: AsyncIterable<Uint8Array>) => AsyncIterable<Entry>
}

/** One line of any listing: FTP directory, Gopher menu, newsgroup, folder. */
export interface Entry {
  /** The decoded name for people: UTF-8 if valid, otherwise Latin-1. Untrusted text. */
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'search' | 'article' | 'group' | 'service' | 'info' | 'other'
  /** An absolute URL. Null if the entry leads nowhere (an information line). */
  readonly url: string | null
  readonly size?: number
  readonly modified?: Date
  /** Data that only this protocol has, such as permissions, gophertype, from and message-id. JSON-able. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * A URL that names a service, not data (RFC 4248), or that the caller wants to give to another program. It says which
 * program to run; the library does not run it.
 */
export interface Handoff extends Omit<HandoffDetails, 'password'> {
  readonly outcome: 'handoff'
  /**
   * The password to tell that program, as `user` does. A client makes it non-enumerable, so that no log and no JSON
   * shows it.
   */
  readonly password?: string | null
}

/** The server points to another place. The client decides whether to go there. */
export interface Redirect {
  readonly outcome: 'redirect'
  /** The new URL as the server wrote it, perhaps relative. */
  readonly location: string
  /** The same with the secrets masked that were sent to the server, if it repeats them. Absent if it cannot. */
  readonly shown?: string
  /** HTTP: 301, 302, 303, 307, 308; Gemini: 30 to 39; RTSP: 301 to 303; NFS: 5 (a link); Prospero has none: 0. */
  readonly status: number
  /**
   * True if the caller asked to follow an access method (`prospero.followAccess`). The rules for links then apply,
   * not those for redirects.
   */
  readonly isAccess?: boolean
  /** How many redirects the protocol lets a client follow. limits.maxRedirects may be smaller. */
  readonly maxRedirects?: number
  /** True if the redirect sets cookies. */
  readonly setsCookies?: boolean
  /** The address of the connection that brought the redirect. Absent if it came through a proxy or from a cache. */
  readonly peerAddress?: string | undefined
}
