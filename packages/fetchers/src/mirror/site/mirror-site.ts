import { type Resolution, RetrievalError } from '@retriever/core'
import type { RetrievalEvent } from '../../contract/events.ts'
import { invalidOption } from '../../kit/limits.ts'
import type { Saver } from '../../walk/retriever.ts'
import { ignoresCase, LocalNames } from '../local-names.ts'
import type { MirrorOptions, MirrorSummary } from '../mirror-options.ts'
import { TargetFolder } from '../target-folder.ts'
import { Site } from './site.ts'
import { folderOf, SitePlaces, suffixFor, webLink, withoutLogin } from './site-place.ts'
import { SiteRecord } from './site-record.ts'
import { notFollowed, SiteRules } from './site-rules.ts'

/** How many redirects may lead from the start to the server that has the site. */
const maxServers = 5

/** Implements Client.mirror with the option `pages`. */
export async function mirrorSite(
  saver: Saver,
  start: Resolution,
  folder: string,
  options: MirrorOptions,
): Promise<MirrorSummary> {
  const url = webLink(withoutLogin(start.url), withoutLogin(start.url))?.url
  if (start.plan.mechanism !== 'http' || url === undefined)
    throw invalidOption('pages', 'absent unless the URL is one of http or https', true)
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const { first, from, rules } = await findSite(saver, start, url, options, signal)
  const target = await TargetFolder.open(folder, options.dryRun)
  const record = await SiteRecord.open(target.root, folderOf(first), options.dryRun === true)
  const places = new SitePlaces(record.base, new LocalNames(await ignoresCase(target.root)))
  // The names are given in the same order as in the run before, and so become the same.
  for (const { url: known, type, file } of [...record.saved.values()]) {
    if (places.claim(known, suffixFor(places.pathOf(known), type)) !== file) record.remove(known)
  }
  return new Site({ saver, target, places, record, rules, options, stop, signal }).run(first, from)
}

/** The first page of a site, the URL from another server that led there, and the rules of the site. */
interface Found {
  readonly first: string
  readonly from: string | null
  readonly rules: SiteRules
}

/**
 * Finds where a site begins, by the redirects of its start: its folder is known before anything is saved. Throws
 * `refused` if robots.txt forbids a program to enter.
 */
async function findSite(
  saver: Saver,
  typed: Resolution,
  start: string,
  options: MirrorOptions,
  signal: AbortSignal,
): Promise<Found> {
  let from: string | null = null
  let first = start
  for (let servers = 0; servers < maxServers; servers++) {
    const rules = new SiteRules(saver, typed, folderOf(first), options, signal)
    await rules.checkStart(first)
    const led = await redirectOf(first, from, saver, rules)
    if (led === first) return { first, from, rules }
    if (rules.isElsewhere(first, led)) from = first
    first = led
  }
  const message = `${start}: The redirects of the start lead on and on. Give the URL of the site's own first page.`
  throw new RetrievalError('too-many-redirects', message, { phase: 'request', url: start })
}

/** Where a URL redirects to: on its server as far as that goes, or to the first URL on another one. */
async function redirectOf(url: string, from: string | null, saver: Saver, rules: SiteRules): Promise<string> {
  let elsewhere: string | null = null
  const onEvent = (event: RetrievalEvent): void => {
    if (event.type !== 'redirected' || !rules.isElsewhere(url, event.location)) return
    elsewhere = webLink(event.location, url)?.url ?? null
    throw notFollowed(url)
  }
  try {
    const request = { ...rules.requestFor(url, from), head: true, onEvent }
    await using came = await saver.retrieve(rules.resolve(url), request)
    return webLink(withoutLogin(came.url), url)?.url ?? url
  } catch (error) {
    if (elsewhere !== null) return elsewhere
    // Some servers do not answer HEAD. What is wrong shows when the page itself is retrieved.
    if (RetrievalError.is(error) && error.code !== 'aborted') return url
    throw error
  }
}
