import { rename, unlink } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import type { SavedFile } from '../body/representation.ts'
import { invalidOption } from '../kit/limits.ts'
import { checkPathText, orWriteFailed, writeFailed } from '../saving/local-file.ts'
import { removeStale } from '../saving/part-lock.ts'
import { readFilter } from '../walk/path-filter.ts'
import type { Saver } from '../walk/retriever.ts'
import { type Folder, throwIfAborted, Walk, type WalkStep } from '../walk/walk.ts'
import { defaultConcurrency } from '../walk/walk-options.ts'
import type { WalkedEntry } from '../walk/walked-entry.ts'
import { ignoresCase, LocalNames } from './local-names.ts'
import { compareFile, type FileParts, requestOf, retrieveFile, type TreeFile } from './mirror-file.ts'
import { checkMirror, type MirrorOptions, type MirrorSummary } from './mirror-options.ts'
import { MirrorResults } from './mirror-results.ts'
import { deleteFolder, deleteSurplus, type Surplus } from './surplus.ts'
import { inTheWay, parentOf, TargetFolder } from './target-folder.ts'

/**
 * How many files may be open for each retrieval at a time: half of them are compared, wait for a place, or are written.
 * With more, new files would come before those whose parts are looked at first, so that a mirror that is often killed
 * would begin many files and end none.
 */
const openPerPlace = 2

/** Implements Client.mirror. */
export async function mirror(
  saver: Saver,
  url: string | URL,
  folder: string,
  options: MirrorOptions,
): Promise<MirrorSummary> {
  checkPathText('folder', folder)
  checkMirror(options, saver.namedKinds)
  if (options.pages) {
    const { mirrorSite } = await import('./site/mirror-site.ts')
    return mirrorSite(saver, saver.resolve(url, options.base), folder, options)
  }
  if (options.delete) {
    const { mechanism } = saver.resolve(url, options.base).plan
    if (mechanism === 'nntp') {
      throw invalidOption('delete', 'absent with news, whose groups list only their newest articles', true)
    }
    if (mechanism === 'imap' && options.limit !== undefined) {
      throw invalidOption('delete', 'absent with the option limit, which leaves out older mails', true)
    }
  }
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const { resume: _1, delete: _2, dryRun: _3, onResult: _4, beforeFile: _5, beforeName: _6, ...others } = options
  const { pages: _pages, otherHosts: _otherHosts, robots: _robots, ...walkOptions } = others
  const walk = new Walk(saver, url, { ...walkOptions, signal })
  const target = await TargetFolder.open(folder, options.dryRun)
  const names = new LocalNames(await ignoresCase(target.root))
  const request = requestOf(options, saver, walk, signal)
  return new Mirror({ saver, walk, target, names, options, signal, stop, request }).run()
}

interface Parts extends FileParts {
  readonly target: TargetFolder
  readonly names: LocalNames
  readonly stop: AbortController
}

/** One run that brings a tree to disk. */
class Mirror {
  readonly #parts: Parts
  /** The number of files that have begun and not ended. */
  #open = 0
  #closed: () => void = () => {}
  /** The local paths of the tree's folders. A folder without a local name is missing, and so is all below it. */
  readonly #folders = new Map<WalkedEntry | null, string>([[null, '']])
  /** The folders that still have a local file in their place. */
  readonly #replaced = new Set<WalkedEntry>()
  /** The local paths of the folders whose listings were complete. */
  readonly #listed = new Set<string>()
  readonly #results: MirrorResults
  #isComplete = true
  /**
   * Whether the tree has no entries. That is probably a fault, such as an unmounted disk, and not what the server
   * means.
   */
  #isEmpty = true
  /** The error that ends the run. */
  #fatal: { readonly cause: unknown } | null = null

  constructor(parts: Parts) {
    this.#parts = parts
    this.#results = new MirrorResults(parts.options.onResult, (cause) => this.#end(cause))
  }

  async run(): Promise<MirrorSummary> {
    const { walk, target, options, signal } = this.#parts
    const maxOpen = openPerPlace * (options.concurrency ?? defaultConcurrency)
    try {
      for await (const steps of walk.steps()) {
        for (const step of steps) {
          throwIfAborted(signal)
          await this.#take(step)
          if (this.#open >= maxOpen) await this.#fewerThan(maxOpen)
        }
      }
    } catch (cause) {
      this.#end(cause)
    }
    await this.#fewerThan(1)
    if (this.#fatal !== null) {
      await target.withdraw()
      throw this.#fatal.cause
    }
    throwIfAborted(signal)
    if (options.delete && this.#isComplete && !this.#isEmpty) await this.#delete()
    return { ...this.#results.counts, isComplete: this.#isComplete }
  }

  async #take(step: WalkStep): Promise<void> {
    if (step.step === 'entry') {
      this.#isEmpty = false
      return this.#entry(step)
    }
    if (step.step === 'passed') return this.#makeRoom(step.entry)
    if (step.step === 'astray') return this.#results.fail(step.entry, step.entry.error)
    if (step.step === 'failed') {
      this.#isComplete = false
      return this.#results.fail(step.entry, step.entry.error)
    }
    await this.#makeRoom(step.folder.entry)
    const local = this.#folders.get(step.folder.entry)
    if (local !== undefined) this.#listed.add(local)
    this.#isComplete &&= step.isComplete
  }

  async #entry(step: Extract<WalkStep, { step: 'entry' }>): Promise<void> {
    const { entry, resolution, folder, isIncluded, isExcluded } = step
    if (this.#replaced.size > 0) await this.#makeRoom(folder.entry)
    const local = this.#localPath(entry, folder, isIncluded && !isExcluded)
    if (local === null || isExcluded) return
    if (entry.outside || resolution === null) return this.#results.skip(entry, 'outside')
    if (isFolder(entry)) {
      this.#folders.set(entry, local)
      if (isIncluded) await this.#makeFolder(entry, local)
    } else if (isIncluded) {
      if (entry.kind === 'file' || entry.kind === 'article') {
        this.#file({ entry, resolution, linkedFrom: this.#parts.walk.linkedFrom(resolution, folder) }, local)
      } else this.#results.skip(entry, 'not-a-file')
    }
  }

  /** Returns the local path of an entry, which no other entry has. Null if the entry gets none. */
  #localPath(entry: WalkedEntry, folder: Folder, isWanted: boolean): string | null {
    const parent = this.#folders.get(folder.entry)
    if (parent === undefined) return null
    const segment = entry.path.slice(entry.path.lastIndexOf('/') + 1)
    const claim = this.#parts.names.claim(parent, segment, entry.url)
    if (claim.is === 'free') return claim.local
    if (!isWanted) return null
    if (claim.is === 'repeated') this.#results.skip(entry, 'repeated')
    else if (claim.is === 'taken') {
      const why = `another entry of that folder has this name, too (${JSON.stringify(segment)} becomes it)`
      this.#results.fail(entry, writeFailed(this.#parts.target.fileAt(claim.local), why))
    } else {
      const path = this.#parts.target.fileAt(parent)
      this.#results.fail(entry, writeFailed(path, `no file in it can have the name ${JSON.stringify(segment)}`))
    }
    return null
  }

  /**
   * Makes a folder. If a file stands in its place, the file stays until the folder is listed: a failed listing must not
   * delete it.
   */
  async #makeFolder(entry: WalkedEntry, local: string): Promise<void> {
    const { target, options } = this.#parts
    try {
      if (options.delete && (await target.regularFile(local)) !== null) this.#replaced.add(entry)
      else if (!options.dryRun) await target.make(local)
    } catch (error) {
      this.#settle(entry, error)
    }
  }

  /** Replaces the file in a folder's place, if there is one, by the folder. */
  async #makeRoom(entry: WalkedEntry | null): Promise<void> {
    const { target, options } = this.#parts
    const local = this.#folders.get(entry)
    if (entry === null || local === undefined || !this.#replaced.delete(entry)) return
    try {
      if (!options.dryRun) await target.delete(local)
      this.#results.delete(local, target.fileAt(local))
      if (!options.dryRun) await target.make(local)
    } catch (error) {
      this.#settle(entry, error)
    }
  }

  #file(wanted: TreeFile, local: string): void {
    this.#open++
    const saved = this.#save(wanted, local).catch((error: unknown) => this.#settle(wanted.entry, error))
    void saved.finally(() => {
      this.#open--
      this.#closed()
    })
  }

  /** Waits until fewer files are open. */
  async #fewerThan(count: number): Promise<void> {
    while (this.#open >= count) await new Promise<void>((resolve) => (this.#closed = resolve))
  }

  async #save(wanted: TreeFile, local: string): Promise<void> {
    const { target, signal, options } = this.#parts
    const { entry } = wanted
    throwIfAborted(signal)
    const isNew = !options.dryRun && (await target.make(parentOf(local)))
    const file = target.fileAt(local)
    if (!options.dryRun) {
      const before = (await options.beforeFile?.({ path: entry.path, url: entry.url, file })) ?? null
      if (before === 'unchanged') return this.#results.skip(entry, 'unchanged')
      if (before !== null) throw before
    }
    const there = isNew ? null : await target.at(local)
    const isFolder = there?.isDirectory() === true
    if (isFolder && (options.dryRun || !options.delete)) await this.#clear(local)
    const known = there?.isFile() ? there : null
    const verdict = compareFile(wanted, known)
    if (options.dryRun) return this.#preview(entry, file, verdict)
    const saved = isFolder
      ? await this.#replaceFolder(wanted, local)
      : verdict === 'unchanged'
        ? null
        : await retrieveFile(wanted, file, { known: verdict === 'ask' ? known : null, isNew }, this.#parts)
    if (saved === null) {
      await removeStale(`${file}.part`)
      return this.#results.skip(entry, 'unchanged')
    }
    const { size, resumedFrom } = saved
    this.#results.receive(size - resumedFrom)
    this.#results.save(entry, file, size, resumedFrom)
  }

  /**
   * Retrieves a file where a local folder stands. Deletes the folder only after the file has arrived, so a failure
   * keeps the folder.
   */
  async #replaceFolder(wanted: TreeFile, local: string): Promise<SavedFile | null> {
    const { target } = this.#parts
    const file = target.fileAt(local)
    // No mirrored file can have this name.
    const aside = `${file}.new.part`
    const saved = await retrieveFile(wanted, aside, { known: null, isNew: false }, this.#parts)
    try {
      await this.#clear(local)
      await orWriteFailed(file, () => rename(aside, file))
    } catch (error) {
      await unlink(aside).catch(() => {})
      throw error
    }
    return saved
  }

  /** Removes the folder that stands in a file's place. Throws `write-failed` if something is left in it. */
  async #clear(local: string): Promise<void> {
    const { target, options } = this.#parts
    if (options.delete) for await (const path of deleteFolder(await this.#surplus(), local)) this.#deleted(path)
    const isLeft = options.delete ? !options.dryRun && (await target.isFolder(local)) : true
    if (isLeft) throw inTheWay(target.fileAt(local), 'a folder', 'a file')
  }

  /** Reports what would be done. If only the server knows whether a file is unchanged, it counts as a file to save. */
  #preview(entry: WalkedEntry, file: string, verdict: ReturnType<typeof compareFile>): void {
    if (verdict === 'unchanged') this.#results.skip(entry, 'unchanged')
    else this.#results.save(entry, file, entry.size ?? 0)
  }

  /** Decides what the failure of one entry means. */
  #settle(entry: WalkedEntry, error: unknown): void {
    if (!RetrievalError.is(error) || error.code === 'aborted') this.#end(error)
    else if (error.code === 'form-required') this.#results.skip(entry, 'not-a-file')
    else this.#results.fail(entry, error)
  }

  async #delete(): Promise<void> {
    for await (const path of deleteSurplus(await this.#surplus())) this.#deleted(path)
  }

  /** Reports a deleted file. Throws if the run is over, so that the next file stays. */
  #deleted(local: string): void {
    this.#results.delete(local, this.#parts.target.fileAt(local))
    if (this.#fatal !== null) throw this.#fatal.cause
    throwIfAborted(this.#parts.signal)
  }

  async #surplus(): Promise<Surplus> {
    const { target, names, options } = this.#parts
    const filter = await readFilter(options.include, options.exclude)
    const isListed = (local: string): boolean => this.#listed.has(local)
    return { target, names, filter, isListed, isDryRun: options.dryRun === true }
  }

  /** Ends the run. The caller gets the first error, and everything under way is aborted. */
  #end(cause: unknown): void {
    this.#fatal ??= { cause }
    this.#results.end()
    this.#parts.stop.abort()
  }
}

function isFolder({ kind }: WalkedEntry): boolean {
  return kind === 'directory' || kind === 'group'
}
