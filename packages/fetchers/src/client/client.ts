import { hostname } from 'node:os'
import { domainToASCII } from 'node:url'
import { type Resolution, RetrievalError, redact, resolve } from '@retriever/core'
import type { Handoff } from '../plugin/fetcher.ts'
import { publicMinSpeed, readLimits } from '../plugin/limits.ts'
import { Representation } from '../result/representation.ts'
import { AddressBook } from './addresses.ts'
import type { BatchOutcome, Job } from './batch.ts'
import { type ClientOptions, checkClient, checkRetrieve, type RetrieveOptions } from './client-options.ts'
import { LoginMemory } from './credentials.ts'
import { fetchResponse, type Retriever, settingsFor } from './fetch/fetch.ts'
import { handoffError } from './handoff.ts'
import { readPolicy } from './policy.ts'
import { readProxy } from './proxy.ts'
import { Registry } from './registry.ts'
import { Retrieval, type Settings } from './retrieval.ts'
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
   * The web's fetch, for every scheme: GET and HEAD, decoded bodies, and a missing resource is a Response with status
   * 404. Rejects with the signal's reason, or with a TypeError whose `cause` is the RetrievalError. It needs no `this`.
   */
  readonly fetch: typeof globalThis.fetch
  /**
   * Retrieves many URLs, `concurrency` at a time and `perHost` from one host, and yields results as they come. Read or
   * cancel every result: until then it keeps its place. Leaving the loop aborts the results not yielded yet; a yielded
   * representation can still be read.
   */
  retrieveAll(urls: Iterable<string | URL | Resolution>, options?: RetrieveOptions): AsyncIterable<BatchOutcome>
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
  const live = new Set<Retrieval>()
  /** The resolutions given to callers. Others are resolved again, as they may lack findings that forbid them. */
  const givenOut = new WeakSet<Resolution>()
  let isClosed = false

  const begin = (
    resolution: Resolution,
    { signal, base: _, ...request }: RetrieveOptions,
    settingsOfCall = settings,
  ): Retrieval => {
    if (isClosed) throw closed()
    const retrieval = new Retrieval(settingsOfCall, request, resolution.url, signal, () => live.delete(retrieval))
    live.add(retrieval)
    return retrieval
  }

  const resolutionOf = (url: string | URL | Resolution, base: string | undefined): Resolution => {
    if (typeof url === 'object' && 'plan' in url) return givenOut.has(url) ? url : resolutionOf(url.url, base)
    return resolve(String(url), base === undefined ? settings.resolving : { ...settings.resolving, base })
  }

  /** The jobs of retrieveAll, created when the batch reads the next URL. */
  function* jobs(urls: Iterable<string | URL | Resolution>, retrieveOptions: RetrieveOptions): Generator<Job> {
    checkRetrieve(retrieveOptions)
    for (const url of urls) {
      let retrieval: Retrieval | undefined
      try {
        const resolution = resolutionOf(url, retrieveOptions.base)
        yield {
          url: textOf(url),
          host: ('host' in resolution.plan && resolution.plan.host) || '',
          inFlight: registry.inFlight(resolution.plan.mechanism),
          async run() {
            retrieval = begin(resolution, retrieveOptions)
            return representationOf(url, await retrieval.run(resolution))
          },
          abort: () => retrieval?.abort(abandoned(resolution.url)),
        }
      } catch (error) {
        yield { url: textOf(url), host: '', inFlight: 1, run: () => Promise.reject(error), abort() {} }
      }
    }
  }

  const retriever: Retriever = {
    resolve: (url) => resolutionOf(url, undefined),
    async retrieve(resolution, retrieveOptions, changes) {
      checkRetrieve(retrieveOptions)
      const retrieval = begin(resolution, retrieveOptions, settingsFor(settings, changes))
      return representationOf(resolution, await retrieval.run(resolution))
    },
  }

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
    fetch: (input, init) => fetchResponse(retriever, input, init),
    async *retrieveAll(urls, retrieveOptions = {}) {
      // Loaded here because a client of single retrievals needs no queue.
      const { Batch } = await import('./batch.ts')
      yield* new Batch(jobs(urls, retrieveOptions), options.concurrency ?? 16, options.perHost ?? 4).outcomes()
    },
    async close() {
      isClosed = true
      for (const retrieval of live) retrieval.abort(closed())
      live.clear()
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

function textOf(url: string | URL | Resolution): string {
  return typeof url === 'object' && 'plan' in url ? url.url : String(url)
}

function abandoned(url: string): RetrievalError {
  return new RetrievalError('aborted', `${redact(url)}: The retrieval was aborted.`, { phase: 'request', url })
}

function closed(): RetrievalError {
  return new RetrievalError('aborted', 'The client was closed; make another one.', { phase: 'request' })
}
