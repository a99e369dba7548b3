import { hostname } from 'node:os'
import { domainToASCII } from 'node:url'
import { type Resolution, RetrievalError, resolve } from '@retriever/core'
import type { Handoff } from '../plugin/fetcher.ts'
import { publicMinSpeed, readLimits } from '../plugin/limits.ts'
import { Representation } from '../result/representation.ts'
import { AddressBook } from './addresses.ts'
import { textOf } from './batch/batch-job.ts'
import { Batches } from './batch/batches.ts'
import type { Batch, BatchOutcome, BatchPlace, BatchSource, MapOutcome } from './batch/outcome.ts'
import { lend, map } from './batch/use.ts'
import {
  type BatchOptions,
  type ClientOptions,
  checkClient,
  checkRetrieve,
  type RetrieveOptions,
} from './client-options.ts'
import { LoginMemory } from './credentials.ts'
import { type FetchInit, fetchResponse } from './fetch.ts'
import { handoffError } from './handoff.ts'
import { readPolicy } from './policy.ts'
import { readProxy } from './proxy.ts'
import { Registry } from './registry.ts'
import { Retrieval, type Settings } from './retrieval.ts'
import { Roster } from './roster.ts'
import { readTls } from './tls.ts'

/** Retrieves URLs with one set of options, and keeps connections between retrievals. createClient makes it. */
export interface Client extends AsyncDisposable {
  /**
   * Retrieves a URL. Rejects with a RetrievalError; before any connection, its code is `malformed-url`,
   * `unknown-scheme`, `no-fetcher`, `refused` or `handoff` (the URL names a service). Read or cancel the result.
   */
  retrieve(url: string | URL | Resolution, options?: RetrieveOptions): Promise<Representation>
  /** Does the same, but a URL that names a service resolves with a Handoff: the program to run. */
  open(url: string | URL | Resolution, options?: RetrieveOptions): Promise<Representation | Handoff>
  /**
   * Works like the web's fetch, for every scheme: a missing resource is a Response with status 404, a failure rejects
   * with a RetrievalError. GET and HEAD only; bodies are decoded.
   */
  fetch(url: string | URL, init?: FetchInit): Promise<Response>
  /**
   * Retrieves many URLs, `concurrency` at a time and `perHost` from one host over all calls, and yields results as they
   * come. Read or cancel every result. Leaving the loop aborts the results not yielded yet; a yielded representation
   * can still be read. Throws `invalid-option`; rejects with the error of the caller's list, or with `aborted` if URLs
   * are left when `signal` aborts or the client is closed.
   */
  retrieveAll<Key = unknown>(urls: BatchSource<Key>, options?: BatchOptions): Batch<BatchOutcome<Key>>
  /**
   * Retrieves many URLs as retrieveAll() does, calls `use` with each representation, and yields what it gives. A URL
   * keeps its place until `use` has settled; then its body is cancelled if it has not been read.
   */
  mapAll<Value, Key = unknown>(
    urls: BatchSource<Key>,
    use: (representation: Representation, place: BatchPlace<Key>) => Value | Promise<Value>,
    options?: BatchOptions,
  ): Batch<MapOutcome<Value, Key>>
  /**
   * Tells what the client would do for a URL, and contacts nothing. `retrieve`, `open` and `retrieveAll` take such a
   * Resolution in place of the URL, and do not resolve it again. Throws as core's resolve().
   */
  resolve(url: string | URL | Resolution, base?: string): Resolution
  /** Ends all retrievals and closes all connections of this client, for good: later calls reject with `aborted`. */
  close(): Promise<void>
}

/**
 * Makes a client. Two clients share nothing but fetchers that both are given. The options are never written to. Throws
 * RetrievalError `invalid-option`, which names the option, its valid values and its actual value.
 */
export function createClient(options: ClientOptions = {}): Client {
  checkClient(options)
  const policy = readPolicy(options.policy)
  const localHosts = (options.defaults?.localHosts ?? [hostname()]).map((name) => name.toLowerCase())
  const registry = new Registry(options.fetchers, localHosts)
  const acceptedLogins = new LoginMemory()
  const settings: Settings = {
    registry,
    policy,
    limits: readLimits(policy.publicOnly ? { minSpeed: publicMinSpeed, ...options.limits } : options.limits),
    tls: readTls(options.tls),
    addresses: new AddressBook(options.addresses, policy.publicOnly),
    proxyFor: readProxy(options.proxy, options.proxyTunnel ?? false),
    credentials: async (challenge) => (await options.credentials?.(challenge)) ?? null,
    acceptedLogins,
    onEvent: options.onEvent,
    resolving: {
      schemes: [...(options.schemes ?? [])],
      defaults: { ...options.defaults, localHosts },
      fetchable: registry.own,
      domainToAscii: domainToASCII,
      whatwgHost,
    },
  }
  registry.hold()
  const live = new Roster<Retrieval>()
  /** The resolutions given to callers. Others are resolved again, as they may lack findings that forbid them. */
  const givenOut = new WeakSet<Resolution>()
  let isClosed = false

  const begin = (resolution: Resolution, { signal, base: _, ...request }: RetrieveOptions): Retrieval => {
    if (isClosed) throw closed()
    const retrieval = new Retrieval(settings, request, resolution.url, signal, () => live.delete(retrieval))
    live.add(retrieval)
    return retrieval
  }

  const resolutionOf = (url: string | URL | Resolution, base: string | undefined): Resolution => {
    if (typeof url === 'object' && 'plan' in url) return givenOut.has(url) ? url : resolutionOf(url.url, base)
    return resolve(String(url), base === undefined ? settings.resolving : { ...settings.resolving, base })
  }

  const batches = new Batches(
    options,
    { resolve: resolutionOf, inFlight: (mechanism) => registry.inFlight(mechanism), begin },
    settings.limits.unreadTimeout,
  )

  const client: Client = {
    resolve(url, base) {
      const resolution = resolutionOf(url, base)
      givenOut.add(resolution)
      return resolution
    },
    async open(url, retrieveOptions = {}) {
      checkRetrieve(retrieveOptions)
      const resolution = resolutionOf(url, retrieveOptions.base)
      return begin(resolution, retrieveOptions).run(resolution)
    },
    async retrieve(url, retrieveOptions) {
      return representationOf(url, await client.open(url, retrieveOptions))
    },
    fetch: (url, init) => fetchResponse(client, url, init),
    retrieveAll: (urls, batchOptions = {}) => batches.open(urls, batchOptions, lend()),
    mapAll: (urls, use, batchOptions = {}) => batches.open(urls, batchOptions, map(use)),
    async close() {
      isClosed = true
      for (const retrieval of live.clear()) retrieval.abort(closed())
      batches.close(closed())
      acceptedLogins.clear()
      await registry.dispose()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  return client
}

/** The host that `new URL()` finds, for the finding `parser-disagreement`; null if there is none. */
function whatwgHost(url: string): string | null {
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}

function representationOf(url: string | URL | Resolution, opened: Representation | Handoff): Representation {
  if (opened instanceof Representation) return opened
  throw handoffError(textOf(url), opened)
}

function closed(): RetrievalError {
  return new RetrievalError('aborted', 'The client was closed; make another one.', { phase: 'request' })
}
