import { hostname } from 'node:os'
import { domainToASCII } from 'node:url'
import { type Defaults, type Resolution, RetrievalError, redact, resolve, type Scheme } from '@retriever/core'
import { AddressBook, type PinnedAddresses } from './addresses.ts'
import { Batch, type Job } from './batch.ts'
import type { BearerToken } from './credentials.ts'
import type { RetrievalEvent } from './events.ts'
import { type FetchInit, fetchResponse } from './fetch.ts'
import type { Challenge, Credentials, Fetcher, Handoff, RequestOptions, TlsOptions } from './fetcher.ts'
import { invalidOption, type Limits, readLimits } from './limits.ts'
import {
  abortSignal,
  callback,
  checkOptions,
  connections,
  count,
  date,
  fields,
  fieldValue,
  flag,
  list,
  type OptionKind,
  octetRange,
  proxyOption,
  record,
  resumePoint,
  text,
  texts,
} from './options.ts'
import { type Policy, readPolicy } from './policy.ts'
import { type ProxyOption, readProxy } from './proxy.ts'
import { Registry } from './registry.ts'
import { Representation } from './representation.ts'
import { Retrieval, type Settings } from './retrieval.ts'
import { readTls } from './tls.ts'

/** What a credentials function gives. */
type Answered = Credentials | BearerToken | null

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

export interface RetrieveOptions extends RequestOptions {
  readonly signal?: AbortSignal
  /** Against which a relative reference is resolved. */
  readonly base?: string
}

/** One of retrieveAll's results, in the order in which they come. */
export type BatchOutcome =
  | { readonly url: string; readonly representation: Representation; readonly error: null }
  | { readonly url: string; readonly representation: null; readonly error: RetrievalError }

export interface Client extends AsyncDisposable {
  /**
   * Retrieves what a URL names. Rejects with RetrievalError: `malformed-url`, `unknown-scheme`, `no-fetcher`, `refused`, `handoff`
   * (there is no data object) before anything is contacted, else with what happened. Read or cancel what you get.
   */
  retrieve(url: string | URL, options?: RetrieveOptions): Promise<Representation>
  /** As retrieve, but a URL that names a service gives the Handoff that says what to run. */
  open(url: string | URL, options?: RetrieveOptions): Promise<Representation | Handoff>
  /**
   * As the web's fetch, for every scheme: a missing resource is a Response of status 404, a failure rejects. GET and HEAD; bodies come
   * decoded.
   */
  fetch(url: string | URL, init?: FetchInit): Promise<Response>
  /**
   * Many URLs, a cap a host, results as they come. A result's place is free again once its body is read or cancelled. Whoever leaves
   * the loop ends what has not been handed over; a representation that has been is theirs to read or cancel.
   */
  retrieveAll(urls: Iterable<string | URL>, options?: RetrieveOptions): AsyncIterable<BatchOutcome>
  /** What the client would do for a URL; nothing is contacted. */
  resolve(url: string | URL, base?: string): Resolution
  /** Ends all retrievals of this client and closes its connections, for good: what is asked for later rejects with `aborted`. */
  close(): Promise<void>
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
  newsServer: text,
  anonymousPassword: text,
  localHosts: texts,
  requireTls: flag,
}

const requestKinds: Readonly<Record<keyof RequestOptions, OptionKind>> = {
  range: octetRange,
  resumeFrom: resumePoint,
  ifChangedSince: date,
  ifNoneMatch: fieldValue,
  accept: fieldValue,
  headers: fields,
  head: flag,
  compressed: flag,
  fail: flag,
  split: connections,
}

const retrieveKinds: Readonly<Record<keyof RetrieveOptions, OptionKind>> = {
  signal: abortSignal,
  base: text,
  ...requestKinds,
}

/** The names of all that may be asked of one retrieval. */
export const retrieveOptionNames: readonly string[] = Object.keys(retrieveKinds)

/**
 * Makes a client. Two clients share nothing, and the options are never written to.
 * Throws RetrievalError `invalid-option` that names what was expected and what came.
 */
export function createClient(options: ClientOptions = {}): Client {
  checkOptions(options, optionKinds)
  checkOptions(options.defaults ?? {}, defaultsKinds, 'defaults.')
  const policy = readPolicy(options.policy)
  const registry = new Registry(options.fetchers)
  const settings: Settings = {
    registry,
    policy,
    limits: readLimits(options.limits),
    tls: readTls(options.tls),
    addresses: new AddressBook(options.addresses, policy.publicOnly),
    proxyFor: readProxy(options.proxy, options.proxyTunnel ?? false),
    credentials: async (challenge) => (await options.credentials?.(challenge)) ?? null,
    onEvent: options.onEvent,
    resolving: {
      schemes: [...(options.schemes ?? [])],
      defaults: { ...options.defaults, localHosts: options.defaults?.localHosts ?? [hostname()] },
      domainToAscii: domainToASCII,
      whatwgHost,
    },
  }
  const live = new Set<Retrieval>()
  let isClosed = false

  const begin = (resolution: Resolution, { signal, base: _, ...request }: RetrieveOptions): Retrieval => {
    if (isClosed) throw closed()
    const retrieval = new Retrieval(settings, request, resolution.url, signal, () => live.delete(retrieval))
    live.add(retrieval)
    return retrieval
  }

  /** For retrieveAll: each URL is resolved once, when there may be a place for it. */
  function* jobs(urls: Iterable<string | URL>, retrieveOptions: RetrieveOptions): Generator<Job> {
    checkRetrieve(retrieveOptions)
    for (const url of urls) {
      let retrieval: Retrieval | undefined
      try {
        const resolution = client.resolve(url, retrieveOptions.base)
        yield {
          url: String(url),
          host: ('host' in resolution.plan && resolution.plan.host) || '',
          async run() {
            retrieval = begin(resolution, retrieveOptions)
            return representationOf(url, await retrieval.run(resolution))
          },
          abort: () => retrieval?.abort(abandoned(resolution.url)),
        }
      } catch (error) {
        yield { url: String(url), host: '', run: () => Promise.reject(error), abort() {} }
      }
    }
  }

  const client: Client = {
    resolve(url, base) {
      return resolve(String(url), base === undefined ? settings.resolving : { ...settings.resolving, base })
    },
    async open(url, retrieveOptions = {}) {
      checkRetrieve(retrieveOptions)
      const resolution = client.resolve(url, retrieveOptions.base)
      return begin(resolution, retrieveOptions).run(resolution)
    },
    async retrieve(url, retrieveOptions) {
      return representationOf(url, await client.open(url, retrieveOptions))
    },
    fetch: (url, init) => fetchResponse(client, url, init),
    retrieveAll(urls, retrieveOptions = {}) {
      const batch = new Batch(jobs(urls, retrieveOptions), options.concurrency ?? 16, options.perHost ?? 4)
      return batch.outcomes()
    },
    async close() {
      isClosed = true
      for (const retrieval of live) retrieval.abort(closed())
      live.clear()
      await registry.dispose()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  return client
}

/** What `new URL()` makes of it, for the finding `parser-disagreement`. */
function whatwgHost(url: string): string | null {
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}

function checkRetrieve(options: RetrieveOptions): void {
  checkOptions(options, retrieveKinds)
  if (options.range !== undefined && options.resumeFrom !== undefined) {
    throw invalidOption('resumeFrom', 'absent where there is a range', options.resumeFrom)
  }
}

function representationOf(url: string | URL, opened: Representation | Handoff): Representation {
  if (opened instanceof Representation) return opened
  throw handoffError(String(url), opened)
}

function abandoned(url: string): RetrievalError {
  return new RetrievalError('aborted', `${redact(url)}: The retrieval was aborted.`, { phase: 'request', url })
}

function closed(): RetrievalError {
  return new RetrievalError('aborted', 'The client was closed; make another one.', { phase: 'request' })
}

function handoffError(url: string, { service, program, args }: Handoff): RetrievalError {
  const message = `${redact(url)} names a service (${service}), not data. To use it, run: ${[program, ...args].join(' ')}`
  return new RetrievalError('handoff', message, { phase: 'resolve', url })
}
