import type { Asked } from './asked.ts'
import type { Finding } from './finding.ts'
import type { Gateways } from './gateway.ts'
import type { AccessPlan, Mechanism, TlsMode } from './plan.ts'
import type { Locator, Part, Span } from './url/locator.ts'

/** Defaults that a caller may set for all resolutions. */
export interface Defaults {
  /** The server for news URLs, which name none (RFC 1738 3.6): `host`, `host:port`, or a news URL of the server. */
  readonly newsServer?: string
  /**
   * The server for LDAP URLs that name none: a `host`, a `host:port`, the URL of a server (`ldaps://host`,
   * `ldapi:///`), or a function that is called for one of these when it is needed.
   */
  readonly ldapServer?: string | (() => string | undefined)
  /** The password that an anonymous FTP login sends (RFC 1635); default `anonymous@`. */
  readonly anonymousPassword?: string
  /** Names of this machine. A file URL may have one of them as its host (RFC 8089 2). */
  readonly localHosts?: readonly string[]
  /**
   * Whether the name of a file decides the type of an ftp URL that gives none, as RFC 1738 3.2.2 proposes: names of
   * texts, such as `.txt`, are then retrieved as text (`;type=a`). Default false: the server's octets come unchanged.
   */
  readonly guessType?: boolean
  /** Whether the dot-segments of an http path are sent as written. Default false: RFC 3986 5.2.4 removes them. */
  readonly pathAsIs?: boolean
  /**
   * Whether to ask for TLS by the protocol's own command if the scheme begins without TLS: `ftp:` then works like
   * `ftpes:` (RFC 4217), `news:` and `nntp:` begin with STARTTLS (RFC 4642), `imap:` and `pop:` with STARTTLS and STLS
   * (RFC 2595), `ldap:` with StartTLS (RFC 4511 4.14).
   */
  readonly requireTls?: boolean
}

export interface ResolveOptions {
  /** Schemes beside the built-in ones; a scheme of the same name replaces the built-in one. */
  readonly schemes?: readonly Scheme[]
  /** The URL against which a relative reference is resolved (RFC 3986 5). */
  readonly base?: string
  readonly defaults?: Defaults
  /** The options of the retrieval that change what is sent, and with it the `wire` of the plan. Default: none. */
  readonly asked?: Asked
  /** The gateways through which URLs are retrieved, by scheme. */
  readonly gateways?: Gateways
  /**
   * Turns an internationalised host name into A-labels: `domainToASCII` of node:url. Without this function such names
   * are refused.
   */
  readonly domainToAscii?: (name: string) => string
  /**
   * Returns the host that the WHATWG URL parser would contact, or null if it refuses: `(url) => new URL(url).hostname`.
   * The finding `parser-disagreement` needs it.
   */
  readonly whatwgHost?: (url: string) => string | null
  /** Mechanisms that the caller can fetch beside Retriever's own; they get no finding `no-fetcher`. */
  readonly fetchable?: readonly string[]
}

/** Finds a scheme by its name, which is in lower case. */
export type SchemeFinder = (name: string) => Scheme | undefined

/** The options of a resolution that knows these schemes and no others. */
export interface FindingOptions extends Omit<ResolveOptions, 'schemes'> {
  readonly find: SchemeFinder
  /** The option that adds a scheme, for messages. Default `schemes`. */
  readonly adding?: 'schemes' | 'fetchers'
}

/** The place to connect to, which the generic part of resolution gives to a scheme. */
export interface Place {
  /** The canonical host; "" if the URL has none. */
  readonly host: string
  /** The URL's port, else the scheme's; 0 if neither has one. */
  readonly port: number
  readonly defaults: Defaults
  /** ResolveOptions.asked. */
  readonly asked: Asked
  /** ResolveOptions.domainToAscii. */
  readonly domainToAscii?: ((name: string) => string) | undefined
  /** Throws `malformed-url` and marks this part of the URL. */
  fail(what: string, part: Part): never
}

/** What a scheme's own findings are made from. */
export interface Inspection {
  readonly locator: Locator
  readonly plan: AccessPlan
  readonly place: Place
  /** The place of a part in the URL; of an absent part, the whole URL. */
  span(part: Part): Span
  /**
   * The part before unsafe characters were escaped, so that offsets into it agree with the span. "" if the part is
   * absent.
   */
  written(part: Part): string
}

/** The properties of a scheme that findings on a port depend on. */
export type PortRules = Pick<Scheme, 'name' | 'defaultPort' | 'ownPorts' | 'anyPort' | 'sendsFirst'>

/**
 * Everything about one scheme. All differences between schemes are data in this type, so no code compares scheme names.
 */
export interface Scheme {
  /** The name of the scheme, in lower case. */
  readonly name: string
  /** The name of the scheme for people. */
  readonly title: string
  /** The specification: `RFC 1738 3.2`. */
  readonly spec: string
  readonly mechanism: Mechanism
  readonly defaultPort: number | null
  /** Further ports of this protocol; they cause no finding. */
  readonly ownPorts?: readonly number[]
  /** True for telnet: a service may listen on any port, so the list of foreign ports does not apply. */
  readonly anyPort?: boolean
  /** The port rules for a URL that names another service (Gopher items of type 8). They replace those of the scheme. */
  portRules?(plan: AccessPlan): PortRules | undefined
  readonly tls: TlsMode
  /** Whether the URL has a host. `socket`: the host part is the encoded path of a local socket (ldapi). */
  readonly host: 'required' | 'optional' | 'none' | 'socket'
  /**
   * Whether the URL may name a user. RFC 1738 allows one for ftp and telnet only; `forbidden` makes a user a syntax
   * error.
   */
  readonly userinfo: 'allowed' | 'forbidden'
  /** Whether the URL has a query. If not, `?` is a character of the path (RFC 1738 3.2.2, 3.4). */
  readonly query: boolean
  /**
   * Whether the path is a hierarchy in which `.` and `..` mean what RFC 3986 5.2.4 says. If not, they are ordinary
   * names.
   */
  readonly dotSegments?: boolean
  /** True if slashes in the path mean nothing to a client (RFC 4157 2), so that no path is relative to another. */
  readonly opaquePath?: boolean
  /**
   * Parts that are sent in a line of the protocol. A decoded CR, LF or NUL in them would begin another line (RFC 1738
   * 6).
   */
  readonly lineParts: readonly Part[]
  /**
   * True if the URL decides the first octets sent, as in Gopher. The client then cannot tell by a greeting that it
   * reached a server of this protocol.
   */
  readonly sendsFirst?: boolean
  /**
   * Whether this plan's requests are in a binary frame, so that no server of a line protocol can find a request in
   * them. Another protocol's port is then a warning instead of a danger.
   */
  isFramed?(plan: AccessPlan): boolean
  /** True if the password crosses the network unprotected. */
  readonly sendsPassword?: boolean
  /**
   * True if the URL names a service or an action instead of a data object. A program gets the parts of the URL as
   * arguments.
   */
  readonly handoff?: boolean
  /** Whether this plan has data although the scheme has `handoff`. */
  isData?(plan: AccessPlan): boolean
  /** True if Retriever can open the service as a session; false if only a program can. */
  readonly session?: boolean
  /** True if a program may get the user as an argument although the URL names a data object. */
  readonly program?: boolean
  /** The most characters of a URL, if 64 KiB is wrong. */
  readonly maxLength?: number
  /** What to use instead, if Retriever has no fetcher for the scheme: a program, a gateway, a successor. */
  readonly hint?: string
  /**
   * For a scheme whose URLs name a part of another resource, and so need a base: words that say which URL the base must
   * be.
   */
  readonly partOf?: string
  /** Why the scheme is historic or was never registered, and which scheme to use instead. */
  readonly deprecated?: string
  /** Normalizes a path further than RFC 3986 6.2.2, if the scheme gives letters and escapes of a name a meaning. */
  normalizePath?(urlPath: string): string
  /** Makes the plan. Pure. Throws `malformed-url` through `place.fail`. */
  resolve(locator: Locator, place: Place): AccessPlan
  /** For a scheme whose URLs do not name the user before the host: the locator that names this user, as octets. */
  withUser?(locator: Locator, user: string): Locator
  /** Lines that tell people what the binary octets of a plan's `wire` mean. */
  reading?(wire: readonly string[]): readonly string[]
  /** The findings that only this scheme can make. */
  inspect?(inspection: Inspection): readonly Finding[]
}

/**
 * A scheme that is another one but for these properties. If nothing uses it, bundlers leave out what a call makes that
 * is marked as pure, but keep what `...` makes.
 */
export function variant<Base extends Partial<Scheme>>(
  scheme: Base,
  changes: Partial<Scheme> & Omit<Scheme, keyof Base>,
): Scheme {
  // Both together have all that a scheme needs.
  return { ...scheme, ...changes } as Scheme
}
