import type { Asked } from './asked.ts'
import type { Finding } from './finding.ts'
import type { Gateways } from './gateway.ts'
import type { AccessPlan, Mechanism, TlsMode } from './plan.ts'
import type { Locator, Part, Span } from './url/locator.ts'

/** Defaults that a caller may set for all resolutions. */
export interface Defaults {
  /** The server for news URLs, which name none (RFC 1738 3.6): `host`, `host:port`, or the server's own news URL. */
  readonly newsServer?: string
  /**
   * The server for LDAP URLs that name none: a `host`, a `host:port`, or the URL of a server (`ldaps://host`,
   * `ldapi:///`), or a function that gives one when it is needed.
   */
  readonly ldapServer?: string | (() => string | undefined)
  /** The password that an anonymous FTP login sends (RFC 1635); default `anonymous@`. */
  readonly anonymousPassword?: string
  /** This machine's own names: a file URL may name one of them as its host (RFC 8089 2). */
  readonly localHosts?: readonly string[]
  /**
   * Whether the name of a file tells the type of an ftp URL that gives none, as RFC 1738 3.2.2 proposes: names of
   * texts, such as `.txt`, are then retrieved as text (`;type=a`). Default false: octets, as the server has them.
   */
  readonly guessType?: boolean
  /** Whether the dot-segments of an http path are sent as they stand (RFC 3986 5.2.4 removes them). Default false. */
  readonly pathAsIs?: boolean
  /**
   * Whether to ask for TLS by the protocol's own command where the scheme begins without: `ftp:` is then sent as
   * `ftpes:` is (RFC 4217), `news:` and `nntp:` begin with STARTTLS (RFC 4642), `ldap:` with StartTLS (RFC 4511 4.14).
   */
  readonly requireTls?: boolean
}

export interface ResolveOptions {
  /** Schemes beside the built-in ones; one of the same name replaces it. */
  readonly schemes?: readonly Scheme[]
  /** The URL against which a relative reference is resolved (RFC 3986 5). */
  readonly base?: string
  readonly defaults?: Defaults
  /** The options of the retrieval that change what is sent, and so the `wire` of the plan. Default: none. */
  readonly asked?: Asked
  /** The gateways through which URLs are retrieved, by scheme. */
  readonly gateways?: Gateways
  /**
   * Turns an internationalised host name into A-labels: `domainToASCII` of node:url. Without it such names are refused.
   */
  readonly domainToAscii?: (name: string) => string
  /**
   * The host that the WHATWG URL parser would contact, null where it refuses: `(url) => new URL(url).hostname`. For
   * `parser-disagreement`.
   */
  readonly whatwgHost?: (url: string) => string | null
  /** Mechanisms that the caller can fetch beside those that come with Retriever; they get no finding `no-fetcher`. */
  readonly fetchable?: readonly string[]
}

/** The result of the generic part of resolution, for a scheme: the place to connect to. */
export interface Place {
  /** The canonical host; "" where the URL has none. */
  readonly host: string
  /** The URL's port, else the scheme's; 0 where neither has one. */
  readonly port: number
  readonly defaults: Defaults
  /** ResolveOptions.asked. */
  readonly asked: Asked
  /** ResolveOptions.domainToAscii. */
  readonly domainToAscii?: ((name: string) => string) | undefined
  /** Throws `malformed-url` for this part of the URL. */
  fail(what: string, part: Part): never
}

/** The input of a scheme's own findings. */
export interface Inspection {
  readonly locator: Locator
  readonly plan: AccessPlan
  readonly place: Place
  /** The place of a part in the URL, or the whole URL. */
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
  /** The name of the scheme, in lower case. */
  readonly name: string
  /** The name of the scheme for people. */
  readonly title: string
  /** The specification: `RFC 1738 3.2`. */
  readonly spec: string
  readonly mechanism: Mechanism
  readonly defaultPort: number | null
  /** Further ports that are this protocol's own: no finding is made of them. */
  readonly ownPorts?: readonly number[]
  /** True for telnet: a service may listen on any port, so the list of foreign ports does not apply. */
  readonly anyPort?: boolean
  /** The port rules for a URL that names another service (Gopher items of type 8), in place of the scheme's. */
  portRules?(plan: AccessPlan): PortRules | undefined
  readonly tls: TlsMode
  /** Whether the URL has a host. `socket`: the host part is the encoded path of a local socket (ldapi). */
  readonly host: 'required' | 'optional' | 'none' | 'socket'
  /**
   * Whether the URL may name a user, which RFC 1738 knows for ftp and telnet only; `forbidden` makes one a syntax
   * error.
   */
  readonly userinfo: 'allowed' | 'forbidden'
  /** Whether the URL has a query. False: `?` is a character of the path (RFC 1738 3.2.2, 3.4). */
  readonly query: boolean
  /**
   * Whether the path is a hierarchy in which `.` and `..` have the meaning of RFC 3986 5.2.4; else they are ordinary
   * names.
   */
  readonly dotSegments?: boolean
  /** True where a slash in the path has no meaning for a client (RFC 4157 2): no path is relative to another. */
  readonly opaquePath?: boolean
  /**
   * Parts that end up on a line of the protocol, where a decoded CR, LF or NUL would begin another one (RFC 1738 6).
   */
  readonly lineParts: readonly Part[]
  /**
   * True where the URL decides the first octets sent, so that the server's greeting gives no protection, as in Gopher.
   */
  readonly sendsFirst?: boolean
  /**
   * Whether this plan's requests are in a binary frame, so that no server of a line protocol can read a request out of
   * them: another protocol's port is then a warning and not a danger.
   */
  isFramed?(plan: AccessPlan): boolean
  /** True where the password is sent unprotected over the network. */
  readonly sendsPassword?: boolean
  /**
   * True where the URL names a service or an action instead of a data object; a program gets its parts as arguments.
   */
  readonly handoff?: boolean
  /** For a scheme with `handoff`: whether this plan is one that has data all the same. */
  isData?(plan: AccessPlan): boolean
  /** True where the service can be opened as a session; false where a program alone can open it. */
  readonly session?: boolean
  /** True where a program may get the user as an argument, though there is a data object. */
  readonly program?: boolean
  /** The most characters of a URL, where 64 KiB is wrong. */
  readonly maxLength?: number
  /**
   * The alternative where no fetcher exists: a program, a gateway, a successor. Set for schemes that Retriever brings
   * no fetcher for.
   */
  readonly hint?: string
  /**
   * For a scheme whose URLs name a part of another resource, and so cannot be retrieved without a base: the URL that
   * the base must be, in words.
   */
  readonly partOf?: string
  /** For a scheme that is historic or was never registered: the reason, and the scheme to use instead. */
  readonly deprecated?: string
  /** Normalizes a path beyond RFC 3986 6.2.2, where the scheme gives letters and escapes of a name a meaning. */
  normalizePath?(urlPath: string): string
  /** Makes the plan. Pure. Throws `malformed-url` through `place.fail`. */
  resolve(locator: Locator, place: Place): AccessPlan
  /** For a scheme that names the user elsewhere than before the host: the locator that names this one, as octets. */
  withUser?(locator: Locator, user: string): Locator
  /** What the binary octets of a plan's `wire` mean, in lines for people. */
  reading?(wire: readonly string[]): readonly string[]
  /** The findings that only this scheme can make. */
  inspect?(inspection: Inspection): readonly Finding[]
}
