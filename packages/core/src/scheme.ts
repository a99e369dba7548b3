import type { Finding } from './finding.ts'
import type { AccessPlan, Mechanism, TlsMode } from './plan.ts'
import type { Locator, Part, Span } from './url/locator.ts'

/** Defaults that a caller may set for all resolutions. */
export interface Defaults {
  /** `host` or `host:port` of the server for news URLs, which name none (RFC 1738 3.6). */
  readonly newsServer?: string
  /** What an anonymous FTP login sends as its password (RFC 1635); default `anonymous@`. */
  readonly anonymousPassword?: string
  /** This machine's own names: a file URL may name one of them as its host (RFC 8089 2). */
  readonly localHosts?: readonly string[]
  /**
   * Ask for TLS by the protocol's own command where the scheme begins without: `ftp:` is then sent as `ftpes:` is (RFC
   * 4217), `news:` and `nntp:` begin with STARTTLS (RFC 4642).
   */
  readonly requireTls?: boolean
}

export interface ResolveOptions {
  /** Schemes beside the built-in ones; one of the same name replaces it. */
  readonly schemes?: readonly Scheme[]
  /** The URL against which a relative reference is resolved (RFC 3986 5). */
  readonly base?: string
  readonly defaults?: Defaults
  /**
   * Turns an internationalised host name into A-labels: `domainToASCII` of node:url. Without it such names are refused.
   */
  readonly domainToAscii?: (name: string) => string
  /**
   * The host that the WHATWG URL parser would contact, null where it refuses: `(url) => new URL(url).hostname`. For
   * `parser-disagreement`.
   */
  readonly whatwgHost?: (url: string) => string | null
  /**
   * Mechanisms that the caller can fetch beside those that come with Retriever; no finding `no-fetcher` is made of
   * them.
   */
  readonly fetchable?: readonly string[]
}

/** The result of the generic part of resolution, for a scheme: where to connect to. */
export interface Place {
  /** Canonical; "" where the URL has no host. */
  readonly host: string
  /** The URL's port, else the scheme's; 0 where neither has one. */
  readonly port: number
  readonly defaults: Defaults
  /** Throws `malformed-url` for this part of the URL. */
  fail(what: string, part: Part): never
}

/** The input of a scheme's own findings. */
export interface Inspection {
  readonly locator: Locator
  readonly plan: AccessPlan
  readonly place: Place
  /** Where a part stands in the URL, or the whole URL. */
  span(part: Part): Span
  /**
   * The part as it was written, before unsafe characters were escaped: offsets into it agree with the span. "" where
   * absent.
   */
  written(part: Part): string
}

/** The properties of a scheme that findings on a port depend on. */
export type PortRules = Pick<Scheme, 'name' | 'defaultPort' | 'ownPorts' | 'anyPort' | 'sendsFirst'>

/**
 * Everything about one scheme. Differences between schemes are data here, so that no code asks for a scheme by name.
 */
export interface Scheme {
  /** Lower case. */
  readonly name: string
  /** What it is, for people. */
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
  /**
   * The path is a hierarchy in which `.` and `..` mean what RFC 3986 5.2.4 says; else they are names like any other.
   */
  readonly dotSegments?: boolean
  /**
   * Parts that end up on a line of the protocol, where a decoded CR, LF or NUL would begin another one (RFC 1738 6).
   */
  readonly lineParts: readonly Part[]
  /** The URL decides the first octets sent, so the server's greeting gives no protection, as in Gopher. */
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
  /**
   * What to use where no fetcher exists: a program, a gateway, a successor. Set for schemes that Retriever brings no
   * fetcher for.
   */
  readonly hint?: string
  /** Historic or never registered: the reason, and what to use instead. */
  readonly deprecated?: string
  /** Normalizes a path beyond RFC 3986 6.2.2, where the scheme says what letters and escapes of a name mean. */
  normalizePath?(urlPath: string): string
  /** Pure. Throws `malformed-url` through `place.fail`. */
  resolve(locator: Locator, place: Place): AccessPlan
  /** Findings that only this scheme can make. */
  inspect?(inspection: Inspection): readonly Finding[]
}
