import { formatLocator, printable, type Resolution, RetrievalError, redact } from '@retriever/core'
import type { Entry } from '../contract/fetcher.ts'
import { ListingAhead } from './listing-ahead.ts'
import { type PathFilter, readFilter } from './path-filter.ts'
import { namedOf, type Retriever, requestFor, type TreeRequest } from './retriever.ts'
import { Scope } from './scope.ts'
import { checkWalk, defaultConcurrency, type WalkOptions } from './walk-options.ts'
import { segmentOf, type WalkedEntry } from './walked-entry.ts'

/** A tree that is deeper than this is probably a loop (threats.md section 2). */
const defaultDepth = 32
const defaultEntries = 1_000_000

/** No mailbox has more messages than this (RFC 3501 9). A listing of only the newest would not be the tree. */
const allMessages = 2 ** 32

/** A folder of the tree. */
export interface Folder {
  /** "" for the start. */
  readonly path: string
  readonly depth: number
  /** Null for the start. */
  readonly entry: WalkedEntry | null
  readonly request: Parameters<Retriever['retrieve']>[0]
  readonly linkedFrom?: string | undefined
}

/** The steps of a walk. The steps of one folder come together. */
export type WalkStep =
  | {
      readonly step: 'entry'
      readonly entry: WalkedEntry
      /** How the entry is requested. Null if its URL has no meaning; it is then outside. */
      readonly resolution: Resolution | null
      readonly folder: Folder
      readonly isIncluded: boolean
      readonly isExcluded: boolean
    }
  /** All entries of the folder were reported. `isComplete` is false if the server has others that could not be read. */
  | { readonly step: 'listed'; readonly folder: Folder; readonly isComplete: boolean }
  /** The folder could not be listed at all, or not to its end. */
  | { readonly step: 'failed'; readonly entry: WalkedEntry }
  /** The name of an entry leads out of its folder, so it has no URL. */
  | { readonly step: 'astray'; readonly entry: WalkedEntry }
  /** The folder was not entered, because of the option `depth` or because another path had led to it. */
  | { readonly step: 'passed'; readonly entry: WalkedEntry }

/** Implements Client.walk. */
export async function* walk(
  retriever: Retriever,
  url: string | URL,
  options: WalkOptions,
): AsyncGenerator<WalkedEntry, void, void> {
  const { signal } = options
  for await (const steps of new Walk(retriever, url, options).steps()) {
    for (const step of steps) {
      if (signal !== undefined) throwIfAborted(signal)
      if (
        step.step === 'failed' ||
        step.step === 'astray' ||
        (step.step === 'entry' && step.isIncluded && !step.isExcluded)
      )
        yield step.entry
    }
  }
}

/** Walks a tree breadth first, so that it enters each folder by its shortest path. */
export class Walk {
  readonly scope: Scope
  readonly #retriever: Retriever
  readonly #options: WalkOptions
  readonly #root: Folder
  /** How many entries of each folder to list, if the caller says nothing. */
  readonly #mostEntries: number | undefined
  /** The URL of the start, without a password. */
  readonly #start: string
  readonly #entered = new Set<string>()
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  /** The folders in order. Those before `#at` have been listed. */
  readonly #folders: Folder[]
  #at = 0
  readonly #ahead = new Map<Folder, ListingAhead>()
  /** The folders whose listings may have been cut without notice. */
  readonly #doubtful = new WeakSet<Folder>()
  #count = 0

  /** Throws RetrievalError `invalid-option`, `malformed-url` or `unknown-scheme`. */
  constructor(retriever: Retriever, url: string | URL, options: WalkOptions) {
    checkWalk(options, retriever.namedKinds)
    const start = retriever.resolve(url, options.base)
    this.#retriever = retriever
    this.#options = options
    this.scope = new Scope(retriever, start, options.scope)
    this.#start = formatLocator({ ...start.locator, password: null })
    this.#root = { path: '', depth: 0, entry: null, request: start }
    this.#mostEntries = start.plan.mechanism === 'imap' ? allMessages : undefined
    this.#entered.add(this.scope.key(start))
    this.#folders = [this.#root]
    const own = this.#stop.signal
    this.#signal = options.signal === undefined ? own : AbortSignal.any([options.signal, own])
  }

  /** The options of each retrieval in the tree. */
  get #request(): TreeRequest {
    const { accept, acceptLanguage, charset, headers, limit = this.#mostEntries, digest } = this.#options
    const named = namedOf(this.#options, this.#retriever)
    const given = Object.entries({ accept, acceptLanguage, charset, headers, limit, digest, ...named })
    return { ...Object.fromEntries(given.filter(([, value]) => value !== undefined)), signal: this.#signal }
  }

  /** The listing that named a URL on a server that the caller has not chosen: the rules for links hold for it. */
  linkedFrom(resolution: Resolution, { entry }: Folder): string | undefined {
    return this.scope.isAtStart(resolution) ? undefined : (entry?.url ?? this.#start)
  }

  /** Yields the steps in order, some at a time. After an abort, the consumer must not take those that are left. */
  async *steps(): AsyncGenerator<readonly WalkStep[], void, void> {
    try {
      const filter = await readFilter(this.#options.include, this.#options.exclude)
      for (let folder = this.#next(); folder !== undefined; folder = this.#next()) yield* this.#list(folder, filter)
    } finally {
      this.#stop.abort()
    }
  }

  #next(): Folder | undefined {
    this.#listAhead()
    const folder = this.#folders[this.#at++]
    // Forgets listed folders many at a time, since each removal moves the rest.
    if (this.#at > 1000) {
      this.#folders.splice(0, this.#at)
      this.#at = 0
    }
    return folder
  }

  /** Begins the listings of the next folders. */
  #listAhead(): void {
    const { concurrency = defaultConcurrency } = this.#options
    for (const folder of this.#folders.slice(this.#at, this.#at + concurrency)) {
      if (this.#ahead.has(folder)) continue
      this.#ahead.set(folder, new ListingAhead((add) => this.#read(folder, add)))
    }
  }

  async *#list(folder: Folder, filter: PathFilter): AsyncGenerator<readonly WalkStep[], void, void> {
    const listing = this.#ahead.get(folder)
    this.#ahead.delete(folder)
    let isComplete = true
    let isReadable = false
    let unread: string | null = null
    try {
      for await (const entries of listing?.entries() ?? []) {
        throwIfAborted(this.#signal)
        const steps: WalkStep[] = []
        for (const entry of entries) {
          const { url } = entry
          if (url !== null) this.#step({ ...entry, url }, folder, filter, steps)
          else if (entry.details?.leadsElsewhere === true) this.#astray(entry, folder, filter, steps)
          // A line without a URL is normal in a menu. Elsewhere it may stand for an entry that cannot be read.
          else if (entry.details?.gophertype === undefined) {
            isComplete = false
            // A link of Gemini or Prospero that leads nowhere has details.
            if (entry.kind === 'other' && entry.details === undefined) unread ??= entry.name
          }
          isReadable ||= url !== null || entry.details?.leadsElsewhere === true
        }
        yield steps
      }
      if (unread !== null && !isReadable) throw this.#unreadable(folder, unread)
      yield [{ step: 'listed', folder, isComplete: isComplete && !this.#doubtful.has(folder) }]
    } catch (error) {
      const { entry } = folder
      // After an abort, or after the client was closed, no other folder can be listed either.
      const isFinal = entry === null || this.#isFull || !RetrievalError.is(error) || error.code === 'aborted'
      if (isFinal) throw error
      yield [{ step: 'failed', entry: { ...entry, error } }]
    }
  }

  #step(listed: Entry & { readonly url: string }, folder: Folder, filter: PathFilter, steps: WalkStep[]): void {
    const segment = segmentOf(listed)
    const path = folder.path === '' ? segment : `${folder.path}/${segment}`
    const resolution = this.scope.resolve(listed.url)
    const outside = resolution === null || !this.scope.has(resolution)
    const entry: WalkedEntry = { ...listed, path, depth: folder.depth + 1, outside, error: null }
    const isFolder = entry.kind === 'directory' || entry.kind === 'group'
    const isExcluded = filter.isExcluded(path, isFolder)
    steps.push({ step: 'entry', entry, resolution, folder, isIncluded: filter.isIncluded(path, isFolder), isExcluded })
    if (outside || isExcluded || !isFolder) return
    const key = this.scope.key(resolution)
    if (this.#entered.has(key)) steps.push({ step: 'passed', entry })
    else if (entry.depth >= (this.#options.depth ?? defaultDepth)) steps.push(this.#tooDeep(entry))
    else {
      this.#entered.add(key)
      const linkedFrom = this.linkedFrom(resolution, folder)
      this.#folders.push({ path, depth: entry.depth, entry, request: resolution, linkedFrom })
      this.#listAhead()
    }
  }

  /** Reports an entry such as `../../.bashrc`. Its name becomes one segment, and its URL is that of the folder. */
  #astray(listed: Entry, folder: Folder, filter: PathFilter, steps: WalkStep[]): void {
    const url = folder.entry?.url ?? this.#start
    const segment = segmentOf({ ...listed, url })
    const path = folder.path === '' ? segment : `${folder.path}/${segment}`
    if (filter.isExcluded(path, false) || !filter.isIncluded(path, false)) return
    const what = `The name ${JSON.stringify(listed.name)} leads out of its folder, so it is not retrieved`
    const error = failure('refused', url, what)
    steps.push({ step: 'astray', entry: { ...listed, url, path, depth: folder.depth + 1, outside: true, error } })
  }

  /** Makes the error for a format that is not known, such as that of z/OS. Otherwise the tree would seem empty. */
  #unreadable({ entry }: Folder, line: string): RetrievalError {
    const what = `No line of the listing could be read; one is "${printable(line.slice(0, 80))}"`
    return failure('protocol-violation', entry?.url ?? this.#start, what)
  }

  #tooDeep(entry: WalkedEntry): WalkStep {
    if (this.#options.depth !== undefined) return { step: 'passed', entry }
    const what = `The tree is deeper than ${defaultDepth} levels. Set \`depth\` to go deeper`
    return { step: 'failed', entry: { ...entry, error: failure('limit-exceeded', entry.url, what) } }
  }

  /** Reads one listing. */
  async #read(folder: Folder, add: (entry: Entry) => void): Promise<void> {
    const request = requestFor(this.#request, folder.linkedFrom)
    await using representation = await this.#retriever.retrieve(folder.request, request)
    const { url } = representation
    if (representation.kind !== 'listing' || !representation.hasEntries) {
      throw failure('not-found', url, 'There is no listing, but one object. Retrieve it by itself')
    }
    if (representation.completeness === 'eof-only') this.#doubtful.add(folder)
    if (representation.redirects.length > 0) this.#checkRedirect(folder, url)
    for await (const entry of representation.entries()) {
      this.#count++
      if (this.#isFull) {
        throw failure('limit-exceeded', url, `The tree has over ${this.#maxEntries} entries, the most that are listed`)
      }
      add(entry)
    }
  }

  #checkRedirect(folder: Folder, url: string): void {
    if (folder === this.#root) this.scope.moveTo(url)
    else if (!this.scope.has(this.#retriever.resolve(url))) {
      throw leadsOut(url)
    }
  }

  get #maxEntries(): number {
    return this.#options.maxEntries ?? defaultEntries
  }

  get #isFull(): boolean {
    return this.#count > this.#maxEntries
  }
}

/** Throws RetrievalError `aborted`. */
export function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return
  throw new RetrievalError('aborted', 'The walk was aborted.', { phase: 'body', cause: signal.reason })
}

/** Makes the error for a redirect to a URL that is not within the option `scope`. */
export function leadsOut(url: string): RetrievalError {
  return failure('refused', url, 'The redirect leads out of the tree. The option `scope` may allow it')
}

type FailureCode = 'limit-exceeded' | 'not-found' | 'protocol-violation' | 'refused'

function failure(code: FailureCode, url: string, what: string): RetrievalError {
  return new RetrievalError(code, `${printable(redact(url))}: ${what}.`, { phase: 'request', url })
}
