import type { Finding } from './finding.ts'
import type { AccessPlan, Mechanism, TlsMode } from './plan.ts'
import type { Locator, Part, Span } from './url/locator.ts'

/** What a caller may set for all resolutions. */
export interface Defaults {
  /** `host` or `host:port` of the server for news URLs, which name none (RFC 1738 3.6). */
  readonly newsServer?: string
  /** What an anonymous FTP login sends as its password (RFC 1635); default `anonymous@`. */
  readonly anonymousPassword?: string
  /** This machine's own names: a file URL may name one of them as its host (RFC 8089 2). */
  readonly localHosts?: readonly string[]
  /**
   * Ask for TLS by the protocol's own command where the scheme begins without: `ftp:` is then sent as `ftpes:` is (RFC 4217), `news:` and
   * `nntp:` begin with STARTTLS (RFC 4642).
   */
  readonly requireTls?: boolean
}

/** What the generic part of resolution has found for a scheme: where to connect to. */
export interface Place {
  /** Canonical; "" where the URL has no host. */
  readonly host: string
  /** The URL's port, else the scheme's; 0 where neither has one. */
  readonly port: number
  readonly defaults: Defaults
  /** Throws `malformed-url` for this part of the URL. */
  fail(what: string, part: Part): never
}

/** What a scheme's own findings are made from. */
export interface Inspection {
  readonly locator: Locator
  readonly plan: AccessPlan
  readonly place: Place
  /** Where a part stands in the URL, or the whole URL. */
  span(part: Part): Span
  /** The part as it was written, before unsafe characters were escaped: offsets into it agree with the span. "" where absent. */
  written(part: Part): string
}

/** What findings on a port are made by. */
export type PortRules = Pick<Scheme, 'name' | 'defaultPort' | 'ownPorts' | 'anyPort' | 'sendsFirst'>

/** All that is known of one scheme. What schemes differ in is data here, so that no code asks for a scheme by name. */
export interface Scheme {
  /** Lower case. */
  readonly name: string
  /** For people: what it is. */
  readonly title: string
  /** The specification, `RFC 1738 3.2`. */
  readonly spec: string
  readonly mechanism: Mechanism
  readonly defaultPort: number | null
  /** Further ports that are this protocol's own: no finding is made of them. */
  readonly ownPorts?: readonly number[]
  /** telnet: a service may listen on any port, so the list of foreign ports does not apply. */
  readonly anyPort?: boolean
  /** For URLs that name another service (Gopher items of type 8): its rules for ports, in place of the scheme's. */
  portRules?(plan: AccessPlan): PortRules | undefined
  readonly tls: TlsMode
  /** `socket`: the host part is the encoded path of a local socket (ldapi). */
  readonly host: 'required' | 'optional' | 'none' | 'socket'
  /** RFC 1738 knows a user for ftp and telnet only; `forbidden` makes one a syntax error. */
  readonly userinfo: 'allowed' | 'forbidden'
  /** False: `?` is a character of the path (RFC 1738 3.2.2, 3.4). */
  readonly query: boolean
  /** The path is a hierarchy in which `.` and `..` mean what RFC 3986 5.2.4 says; else they are names like any other. */
  readonly dotSegments?: boolean
  /** Parts that end up on a line of the protocol, where a decoded CR, LF or NUL would begin another one (RFC 1738 6). */
  readonly lineParts: readonly Part[]
  /** The URL decides the first octets sent, so the server's greeting gives no protection: Gopher and its like. */
  readonly sendsFirst?: boolean
  /**
   * Requests are in a binary frame, so that no server of a line protocol can read one out of this plan's: another
   * protocol's port is then a warning and no danger.
   */
  isFramed?(plan: AccessPlan): boolean
  /** The password goes over the network as it is. */
  readonly sendsPassword?: boolean
  /** The URL names a service, or a thing to do, and no data object; a program gets what it names as arguments. */
  readonly handoff?: boolean
  /** A program may get the user as an argument, though there is a data object. */
  readonly program?: boolean
  /** Longest URL in characters, where 64 KiB will not do. */
  readonly maxLength?: number
  /** What to use where nothing can fetch it: a program, a gateway, a successor. Its presence says that we bring no fetcher. */
  readonly hint?: string
  /** Historic or never registered: the reason, and what to use instead. */
  readonly deprecated?: string
  /**
   * Another spelling of the same path, where the scheme knows more than RFC 3986 6.2.2: what a name's letters and
   * escapes mean.
   */
  normalizePath?(urlPath: string): string
  /** Pure. Throws `malformed-url` through `place.fail`. */
  resolve(locator: Locator, place: Place): AccessPlan
  /** Findings that only this scheme can make. */
  inspect?(inspection: Inspection): readonly Finding[]
}
