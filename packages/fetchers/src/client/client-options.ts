import type { Defaults, Scheme } from '@retriever/core'
import type { Gateways } from '@retriever/core/internal'
import type { Challenge, Credentials, Fetcher, GivenFields, RequestLogin, RequestOptions } from '../contract/fetcher.ts'
import type { Limits } from '../contract/limits.ts'
import type { Connect, CookieStore, Lookup, NetworkOptions, TlsOptions } from '../contract/network.ts'
import type { RetryOn } from '../contract/retries.ts'
import type { SessionOptions } from '../contract/session.ts'
import type { Step } from '../contract/steps.ts'
import type { EventListener } from '../kit/listeners.ts'
import {
  abortSignal,
  callback,
  callbacks,
  cookieStore,
  count,
  duration,
  fields,
  flag,
  line,
  list,
  type OptionKind,
  proxyOption,
  record,
  retryKind,
  text,
  texts,
} from '../kit/options.ts'
import { sessionKinds } from '../kit/session-options.ts'
import type { BearerToken } from './credentials.ts'
import type { PinnedAddresses } from './network/addresses.ts'
import type { ProxyOption } from './network/proxy.ts'
import type { Policy } from './policy.ts'

/** The answers that a credentials function may give. */
type Answered = Credentials | BearerToken | null

/** Options for all retrievals of a client, whichever protocols it has. createClient checks them once. */
export interface ClientOptions {
  /** Fetchers for mechanisms of your own, or replacing built-in ones; one for each mechanism. */
  readonly fetchers?: readonly Fetcher[]
  /** Schemes of your own; one with the name of a built-in scheme replaces it. */
  readonly schemes?: readonly Scheme[]
  /**
   * Templates of the URLs that are retrieved in place of those of a scheme, or of a namespace of URNs (RFC 1738 4):
   * `{ wais: 'http://gateway.example/?url={url}' }`, or `{ url, port, syntax }`. Neither a login nor a fragment goes
   * along, and the policy holds for both URLs.
   */
  readonly gateways?: Gateways
  readonly policy?: Partial<Policy>
  readonly limits?: Partial<Limits>
  readonly tls?: TlsOptions
  /**
   * The proxy's URL `[PROTOCOL://][USER[:PASSWORD]@]HOST[:PORT]` with the protocol socks4 or socks5 (names are looked
   * up here), socks4a or socks5h (names are looked up by the proxy), http or https. A function gets `{ scheme, host,
   * port }` before each host is contacted, including those that redirects lead to, and gives the URL or null. The
   * environment is never read. Default null: no proxy.
   */
  readonly proxy?: ProxyOption
  /**
   * True: http and ftp URLs go through a tunnel of an HTTP proxy (CONNECT), instead of being sent to it. Default false.
   */
  readonly proxyTunnel?: boolean
  /** True: HTTP proxies get their login by Digest (RFC 7616) once they ask, and never by Basic. Default false. */
  readonly proxyDigest?: boolean
  /**
   * Additional header fields for HTTP proxies, by name: of CONNECT, and of requests that a proxy is sent as a whole.
   * Servers do not get them.
   */
  readonly proxyHeaders?: Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>
  /**
   * The addresses to connect to for a host (`*`: any other) and port, instead of those that the resolver gives: `{
   * 'www.example.org:443': ['127.0.0.1', '::1'] }`. The name in TLS and in Host stays that of the URL. A proxy that
   * looks names up ignores it.
   */
  readonly addresses?: PinnedAddresses
  /** The family of addresses, the local address and port, and other places to connect to. Default: none of them. */
  readonly network?: NetworkOptions
  /**
   * Makes the connections by TCP, also those to proxies, in place of the client. It gets `{ host, port, addresses,
   * signal }`, and gives a stream (Duplex), such as a net.Socket; if it gives null, the client connects by itself. The
   * client calls it once the policy allows the place, and refuses a socket to an address that the policy does not
   * allow.
   */
  readonly connect?: Connect
  /**
   * Gives the addresses for a name and port in place of the system's resolver; if it gives null, the system is asked.
   * The policy judges them like all others. `addresses` goes before, and the system looks up the names of proxies.
   */
  readonly lookup?: Lookup
  /** Called when a server wants a login that the URL does not give; null: none is known. */
  readonly credentials?: (challenge: Challenge) => Answered | Promise<Answered>
  /**
   * Gives the login that goes with the first request of HTTP to another server that a redirect names, by its URL; null:
   * none is sent before the server asks. Default: none is.
   */
  readonly redirectLogin?: (url: string) => RequestLogin | null
  /**
   * Gives the cookies for each request of HTTP, those after redirects too, and keeps those that servers set. Default:
   * none are sent, and none are kept.
   */
  readonly cookies?: CookieStore
  /**
   * The fetch, such as `globalThis.fetch`, that client.fetch calls with the same arguments for http and https URLs and
   * methods other than GET and HEAD. The policy must allow the URL. The fetch obeys no other option of the client, so
   * it does not go together with policy.publicOnly. Default: client.fetch refuses those methods.
   */
  readonly fetchFallback?: typeof globalThis.fetch
  readonly defaults?: Defaults
  /**
   * The errors after which a retrieval is tried again, within its limits: `transient`, those that may pass (default);
   * `refused-connection`, refused connections, too; `any-error`, all that come of contacting the server.
   */
  readonly retryOn?: RetryOn
  /**
   * The number of URLs that all calls of retrieveAll(), mapAll(), walk() and mirror() together retrieve at a time: a
   * whole number of 1 or more. Default 16.
   */
  readonly concurrency?: number
  /**
   * The number of those that may be on one host: a whole number of 1 or more. Default 4; more for a tree that says so.
   */
  readonly perHost?: number
  /** Within so many milliseconds, `intervalCap` of those begin on one host: a number above 0. Default: no limit. */
  readonly interval?: number
  /** A whole number of 1 or more, for `interval`. Default 1. */
  readonly intervalCap?: number
  /**
   * False: the URLs of a batch or a tree wait for a server that is in trouble, however long that lasts. Default true:
   * after `limits.maxRetries` further URLs (at least 3) have failed there one after the other, the rest fails at once.
   */
  readonly giveUpHosts?: boolean
  /**
   * Gets each event, in order. If it throws, or gives a promise that rejects, that retrieval ends with `aborted` unless
   * it is over. Its promise is not awaited.
   */
  readonly onEvent?: EventListener
  /**
   * Steps around every attempt of every protocol, the outermost first. They change the request, answer in place of a
   * server, or decide on another try. Client.connect and explain() do not call them. Default: none.
   */
  readonly use?: readonly Step[]
}

/** Options of one retrieval. */
export interface RetrieveOptions extends Omit<RequestOptions, 'headers'> {
  /**
   * Additional header fields of the request: Headers, a list of pairs, or an object by name; HTTP and WebSocket. Null:
   * the field is not sent, not even by default. A redirect to another origin drops them for good, except Accept,
   * Accept-Language and User-Agent.
   */
  readonly headers?: GivenFields
  /** Ends the retrieval, even while its body is read, with the error `aborted`; its `cause` is the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * The absolute URL against which a relative reference is resolved (RFC 3986 5). For `cid` and `mid` URLs: that of the
   * message, mailbox file (mbox), Maildir or folder of messages that has it.
   */
  readonly base?: string
  /**
   * The absolute URL of the page on which a server names this one, such as a Gopher menu: the URL is refused if it
   * leads from a server to files of this machine, from TLS to a connection without, or inward.
   */
  readonly linkedFrom?: string
  /** Limits of this call, in place of the client's. */
  readonly limits?: Partial<Limits>
  /** The errors after which this call is tried again, in place of the client's. */
  readonly retryOn?: RetryOn
  /** Rules of this call: it may refuse more than the client's policy, and allow nothing that this one refuses. */
  readonly policy?: Partial<Policy>
  /** Gets the events of this call, after the client's `onEvent`. */
  readonly onEvent?: EventListener
  /** Steps of this call, within those of the client. */
  readonly use?: readonly Step[]
  /**
   * Gets each header section of HTTP that comes in this call, those of redirects too: its status line, its fields and
   * the blank line, one octet a character. It holds what events hide, such as cookies: do not log it. One that throws,
   * or whose promise rejects, ends the retrieval.
   */
  readonly onHead?: (octets: string) => void
  /**
   * Gets each chunk of a body that is read in this call, before its `progress`, and the number of its retrieval, as
   * events have it. The chunk is valid until the function returns. One that throws, or whose promise rejects, ends the
   * retrieval.
   */
  readonly onBody?: (octets: Uint8Array, id: number) => void
}

/**
 * Options of one call of retrieveAll() or mapAll(): those of each retrieval, and caps that hold within the client's.
 * `signal` ends the call.
 */
export interface BatchOptions
  extends RetrieveOptions,
    Pick<ClientOptions, 'concurrency' | 'perHost' | 'interval' | 'intervalCap' | 'giveUpHosts'> {
  /**
   * For retrieveAll(), true: bodies are read after the next outcomes have been asked for. Default false: a body that is
   * untouched then gives its place back at once if URLs wait, and the oldest of those ends once there are more than
   * `concurrency`.
   */
  readonly keep?: boolean
}

/** Whether a template makes a URL is seen when one is retrieved through it. */
const templates: OptionKind = [
  'an object of URL templates by scheme, such as { wais: "http://gateway.example/?url={url}" }, or of { url, port, syntax }',
  (value) => record[1](value) && Object.values(Object(value)).every((each) => line[1](each) || isGateway(each)),
]

/** A port goes with the generic syntax alone. */
function isGateway(value: unknown): boolean {
  if (!record[1](value)) return false
  const { url, port, syntax, ...others } = Object(value)
  const isPort = port === undefined || (Number.isInteger(port) && port > 0 && port <= 65_535 && syntax !== 'opaque')
  const isSyntax = syntax === undefined || syntax === 'generic' || syntax === 'opaque'
  return line[1](url) && isPort && isSyntax && Object.keys(others).length === 0
}

declare module '@retriever/core' {
  interface AdvisedOptions
    extends Readonly<Record<keyof BatchOptions | keyof ClientOptions | `defaults.${keyof Defaults}`, true>> {}
}

/** Options of one session: those of each retrieval that concern connections, and what the service may know. */
export interface ConnectOptions
  extends SessionOptions,
    Pick<RetrieveOptions, 'signal' | 'base' | 'linkedFrom' | 'limits' | 'policy' | 'onEvent'> {}

export const clientKinds: Readonly<Record<keyof ClientOptions, OptionKind>> = {
  fetchers: list,
  schemes: list,
  gateways: templates,
  policy: record,
  limits: record,
  tls: record,
  proxy: proxyOption,
  proxyTunnel: flag,
  proxyDigest: flag,
  proxyHeaders: fields,
  addresses: record,
  network: record,
  connect: callback,
  lookup: callback,
  fetchFallback: callback,
  credentials: callback,
  redirectLogin: callback,
  cookies: cookieStore,
  defaults: record,
  retryOn: retryKind,
  concurrency: count,
  perHost: count,
  interval: duration,
  intervalCap: count,
  giveUpHosts: flag,
  onEvent: callback,
  use: callbacks,
}

export const defaultsKinds: Readonly<Record<keyof Defaults, OptionKind>> = {
  newsServer: line,
  ldapServer: [`${line[0]}, or a function that gives it`, (value) => typeof value === 'function' || line[1](value)],
  anonymousPassword: line,
  localHosts: texts,
  requireTls: flag,
  guessType: flag,
  pathAsIs: flag,
}

/** The options of a call that no fetcher gets. */
export const callKinds: Readonly<Record<Exclude<keyof RetrieveOptions, keyof RequestOptions>, OptionKind>> = {
  signal: abortSignal,
  base: text,
  linkedFrom: text,
  limits: record,
  policy: record,
  retryOn: retryKind,
  onEvent: callback,
  use: callbacks,
  onHead: callback,
  onBody: callback,
}

export const connectKinds: Readonly<Record<keyof ConnectOptions, OptionKind>> = {
  signal: abortSignal,
  base: text,
  linkedFrom: text,
  limits: record,
  policy: record,
  onEvent: callback,
  ...sessionKinds,
}
