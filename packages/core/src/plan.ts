/**
 * What retrieval will do, as data. A string in a plan holds one octet a character (U+0000 to U+00FF); null is absent.
 * `wire` has one element for each message the client would send, with its line end; a secret stands there as `<password>`.
 */
interface Plan<M extends string> {
  readonly mechanism: M
  readonly wire: readonly string[]
}

/** How TLS comes in: from the first octet (`implicit`), by a command (`explicit`), or not at all. */
export type TlsMode = 'none' | 'explicit' | 'implicit'

interface NetworkPlan<M extends string> extends Plan<M> {
  /** To dial: canonical, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
}

/** RFC 1738 3.2.2: one CWD for each element of `cwd`, then RETR or NLST of `name`; an empty name is a listing. */
export interface FtpPlan extends NetworkPlan<'ftp'> {
  readonly user: string
  /** Null: ask for it, if the server does. */
  readonly password: string | null
  readonly cwd: readonly string[]
  readonly name: string
  readonly typecode: 'a' | 'i' | 'd' | null
}

export interface HttpPlan extends NetworkPlan<'http'> {
  /** The request-target in origin form, RFC 9112 3.2.1. */
  readonly target: string
  readonly user: string | null
  readonly password: string | null
}

/** RFC 4266 2.1. `gopherPlus` is the Gopher+ string as the URL has it: `+`, `!`, `$` with what follows. */
export interface GopherPlan extends NetworkPlan<'gopher'> {
  readonly gophertype: string
  readonly selector: string
  readonly search: string | null
  readonly gopherPlus: string | null
}

/** RFC 5538, RFC 1738 3.6 and 3.7. */
export interface NntpPlan extends Plan<'nntp'> {
  /** Null: a news URL names no server, and no default is configured. */
  readonly host: string | null
  readonly port: number
  readonly tls: TlsMode
  readonly user: string | null
  readonly password: string | null
  readonly select: 'groups' | 'group' | 'article' | 'message'
  /** A group; for `groups` a wildmat or null. */
  readonly newsgroup: string | null
  readonly articleNumber: number | null
  /** Without its angle brackets. */
  readonly messageId: string | null
}

/** RFC 4248. User and password are advice to the person; they are never sent by themselves. */
export interface TelnetPlan extends NetworkPlan<'telnet'> {
  readonly user: string | null
  readonly password: string | null
}

/** RFC 8089. `host` is null, "" or `localhost` for this machine. */
export interface FilePlan extends Plan<'file'> {
  readonly host: string | null
  readonly path: string
}

/**
 * All plans by mechanism. A package that brings a mechanism of its own merges its line in:
 * `declare module '@retriever/core' { interface AccessPlans { finger: FingerPlan } }`
 */
export interface AccessPlans {
  ftp: FtpPlan
  http: HttpPlan
  gopher: GopherPlan
  nntp: NntpPlan
  telnet: TelnetPlan
  file: FilePlan
}

export type Mechanism = keyof AccessPlans
export type AccessPlan = AccessPlans[Mechanism]
