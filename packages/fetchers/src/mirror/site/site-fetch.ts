import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import type { Representation, SavedFile } from '../../body/representation.ts'
import type { RetrievalEvent } from '../../contract/events.ts'
import { forbidsFollowing } from '../../pages/robots.ts'
import { orWriteFailed, writeFailed } from '../../saving/local-file.ts'
import type { MirrorResults } from '../mirror-results.ts'
import { parentOf } from '../target-folder.ts'
import { whenUnlocked } from '../when-unlocked.ts'
import type { SavedPage } from './record-entry.ts'
import type { SiteParts } from './site.ts'
import { isHtmlType, suffixFor, webLink, withoutLogin } from './site-place.ts'
import { conditionsFor, digestOf } from './site-record.ts'
import { notFollowed, type Wanted } from './site-rules.ts'

/** The largest page whose links are followed and rewritten. */
const maxPage = 16 * 1024 * 1024

/** A page whose links can be read. */
export interface VisitedPage extends Pick<SavedPage, 'url' | 'file' | 'type' | 'charset' | 'nofollow'> {
  readonly octets: Buffer
  readonly isCopy: boolean
}

/** What came of one URL. */
export interface Visited {
  /** What the copy has of it. Null: nothing. */
  readonly saved: SavedPage | null
  /** Null: it is no page. */
  readonly page: VisitedPage | null
  /** Another server to which the URL redirects. */
  readonly next: string | null
}

/** A file of an earlier run. */
type Known = Pick<Visited, 'page'> & { readonly saved: SavedPage }

const nothing: Visited = { saved: null, page: null, next: null }

/** What to do with a redirect: `follow` it, or leave the target, since it is `known` or `outside` the copy. */
export type Verdict = 'follow' | 'known' | 'outside'

/** How a site judges redirects. */
export interface Redirects {
  judge(wanted: Wanted, to: string): Verdict
  /** Notes the URL to which redirects have led. Returns false if it has been noted before. */
  claim(to: string): boolean
}

/** Retrieves the URLs of a site, one by one. */
export class SiteFetch {
  readonly #parts: SiteParts
  readonly #results: MirrorResults
  readonly #redirects: Redirects

  constructor(parts: SiteParts, results: MirrorResults, redirects: Redirects) {
    this.#parts = parts
    this.#results = results
    this.#redirects = redirects
  }

  /** Retrieves a URL and saves it, if `isSaved`. Otherwise only pages are read, for their links. */
  async visit(wanted: Wanted, isSaved: boolean): Promise<Visited> {
    const { record, rules, saver, options } = this.#parts
    const known = await this.#verified(record.find(wanted.url))
    const redirect: { verdict: Verdict; location: string | null } = { verdict: 'follow', location: null }
    const onEvent = (event: RetrievalEvent): void => {
      if (event.type !== 'redirected') return
      redirect.location = webLink(event.location, wanted.url)?.url ?? null
      redirect.verdict = this.#judge(wanted, redirect.location)
      if (redirect.verdict !== 'follow') throw notFollowed(wanted.url)
    }
    const common = rules.requestFor(wanted.url, wanted.from)
    const { tag, ...conditions } = known === null ? {} : conditionsFor(known.saved)
    const request = {
      ...common,
      ...conditions,
      http: { ...common.http, ...(tag !== undefined && { ifNoneMatch: tag }) },
      ...(options.dryRun && wanted.kind === 'requisite' && !mayBeCss(wanted.url) && { head: true }),
      onEvent,
    }
    const resolution = rules.resolve(wanted.url)
    const part = isSaved ? this.#partOf(wanted.url) : null
    try {
      if (part === null) return await this.#take(wanted, await saver.retrieve(resolution, request), isSaved)
      const { head: _head, ...saving } = request
      const save = () => saver.save(resolution, this.#parts.target.fileAt(part), saving)
      return await this.#note(wanted.url, part, await whenUnlocked(request.signal, save))
    } catch (error) {
      if (redirect.verdict !== 'follow') return this.#leave(wanted, redirect.verdict, redirect.location)
      if (!RetrievalError.is(error) || error.code !== 'not-modified' || known === null) throw error
      return this.#unchanged(wanted.url, known)
    }
  }

  #judge(wanted: Wanted, location: string | null): Verdict {
    if (location === null) return 'outside'
    return this.#redirects.judge(wanted, location)
  }

  async #leave(wanted: Wanted, verdict: Verdict, location: string | null): Promise<Visited> {
    const { record, places, rules } = this.#parts
    if (location !== null && verdict === 'known') await record.addAlias(wanted.url, location)
    if (verdict === 'known') return nothing
    if (location !== null && rules.isElsewhere(wanted.url, location) && rules.has({ ...wanted, url: location })) {
      await record.addAlias(wanted.url, location)
      return { ...nothing, next: location }
    }
    this.#results.skip({ path: places.pathOf(wanted.url), url: wanted.url }, 'outside')
    return nothing
  }

  /** What an earlier run has saved, if the file is still the same. */
  async #verified(saved: SavedPage | undefined): Promise<Known | null> {
    if (saved === undefined) return null
    const { target, places } = this.#parts
    if (places.claimed(saved.url) !== saved.file) return null
    const stats = await target.regularFile(saved.file)
    // The links of a page that was too large are not known.
    if (stats === null || (saved.source === undefined && isPageType(saved.type))) return null
    await target.make(parentOf(saved.file))
    if (saved.source === undefined) return stats.size === saved.size ? { saved, page: null } : null
    const octets = await readFile(target.fileAt(saved.file)).catch(() => null)
    const digest = octets === null ? '' : digestOf(octets)
    const isCopy = digest === saved.copy
    if (octets === null || (!isCopy && digest !== saved.source)) return null
    return { saved, page: { ...saved, octets, isCopy } }
  }

  #unchanged(url: string, { saved, page }: Known): Visited {
    this.#results.skip({ path: this.#parts.places.pathOf(url), url }, 'unchanged')
    return { saved, page, next: null }
  }

  async #take(wanted: Wanted, representation: Representation, isSaved: boolean): Promise<Visited> {
    const { places, target, options, record } = this.#parts
    await using came = representation
    const url =
      came.redirects.length === 0 ? wanted.url : (webLink(withoutLogin(came.url), wanted.url)?.url ?? wanted.url)
    if (url !== wanted.url) {
      await record.addAlias(wanted.url, url)
      if (!this.#redirects.claim(url)) return nothing
    }
    const path = places.pathOf(url)
    const type = came.mediaType
    const nofollow = came.mechanism === 'http' && forbidsFollowing(came.metadata.fields)
    if (!isSaved || options.dryRun) {
      if (isSaved) this.#results.save({ path, url }, target.fileAt(path), came.size ?? 0)
      if (!isPageType(type)) return nothing
      const octets = Buffer.from(await came.bytes())
      const page = { url, file: path, type, charset: came.charset, octets, isCopy: false }
      return { ...nothing, page: { ...page, ...(nofollow && { nofollow }) } }
    }
    const local = places.claim(url, suffixFor(path, type))
    if (local === null) throw writeFailed(target.fileAt(path), `no file of its own can have the name of ${url}`)
    await target.make(parentOf(local))
    const saved = await came.saveTo(target.fileAt(local), { resumable: !isPageType(type) })
    return this.#note(url, local, saved, nofollow)
  }

  /** Notes a file that has come, and reads it if it is a page. */
  async #note(url: string, local: string, file: SavedFile, nofollow = false): Promise<Visited> {
    const { target, record, places } = this.#parts
    const { size, resumedFrom, mediaType: type, charset, etag, modified } = file
    const path = places.pathOf(url)
    const octets = isPageType(type) && size <= maxPage ? await this.#read(target.fileAt(local)) : null
    const facts = { url, file: places.claim(url, '') ?? local, type, charset, etag, size }
    const saved: SavedPage = {
      ...facts,
      modified: modified?.toISOString() ?? null,
      at: new Date().toISOString(),
      ...(octets !== null && { source: digestOf(octets) }),
      ...(nofollow && { nofollow }),
    }
    this.#results.receive(size - resumedFrom)
    const same = record.saved.get(indexOf(url) ?? '')
    if (saved.source !== undefined && same?.source === saved.source && same.file !== saved.file) {
      await target.delete(local)
      await record.addAlias(url, same.url)
      this.#results.skip({ path, url }, 'repeated')
      return nothing
    }
    await record.add(saved)
    this.#results.save({ path, url }, file.path, size, resumedFrom)
    if (isPageType(type) && octets === null) {
      const what = `It has over ${maxPage} octets, so its links are neither followed nor rewritten`
      throw new RetrievalError('limit-exceeded', `${url}: ${what}.`, { phase: 'save', url })
    }
    return { saved, page: octets === null ? null : { ...saved, octets, isCopy: false }, next: null }
  }

  #read(file: string): Promise<Buffer> {
    return orWriteFailed(file, () => readFile(file))
  }

  /** The local path of a part that an interrupted run has left. Only what is no page leaves one. */
  #partOf(url: string): string | null {
    const { places, target, options } = this.#parts
    if (options.dryRun || options.resume === false) return null
    const local = places.expected(url)
    const isThere = local !== null && existsSync(`${target.fileAt(local)}.part.json`)
    return isThere && places.claim(url, '') === local ? local : null
  }
}

/** The other URL that servers give to the page of a folder: `/` and `/index.html`. */
function indexOf(url: string): string | null {
  if (url.endsWith('/')) return `${url}index.html`
  return url.endsWith('/index.html') ? url.slice(0, -'index.html'.length) : null
}

function isPageType(type: string | null): boolean {
  return isHtmlType(type) || type === 'text/css'
}

/** Whether a requisite may be a style sheet, which has links of its own. Others need not come in a dry run. */
function mayBeCss(url: string): boolean {
  return !/\.(?:png|jpe?g|gif|webp|avif|svg|ico|js|mjs|woff2?|ttf|otf|mp[34]|webm|ogg|pdf)$/i.test(
    new URL(url).pathname,
  )
}
