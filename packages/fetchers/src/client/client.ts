import { type Explanation, type Resolution, RetrievalError } from '@retriever/core'
import { resolveBy, type SchemeFinder } from '@retriever/core/internal'
import { isRepresentation, type Representation, type SavedFile } from '../body/representation.ts'
import type { Protocol } from '../contract/about.ts'
import type { Handoff } from '../contract/fetcher.ts'
import type { Session } from '../contract/session.ts'
import { RetrievalDeadline } from '../kit/deadline.ts'
import { fieldsOf } from '../kit/options.ts'
import type { MirrorSummary } from '../mirror/mirror-options.ts'
import type { WalkedEntry } from '../walk/walked-entry.ts'
import type { Batch, BatchOutcome, BatchPlace, BatchSource, MapOutcome } from './batch/outcome.ts'
import type { BatchOptions, ClientOptions, ConnectOptions, RetrieveOptions } from './client-options.ts'
import { LoginMemory, Questions } from './credentials.ts'
import { explainFor } from './explain.ts'
import { fetchResponse, type Retriever, withoutLogins } from './fetch/fetch.ts'
import { refusedOptions } from './fetch/request.ts'
import { handoffError } from './handoff/handoff.ts'
import { checkHandUrl, type HandUrlOptions, handoffOf } from './handoff/handoff-of.ts'
import { linked, outermost } from './nested.ts'
import { AddressBook } from './network/addresses.ts'
import { readNetwork } from './network/network.ts'
import { readProxy } from './network/proxy.ts'
import { readTls } from './network/tls.ts'
import { checkConnect, checkRetrieve, requestOf } from './options/checks.ts'
import { keepParts } from './parts.ts'
import { definedOf, limitsOf, settingsOfCall } from './per-call.ts'
import { enforce, readPolicy } from './policy.ts'
import { Registry } from './registry.ts'
import { readResolving, textOf } from './resolving.ts'
import { Retrieval } from './retrieval.ts'
import { Roster } from './roster.ts'
import type { SaveUrlOptions } from './save.ts'
import { serviceOf } from './service.ts'
import type { Settings } from './settings.ts'
import { stepsOf } from './steps/index.ts'
import type { Turn } from './steps/turn.ts'
import type { ClientMirrorOptions, ClientWalkOptions } from './trees.ts'

/**
 * Retrieves URLs with one set of options, and keeps connections between retrievals. createClient of
 * `@retriever/fetchers/client` makes it.
 */
export interface SingleClient extends AsyncDisposable {
  /**
   * Retrieves a URL. Rejects with a RetrievalError; before any connection, its code is `malformed-url`,
   * `unknown-scheme`, `no-fetcher`, `refused` or `handoff` (the URL names a service). Read or cancel the result.
   */
  retrieve(url: string | URL | Resolution, options?: RetrieveOptions): Promise<Representation>
  /** Does the same, but a URL that names a service resolves with a Handoff: the program to run. */
  open(url: string | URL | Resolution, options?: RetrieveOptions): Promise<Representation | Handoff>
  /**
   * Opens the service that a URL names, such as that of a telnet URL, as a stream. Rejects as retrieve() does; with
   * `handoff` or `no-fetcher` if there is no session for such a URL. `limits.totalTimeout` and `signal` end the
   * session, `limits.maxSize` is for the text that comes, and `limits.idleTimeout` holds once the input has ended.
   */
  connect(url: string | URL | Resolution, options?: ConnectOptions): Promise<Session>
  /**
   * The web's fetch, for every scheme: GET and HEAD, decoded bodies, and a missing resource is a Response with status
   * 404. Rejects with the signal's reason, or with a TypeError whose `cause` is the RetrievalError. It needs no `this`.
   * Other methods go to the option `fetchFallback`, or are refused.
   */
  readonly fetch: typeof globalThis.fetch
  /**
   * Saves a URL in a file, and goes on from the part that an interrupted save of the same URL has left at `path.part`,
   * if its entity tag or date proves that the rest belongs to it. The file gets its name only when it is complete; what
   * an interruption leaves is the part. Rejects as retrieve() and saveTo(): with `write-failed` while another save
   * writes to the same path.
   */
  save(url: string | URL | Resolution, path: string, options?: SaveUrlOptions): Promise<SavedFile>
  /**
   * Tells what the client would do for a URL, and contacts nothing. `retrieve`, `open` and `retrieveAll` take such a
   * Resolution in place of the URL, and do not resolve it again. Throws as core's resolve().
   */
  resolve(url: string | URL | Resolution, base?: string): Resolution
  /**
   * Explains a URL with all that these options would change about what is sent, and contacts nothing. A URL that the
   * policy refuses has `refused`. Only wrong options make it reject.
   */
  explain(url: string | URL | Resolution, options?: RetrieveOptions): Promise<Explanation>
  /**
   * Tells which program of this system a URL of any scheme is handed to, as handoffOf() does, and contacts nothing.
   * Throws as resolve(), and `refused` by the policy or by the rules for links of the page `linkedFrom`.
   */
  handoff(url: string | URL | Resolution, options?: HandUrlOptions): Handoff
  /** Ends all retrievals and closes all connections of this client, for good: later calls reject with `aborted`. */
  close(): Promise<void>
}

/** Retrieves many URLs and trees, too. createClient of `@retriever/fetchers` makes it. */
export interface Client extends SingleClient {
  /**
   * Retrieves many URLs, `concurrency` at a time and `perHost` from one host over all calls, and yields results as they
   * come. Read or cancel every result. Leaving the loop aborts the results not yielded yet; a yielded representation
   * can still be read. Throws `invalid-option`; rejects with the error of the caller's list after the results of the
   * URLs that it has given, or with `aborted` if URLs are left when `signal` aborts or the client is closed.
   */
  retrieveAll<Key = unknown>(urls: BatchSource<Key>, options?: BatchOptions): Batch<BatchOutcome<Key>>
  /**
   * Retrieves many URLs as retrieveAll() does, calls `use` with each representation, and yields what it gives. A URL
   * keeps its place until `use` has settled; then its body is cancelled if it has not been read. If another batch waits
   * for the place and no body is read, the place is given back.
   */
  mapAll<Value, Key = unknown>(
    urls: BatchSource<Key>,
    use: (representation: Representation, place: BatchPlace<Key>) => Value | Promise<Value>,
    options?: BatchOptions,
  ): Batch<MapOutcome<Value, Key>>
  /**
   * Yields the entries of a listing and of the folders below it: FTP directories, index pages of HTTP servers, Gopher
   * menus, folders, newsgroups. Breadth first; the entries of a folder come together, in the server's order. Throws if
   * the start cannot be listed; another folder that cannot be is yielded again, with its error.
   */
  walk(url: string | URL, options?: ClientWalkOptions): AsyncIterable<WalkedEntry>
  /**
   * Brings the tree that walk() yields to a folder, which it makes. Files that are complete and current are skipped,
   * parts of an interrupted run resumed. Rejects if the start cannot be listed or the folder cannot be made; failures
   * of other folders and files are in the summary, and `onResult` gets them. Nothing outside the folder is written.
   * With the option `pages`, it copies the web site below a page by its links.
   */
  mirror(url: string | URL, folder: string, options?: ClientMirrorOptions): Promise<MirrorSummary>
}

/**
 * Makes a client of checked options that has these protocols beside the caller's fetchers. `furtherOptions`: the names
 * of the options that belong to the protocols. `builtin`: finds the schemes that are neither the caller's nor the
 * fetchers'.
 */
export function makeClient(
  options: ClientOptions,
  protocols: readonly Protocol[],
  furtherOptions: readonly string[],
  builtin: SchemeFinder,
): SingleClient {
  const registry = new Registry(options.fetchers ?? [], protocols)
  const resolving = readResolving(options, builtin, protocols)
  const policy = readPolicy(options.policy, resolving.find)
  const acceptedLogins = new LoginMemory()
  const clientFetchers = options.fetchers ?? []
  let begun = 0
  const settings: Settings = {
    registry,
    use: [...(options.use ?? [])],
    steps: stepsOf(options.use ?? []),
    policy: { ...policy, isFetch: false },
    limits: limitsOf(policy.publicOnly, options.limits),
    givenLimits: { ...options.limits },
    tls: readTls(options.tls),
    addresses: AddressBook.read(options.addresses, policy, options.lookup),
    network: readNetwork(options.network, options.connect),
    proxyFor: readProxy(options.proxy, {
      tunnel: options.proxyTunnel,
      headers: proxyFieldsOf(options.proxyHeaders),
      digest: options.proxyDigest,
    }),
    credentials: new Questions(async (challenge) => (await options.credentials?.(challenge)) ?? null),
    acceptedLogins,
    redirectLogin: options.redirectLogin,
    cookies: options.cookies,
    retryOn: options.retryOn,
    onEvent: options.onEvent,
    onHead: undefined,
    onBody: undefined,
    nextId: () => ++begun,
    resolving,
  }
  const fetchSettings: Settings = { ...settings, policy: { ...settings.policy, isFetch: true } }
  const live = new Roster<Retrieval>()
  /** The resolutions given to callers. Others are resolved again, as they may lack findings that forbid them. */
  const givenOut = new WeakSet<Resolution>()
  let isClosed = false
  const stops = new Set<(error: RetrievalError) => void>()

  const begin = (
    resolution: Resolution,
    callSettings: Settings,
    options: RetrieveOptions,
    turn?: Turn,
    own?: AbortSignal,
  ): Retrieval => {
    if (isClosed) throw closed()
    const { signal, base, linkedFrom } = options
    const request = requestOf(options)
    const from = linkedFrom === undefined ? null : resolveBy(linkedFrom, settings.resolving)
    const { tls } = callSettings
    const nesting = from === null ? outermost(tls, base) : linked(from, resolution, callSettings, base)
    const deadline = new RetrievalDeadline(resolution.url, callSettings.limits, signal)
    if (own !== undefined) deadline.heed(own)
    const retrieval = new Retrieval(callSettings, request, deadline, () => live.delete(retrieval), nesting, turn)
    live.add(retrieval)
    return retrieval
  }

  const resolutionOf = (url: string | URL | Resolution, base: string | undefined): Resolution => {
    if (typeof url === 'object' && url !== null && 'plan' in url)
      return givenOut.has(url) ? url : resolutionOf(url.url, base)
    return resolveBy(String(url), base === undefined ? settings.resolving : { ...settings.resolving, base })
  }

  const settingsOf = (callOptions: RetrieveOptions): Settings => settingsOfCall(settings, callOptions)

  const open = async (
    url: string | URL | Resolution,
    retrieveOptions: RetrieveOptions,
    base: Settings,
  ): Promise<Representation | Handoff> => {
    checkRetrieve(retrieveOptions, registry.options)
    const callSettings = settingsOfCall(base, retrieveOptions)
    const resolution = resolutionOf(url, retrieveOptions.base)
    return begin(resolution, callSettings, retrieveOptions).run(resolution)
  }

  const client: SingleClient = {
    resolve(url, base) {
      const resolution = resolutionOf(url, base)
      givenOut.add(resolution)
      return resolution
    },
    open: (url, retrieveOptions = {}) => open(url, retrieveOptions, settings),
    async retrieve(url, retrieveOptions) {
      return representationOf(url, await client.open(url, retrieveOptions))
    },
    async connect(url, connectOptions = {}) {
      checkConnect(connectOptions)
      const { signal, base, linkedFrom, limits, policy: rules, onEvent, ...told } = connectOptions
      const call = definedOf({ signal, base, linkedFrom, limits, policy: rules, onEvent })
      const resolution = serviceOf(resolutionOf(url, base), (service) => resolutionOf(service, undefined))
      return begin(resolution, settingsOfCall(settings, call), call).connect(resolution, told)
    },
    async save(url, path, saveOptions = {}) {
      const { saveUrl } = await import('./save.ts')
      return saveUrl(client, url, path, saveOptions, registry.options)
    },
    fetch: (input, init) => fetchResponse(retriever, input, init),
    async explain(url, options = {}) {
      checkRetrieve(options, registry.options)
      const { policy } = settingsOfCall(settings, options)
      const { base } = options
      const resolving = base === undefined ? settings.resolving : { ...settings.resolving, base }
      return explainFor(textOf(url), requestOf(options), {
        ...settings,
        policy,
        resolving,
        fetchers: clientFetchers,
        protocols,
        options: registry.options,
      })
    },
    handoff(url, options = {}) {
      const { base, linkedFrom, ...handing } = checkHandUrl(options)
      const resolution = resolutionOf(url, base)
      enforce(settings.policy, resolution)
      if (linkedFrom !== undefined) linked(resolveBy(linkedFrom, settings.resolving), resolution, settings)
      return handoffOf(resolution, handing)
    },
    async close() {
      isClosed = true
      for (const retrieval of live.clear()) retrieval.abort(closed())
      for (const stop of stops) stop(closed())
      acceptedLogins.clear()
      settings.credentials.clear()
      await registry.dispose()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  /** The client as fetch() uses it: what is local must be named by policy.schemes. */
  const retriever: Retriever = {
    takesBlobs: policy.schemes === null,
    refusedOptions: [...refusedOptions(registry.options), ...furtherOptions],
    fallback: options.fetchFallback,
    enforce(resolution) {
      if (isClosed) throw closed()
      enforce(fetchSettings.policy, resolution)
    },
    resolve: (url) => client.resolve(url),
    retrieve: async (url, retrieveOptions, sendsLogins) =>
      representationOf(
        url,
        await open(url, retrieveOptions, sendsLogins ? fetchSettings : withoutLogins(fetchSettings)),
      ),
  }
  registry.hold(client)
  const { concurrency, perHost, interval, intervalCap, giveUpHosts } = options
  keepParts(client, {
    options: definedOf({ concurrency, perHost, interval, intervalCap, giveUpHosts }),
    retriever: {
      options: registry.options,
      resolve: resolutionOf,
      inFlight: (mechanism) => registry.inFlight(mechanism),
      settingsOf,
      begin: (resolution, callOptions, turn, { settings: callSettings = settingsOf(callOptions), own } = {}) =>
        begin(resolution, callSettings, callOptions, turn, own),
    },
    unreadTimeout: settings.limits.unreadTimeout,
    check: (batchOptions) => void settingsOf(batchOptions),
    onClose(stop) {
      stops.add(stop)
      if (isClosed) stop(closed())
      return () => stops.delete(stop)
    },
  })
  return client
}

/** The header fields for proxies; one that is null is not sent. */
function proxyFieldsOf(given: ClientOptions['proxyHeaders']): Record<string, string> {
  const fields = Object.entries(fieldsOf(given ?? {}) ?? {})
  return Object.fromEntries(fields.filter((field): field is [string, string] => field[1] !== null))
}

function representationOf(url: string | URL | Resolution, opened: Representation | Handoff): Representation {
  if (isRepresentation(opened)) return opened
  throw handoffError(textOf(url), opened)
}

function closed(): RetrievalError {
  return new RetrievalError('aborted', 'The client was closed; make another one.', { phase: 'request' })
}
