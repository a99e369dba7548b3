import { type AccessPlan, adviceText, type Refusal } from '@retriever/core'
import type { About } from '../contract/about.ts'
import type { Extent, Fetcher, Outcome, RequestOptions, RetrievalContext } from '../contract/fetcher.ts'
import { invalidOption } from '../kit/limits.ts'
import { record } from '../kit/options.ts'
import { isSeveral } from '../kit/request-options.ts'
import { requestKinds } from './client-options.ts'

type OptionName = keyof RequestOptions

const optionNames = Object.keys(requestKinds) as OptionName[]

/** The options that the client itself acts on. */
const everywhere: readonly OptionName[] = ['head', 'charset']

/** Values that have no effect anyway. */
const neutral: Readonly<Partial<Record<OptionName, unknown>>> = {
  jsonMessages: false,
  autoReferer: false,
  digest: false,
  compressed: false,
  fail: true,
  split: 1,
  followAccess: false,
}

const extents: readonly unknown[] = ['all', 'objects', 'listings'] satisfies Extent[]

/** Throws `invalid-option` unless `honours` has the names of options, and an object their extents. */
export function checkHonours({ mechanism, honours = [] }: Fetcher): void {
  const wrong = Array.isArray(honours) ? honours.find((name) => !isOption(name)) : wrongExtent(honours)
  if (wrong === undefined) return
  const forms = "or an object that gives 'all', 'objects' or 'listings' for each"
  throw invalidOption(`${mechanism}.honours`, `a list of ${optionNames.join(', ')}, ${forms}`, wrong)
}

function isOption(name: unknown): boolean {
  return optionNames.some((each) => each === name)
}

function wrongExtent(honours: unknown): unknown {
  if (!record[1](honours)) return honours
  const wrong = Object.entries(Object(honours)).find(([name, extent]) => !isOption(name) || !extents.includes(extent))
  return wrong?.join(': ')
}

/**
 * Emits a remark for each option of the caller that the mechanism passes over, with what comes of it. `about`: what the
 * client knows of the mechanism, if the fetcher does not say it itself.
 */
export function tellPassedOver(
  fetcher: Fetcher,
  about: About | undefined,
  outcome: Outcome,
  { request, emit, url }: RetrievalContext,
): void {
  if (outcome.outcome === 'redirect') return
  const kind: Extent = outcome.outcome === 'retrieved' && outcome.kind === 'listing' ? 'listings' : 'objects'
  const name = fetcher.title ?? about?.title ?? fetcher.mechanism
  for (const option of optionNames) {
    if (request[option] === undefined || request[option] === neutral[option]) continue
    const extent = extentOf(option, fetcher.honours ?? about?.honours)
    if (extent === 'all' || extent === kind) continue
    const advice = { option }
    const typed = `The option ${adviceText(advice)}`
    const why = extent === 'none' ? `${name} does not support it` : `${name} supports it for ${extent} only`
    // The caller leaves out what it has already, so the option is not without effect.
    const isWhole = option === 'resumeFrom' && request.head !== true
    const effect = isWhole ? 'gets the resource from its beginning' : 'has no effect'
    emit({ type: 'remark', url, message: `${typed} ${effect}: ${why}.`, advice })
  }
}

/** Why the fetcher refuses the caller's range before it contacts anything; null: it does not. */
export function rangeRefusal(
  { range }: RequestOptions,
  plan: AccessPlan,
  { title, honours }: { readonly title: string | undefined; readonly honours: Fetcher['honours'] | undefined },
): Refusal | null {
  if (range === undefined) return null
  const refusal = (message: string): Refusal => ({ code: 'range-refused', message })
  const { mechanism } = plan
  // A session has no body, and a name without a place fails before.
  if (mechanism === 'telnet' || mechanism === 'urn') return null
  if (extentOf('range', honours) === 'none') {
    return refusal(`${title ?? mechanism} has no ranges; leave out the range.`)
  }
  if (mechanism !== 'http' && isSeveral(range) && range.length > 1) {
    return refusal('Only HTTP has several ranges in one request; ask for one at a time.')
  }
  if (plan.mechanism !== 'ftp' || (plan.name !== '' && plan.typecode !== 'a' && plan.typecode !== 'd')) return null
  return refusal('FTP has ranges of binary files only, not of text or listings; leave out the range.')
}

function extentOf(option: OptionName, honours: Fetcher['honours'] | undefined): Extent | 'none' {
  // A fetcher that does not say what it honours may act on any option.
  if (honours === undefined || everywhere.includes(option)) return 'all'
  if (isList(honours)) return honours.includes(option) ? 'all' : 'none'
  return honours[option] ?? 'none'
}

function isList(honours: NonNullable<Fetcher['honours']>): honours is readonly OptionName[] {
  return Array.isArray(honours)
}
