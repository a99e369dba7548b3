import type { Defaults, Scheme } from '@retriever/core'
import type { RetrievalEvent } from '../plugin/events.ts'
import type { Challenge, Credentials, Fetcher, RequestOptions } from '../plugin/fetcher.ts'
import { invalidOption, type Limits } from '../plugin/limits.ts'
import type { TlsOptions } from '../plugin/network.ts'
import {
  abortSignal,
  callback,
  charsetLabel,
  checkOptions,
  connections,
  count,
  date,
  fields,
  fieldValue,
  flag,
  formOption,
  line,
  list,
  type OptionKind,
  octetRange,
  proxyOption,
  record,
  resumePoint,
  text,
  texts,
} from '../plugin/options.ts'
import type { PinnedAddresses } from './addresses.ts'
import type { BearerToken } from './credentials.ts'
import type { Policy } from './policy.ts'
import type { ProxyOption } from './proxy.ts'

/** What a credentials function gives. */
type Answered = Credentials | BearerToken | null

/** What holds for all that a client retrieves. Checked once, by createClient. */
export interface ClientOptions {
  /** For mechanisms of your own, or in place of built-in ones. */
  readonly fetchers?: readonly Fetcher[]
  /** Beside, or in place of, the built-in ones. */
  readonly schemes?: readonly Scheme[]
  readonly policy?: Partial<Policy>
  readonly limits?: Partial<Limits>
  readonly tls?: TlsOptions
  /**
   * `[PROTOCOL://][USER[:PASSWORD]@]HOST[:PORT]` with the protocol socks5 (names are looked up here), socks5h (by the proxy), http
   * or https; or a function of `{ scheme, host, port }`, asked before each host is contacted, redirects' too. The environment is
   * never read. Default null: no proxy.
   */
  readonly proxy?: ProxyOption
  /** Have an HTTP proxy connect on (CONNECT) for http and ftp too, in place of asking it for the URL. Default false. */
  readonly proxyTunnel?: boolean
  /**
   * `{ 'www.example.org:443': ['127.0.0.1', '::1'] }`: where to go for a host and port in place of what the resolver
   * says. All else stays the URL's: the name in TLS, Host. Where a proxy looks names up, that one's resolver counts.
   */
  readonly addresses?: PinnedAddresses
  /** Asked once the server wants a login that the URL does not give; null: none is known. */
  readonly credentials?: (challenge: Challenge) => Answered | Promise<Answered>
  readonly defaults?: Defaults
  /** Retrievals at a time in retrieveAll(); default 16. */
  readonly concurrency?: number
  /** Of those, to one host; default 4. */
  readonly perHost?: number
  /** What it throws ends the retrieval, with the error `aborted`. */
  readonly onEvent?: (event: RetrievalEvent) => void
}

/** What is asked of one retrieval. */
export interface RetrieveOptions extends RequestOptions {
  /** Ends the retrieval, its body too, with the error `aborted`. */
  readonly signal?: AbortSignal
  /** Against which a relative reference is resolved. */
  readonly base?: string
}

const optionKinds: Readonly<Record<keyof ClientOptions, OptionKind>> = {
  fetchers: list,
  schemes: list,
  policy: record,
  limits: record,
  tls: record,
  proxy: proxyOption,
  proxyTunnel: flag,
  addresses: record,
  credentials: callback,
  defaults: record,
  concurrency: count,
  perHost: count,
  onEvent: callback,
}

const defaultsKinds: Readonly<Record<keyof Defaults, OptionKind>> = {
  newsServer: line,
  anonymousPassword: line,
  localHosts: texts,
  requireTls: flag,
}

const requestKinds: Readonly<Record<keyof RequestOptions, OptionKind>> = {
  range: octetRange,
  resumeFrom: resumePoint,
  ifChangedSince: date,
  ifNoneMatch: fieldValue,
  accept: fieldValue,
  acceptLanguage: fieldValue,
  form: formOption,
  limit: count,
  headers: fields,
  head: flag,
  compressed: flag,
  fail: flag,
  split: connections,
  charset: charsetLabel,
}

const retrieveKinds: Readonly<Record<keyof RetrieveOptions, OptionKind>> = {
  signal: abortSignal,
  base: text,
  ...requestKinds,
}

/** The names of all that may be asked of one retrieval. */
export const retrieveOptionNames: readonly string[] = Object.keys(retrieveKinds)

/** Throws RetrievalError `invalid-option`. */
export function checkClient(options: ClientOptions): void {
  checkOptions(options, optionKinds)
  checkOptions(options.defaults ?? {}, defaultsKinds, 'defaults.')
}

/** Throws RetrievalError `invalid-option`. */
export function checkRetrieve(options: RetrieveOptions): void {
  checkOptions(options, retrieveKinds)
  if (options.range !== undefined && options.resumeFrom !== undefined) {
    throw invalidOption('resumeFrom', 'absent where there is a range', options.resumeFrom)
  }
}
