import { RetrievalError } from '@retriever/core'
import { Texts } from '../../kit/keys.ts'
import { PageText } from '../../pages/page-text.ts'
import { type PathFilter, readFilter } from '../../walk/path-filter.ts'
import type { Saver } from '../../walk/retriever.ts'
import { throwIfAborted } from '../../walk/walk.ts'
import { defaultConcurrency } from '../../walk/walk-options.ts'
import type { MirrorOptions, MirrorSummary } from '../mirror-options.ts'
import { MirrorResults } from '../mirror-results.ts'
import { parentOf, type TargetFolder } from '../target-folder.ts'
import { linksIn, maxLinks, readLinks } from './page-links.ts'
import type { SavedPage } from './record-entry.ts'
import { rewriteLinks } from './rewrite-links.ts'
import { SiteFetch, type Verdict, type VisitedPage } from './site-fetch.ts'
import type { SitePlaces } from './site-place.ts'
import type { SiteRecord } from './site-record.ts'
import type { SiteRules, Wanted } from './site-rules.ts'

/** As deep as this, a site is probably a calendar without end. */
const defaultDepth = 32
/** How many requisites may need one another, as style sheets that import the next. */
const maxRequisites = 16
const defaultEntries = 1_000_000

/** What one copy of a site is made with. */
export interface SiteParts {
  readonly saver: Saver
  readonly target: TargetFolder
  readonly places: SitePlaces
  readonly record: SiteRecord
  readonly rules: SiteRules
  readonly options: MirrorOptions
  readonly stop: AbortController
  readonly signal: AbortSignal
}

/**
 * One run that copies a site. URLs come wave by wave: all that are one link away from the start, then those of two
 * links. So each is reached by its shortest way, however slow its server is.
 */
export class Site {
  readonly #parts: SiteParts
  readonly #results: MirrorResults
  readonly #fetch: SiteFetch
  readonly #seen = new Texts()
  /** The URLs that pages name and that were left out on purpose, so that their files are no surplus. */
  readonly #leftOut = new Texts()
  /** What this run has saved or found unchanged, by local path. */
  readonly #found = new Map<string, SavedPage>()
  #filter: PathFilter | null = null
  #start = ''
  #isComplete = true
  #fatal: { readonly cause: unknown } | null = null
  /** The error of a site with too many URLs. It ends the run behind the wave. */
  #full: RetrievalError | null = null

  constructor(parts: SiteParts) {
    this.#parts = parts
    this.#results = new MirrorResults(parts.options.onResult, (cause) => this.#end(cause))
    this.#fetch = new SiteFetch(parts, this.#results, {
      judge: (wanted, to) => this.#judge(wanted, to),
      claim: (to) => this.#seen.add(to),
    })
  }

  /** Copies the site from `start`, to which a redirect of `from` may have led. */
  async run(start: string, from: string | null): Promise<MirrorSummary> {
    const { options, signal, record, target } = this.#parts
    this.#filter = await readFilter(options.include, options.exclude)
    const first: Wanted = { url: start, kind: 'page', from, level: 1, requisites: 0 }
    this.#start = start
    this.#seen.add(start)
    for (let wave: readonly Wanted[] = [first]; wave.length > 0; ) wave = await this.#visitAll(wave)
    // The pages that have come are usable, even if a limit or the caller has ended the run.
    await this.#finish().catch((cause: unknown) => (this.#fatal ??= { cause }))
    await record.close()
    if (this.#fatal !== null) {
      await target.withdraw()
      throw this.#fatal.cause
    }
    throwIfAborted(signal)
    return { ...this.#results.counts, isComplete: this.#isComplete }
  }

  /** Retrieves one wave, and returns the next: the new URLs of its pages, in their order. */
  async #visitAll(wave: readonly Wanted[]): Promise<readonly Wanted[]> {
    const next: Wanted[] = []
    /** The links of visited URLs, by index, that wait until those of the URLs before them are added. */
    const found = new Map<number, readonly Wanted[]>()
    let added = 0
    let at = 0
    const work = async (): Promise<void> => {
      for (let index = at++; this.#fatal === null; index = at++) {
        const wanted = wave[index]
        if (wanted === undefined) return
        found.set(index, await this.#visit(wanted).catch((error: unknown) => this.#settle(wanted, error)))
        for (let links = found.get(added); links !== undefined; links = found.get(added)) {
          found.delete(added++)
          for (const link of links) if (this.#isNew(link)) next.push(link)
        }
      }
    }
    const { concurrency = defaultConcurrency } = this.#parts.options
    await Promise.all(Array.from({ length: concurrency }, work))
    if (this.#full === null) return next
    this.#fatal ??= { cause: this.#full }
    return []
  }

  async #visit(wanted: Wanted): Promise<readonly Wanted[]> {
    const { rules, places, signal } = this.#parts
    throwIfAborted(signal)
    const { url, kind } = wanted
    const path = places.pathOf(url)
    const isIncluded = this.#filter?.isIncluded(path, false) !== false
    const isExcluded = this.#filter?.isExcluded(path, false) === true
    if (url !== this.#start && (isExcluded || !(await rules.allowsRobot(url, wanted.from)))) {
      this.#leftOut.add(url)
      return []
    }
    if (!isIncluded && kind === 'requisite') return []
    const { saved, page, next } = await this.#fetch.visit(wanted, isIncluded)
    if (saved !== null) this.#found.set(saved.file, saved)
    if (next !== null) return [{ ...wanted, url: next, requisites: wanted.requisites + 1 }].filter(isNear)
    return page === null ? [] : this.#linksOf(page, wanted)
  }

  /** Says what to do with a redirect. One to another server becomes a URL of its own. */
  #judge(wanted: Wanted, to: string): Verdict {
    const { rules, places } = this.#parts
    if (to === wanted.url) return 'follow'
    if (this.#seen.has(to)) return 'known'
    const isLeftOut = this.#filter?.isExcluded(places.pathOf(to), false) === true || !rules.allowsKnown(to)
    if (rules.isElsewhere(wanted.url, to) || isLeftOut) return 'outside'
    return rules.has({ ...wanted, url: to }) ? 'follow' : 'outside'
  }

  #linksOf(page: VisitedPage, { level, requisites }: Wanted): readonly Wanted[] {
    const { record, options, rules } = this.#parts
    const text = new PageText(page.octets, { mediaType: page.type, charset: page.charset })
    const read = readLinks(text, page.type)
    if (read.hasMore) this.#tooMany(page.url)
    const { depth = defaultDepth } = options
    const wanting = new Map<string, Wanted>()
    for (const { link, url } of linksIn(text, read, page, record)) {
      const { kind } = link
      if ((kind !== 'page' && kind !== 'requisite') || wanting.has(url) || this.#seen.has(url)) continue
      const isPage = kind === 'page'
      const asked = isPage ? { level: level + 1, requisites: 0 } : { level, requisites: requisites + 1 }
      const next: Wanted = { url, kind, from: page.url, ...asked }
      const isUnwelcome = isPage && rules.isObeyed && (link.isNofollow || read.isNofollow || page.nofollow === true)
      if (!rules.has(next) || isUnwelcome) this.#leaveOut(url)
      else if (next.level > depth || !isNear(next)) this.#tooDeep(next)
      else wanting.set(url, next)
    }
    return [...wanting.values()]
  }

  #tooMany(url: string): void {
    this.#isComplete = false
    const what = `It has over ${maxLinks} links, and those behind them are neither followed nor rewritten`
    this.#fail(url, new RetrievalError('limit-exceeded', `${url}: ${what}.`, { phase: 'body', url }))
  }

  #leaveOut(url: string): void {
    if (this.#parts.record.saved.has(url)) this.#leftOut.add(url)
  }

  #tooDeep({ url }: Wanted): void {
    this.#isComplete = false
    if (this.#parts.options.depth !== undefined || this.#leftOut.has(url)) return
    this.#leftOut.add(url)
    const what = `It is more than ${defaultDepth} links away from the start. Set \`depth\` to go deeper`
    this.#fail(url, new RetrievalError('limit-exceeded', `${url}: ${what}.`, { phase: 'request', url }))
  }

  #isNew({ url }: Wanted): boolean {
    if (this.#full !== null || !this.#seen.add(url)) return false
    const { maxEntries = defaultEntries } = this.#parts.options
    if (this.#seen.size <= maxEntries) return true
    const what = `The site has over ${maxEntries} URLs, the most that are retrieved`
    this.#full = new RetrievalError('limit-exceeded', `${url}: ${what}.`, { phase: 'request', url })
    return false
  }

  #settle({ url }: Wanted, error: unknown): [] {
    const { code, phase, status } = RetrievalError.is(error) ? error : { code: 'aborted', phase: null }
    if (url === this.#start || code === 'aborted') this.#end(error)
    // A page may name what no page may lead to. It was not asked for.
    else if (code === 'refused' && phase === 'policy') this.#leftOut.add(url)
    else {
      // The links of what is gone are gone, too. Those of a page that fails today are unknown.
      if (status !== 404 && status !== 410) this.#isComplete = false
      this.#fail(url, error as RetrievalError)
    }
    return []
  }

  #fail(url: string, error: RetrievalError): void {
    this.#results.fail({ path: this.#parts.places.pathOf(url), url }, error)
  }

  async #finish(): Promise<void> {
    const { options, record, target, signal } = this.#parts
    if (options.delete && this.#isComplete && this.#fatal === null && !signal.aborted) await this.#delete()
    if (options.dryRun) return
    const isThere = new Map<string, boolean>()
    for (const { file } of record.saved.values()) isThere.set(file, (await target.regularFile(file)) !== null)
    for (const page of this.#found.values()) {
      if (page.source !== undefined) await rewriteLinks(page, (file) => isThere.get(file) === true, this.#parts)
    }
  }

  /** Deletes the files of earlier runs that no page names any more. Files of others stay. */
  async #delete(): Promise<void> {
    const { record, target, options } = this.#parts
    for (const [url, { file }] of record.saved) {
      if (this.#found.has(file) || this.#leftOut.has(url)) continue
      if (!options.dryRun) record.remove(url)
      if ((await target.regularFile(file)) === null) continue
      // A folder of the copy may be a link to another place by now.
      const isInCopy = await target.make(parentOf(file)).then(
        () => true,
        () => false,
      )
      if (!isInCopy) continue
      if (!options.dryRun) await target.delete(file)
      this.#results.delete(file, target.fileAt(file))
    }
  }

  /** Ends the run. The caller gets the first error, and everything under way is aborted. */
  #end(cause: unknown): void {
    this.#fatal ??= { cause }
    this.#results.end()
    this.#parts.stop.abort()
  }
}

function isNear({ requisites }: Wanted): boolean {
  return requisites <= maxRequisites
}
