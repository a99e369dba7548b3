import type { AccessPlan, Advice } from '@retriever/core'
import { adviceText, type Refusal } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'
import type {
  Fetcher,
  Outcome,
  RequestOption,
  RequestOptions,
  RetrievalContext,
  SharedOptions,
} from '../../contract/fetcher.ts'
import type { Extent } from '../../contract/options.ts'
import { invalidOption } from '../../kit/limits.ts'
import { record } from '../../kit/options.ts'
import { isSeveral } from '../../kit/request-options.ts'
import { sharedRows } from '../../kit/shared-rows.ts'
import { callKinds, clientKinds } from '../client-options.ts'
import { extents, isRows, type KnownOptions } from './known.ts'

type Path = Advice['option']
/** What a fetcher says of itself, or else what the client knows of its mechanism. */
type Said = Pick<Fetcher, 'mechanism'> & { readonly [Name in Sayable]: Fetcher[Name] | undefined }
type Sayable = 'title' | 'honours' | 'options'

const sharedNames = Object.keys(sharedRows) as (keyof SharedOptions)[]

/**
 * Throws `invalid-option` unless `honours` has the names of options, and an object their extents; and unless `options`
 * has rows, under a name that no other option has.
 */
export function checkHonours({ mechanism, honours = [], options }: Fetcher, known: KnownOptions): void {
  if (options !== undefined && (!isRows(options) || isTaken(mechanism))) {
    const rows = 'an object of rows `{ kind, extent }`, of a mechanism whose name is no option itself'
    throw invalidOption(`${mechanism}.options`, rows, options)
  }
  const names = [...sharedNames, ...[...known.named].flatMap(([group, rows]) => pathsOf(group, rows))]
  const isOption = (name: unknown): boolean => names.some((each) => each === name)
  const wrong = Array.isArray(honours) ? honours.find((name) => !isOption(name)) : wrongExtent(honours, isOption)
  if (wrong === undefined) return
  const forms = "or an object that gives 'all', 'objects' or 'listings' for each"
  throw invalidOption(`${mechanism}.honours`, `a list of ${names.join(', ')}, ${forms}`, wrong)
}

function isTaken(mechanism: string): boolean {
  return [clientKinds, callKinds, sharedRows].some((options) => Object.hasOwn(options, mechanism))
}

function wrongExtent(honours: unknown, isOption: (name: unknown) => boolean): unknown {
  if (!record[1](honours)) return honours
  const wrong = Object.entries(Object(honours)).find(([name, extent]) => !isOption(name) || !extents.includes(extent))
  return wrong?.join(': ')
}

function pathsOf(group: string, members: object): Path[] {
  return Object.keys(members).map((name) => `${group}.${name}` as Path)
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
  known: KnownOptions,
): void {
  if (outcome.outcome === 'redirect') return
  const kind: Extent = outcome.outcome === 'retrieved' && outcome.kind === 'listing' ? 'listings' : 'objects'
  const said = saidOf(fetcher, about)
  for (const option of asksFor(request, known)) {
    const extent = extentOf(option, said)
    if (extent === 'all' || extent === kind) continue
    const advice = { option }
    const typed = `The option ${adviceText(advice)}`
    const name = said.title ?? said.mechanism
    const why = extent === 'none' ? `${name} does not support it` : `${name} supports it for ${extent} only`
    // A caller that gives resumeFrom adds the rest to what it has, so it must know that the whole comes.
    const isWhole = option === 'resumeFrom' && request.head !== true
    const effect = isWhole ? 'gets the resource from its beginning' : 'has no effect'
    emit({ type: 'remark', url, message: `${typed} ${effect}: ${why}.`, advice })
  }
}

/** The options with which a request asks for something, of those that a mechanism may pass over. */
function asksFor(request: RequestOptions, { named }: KnownOptions): Path[] {
  if (Object.keys(request).length === 0) return []
  const shared = sharedNames.filter((name) => {
    const { neutral, isEverywhere } = sharedRows[name]
    return isEverywhere !== true && request[name] !== undefined && request[name] !== neutral
  })
  const own = [...named].flatMap(([group, rows]) => {
    const given: unknown = Reflect.get(request, group)
    if (given === undefined) return []
    const asked = Object.entries(Object(given)).filter(([name, value]) => {
      return value !== undefined && value !== rows[name]?.neutral
    })
    return pathsOf(group, Object.fromEntries(asked))
  })
  return [...shared, ...own]
}

/** What a fetcher says, or what the client knows of its mechanism where the fetcher says nothing. */
export function saidOf(
  fetcher: Pick<Fetcher, 'mechanism' | Sayable>,
  about: Omit<About, 'inFlight' | 'schemes'> | undefined,
): Said {
  const { mechanism, title = about?.title, honours, options } = fetcher
  // What a fetcher honours may differ from what the built-in one does.
  const known = honours === undefined ? about : undefined
  return { mechanism, title, honours: honours ?? known?.honours, options: options ?? known?.options }
}

/** Why the fetcher refuses the caller's range before it contacts anything; null: it does not. */
export function rangeRefusal({ range }: RequestOptions, plan: AccessPlan, said: Said): Refusal | null {
  if (range === undefined) return null
  const refusal = (message: string): Refusal => ({ code: 'range-refused', message })
  const { mechanism } = plan
  // A session has no body, and a name without a place fails before.
  if (mechanism === 'telnet' || mechanism === 'urn') return null
  if (extentOf('range', said) === 'none') {
    return refusal(`${said.title ?? mechanism} has no ranges; leave out the range.`)
  }
  if (mechanism !== 'http' && isSeveral(range) && range.length > 1) {
    return refusal('Only HTTP has several ranges in one request; ask for one at a time.')
  }
  if (plan.mechanism !== 'ftp' || (plan.name !== '' && plan.typecode !== 'a' && plan.typecode !== 'd')) return null
  return refusal('FTP has ranges of binary files only, not of text or listings; leave out the range.')
}

function extentOf(option: Path, { mechanism, honours, options }: Said): Extent | 'none' {
  // A fetcher that does not say what it honours may act on any option.
  if (honours === undefined) return 'all'
  const [group, name = ''] = option.split('.')
  if (group === mechanism && options !== undefined) return options[name]?.extent ?? 'none'
  const listed: Readonly<Record<string, Extent>> = isList(honours)
    ? Object.fromEntries(honours.map((each) => [each, 'all']))
    : honours
  return listed[option] ?? 'none'
}

function isList(honours: NonNullable<Fetcher['honours']>): honours is readonly RequestOption[] {
  return Array.isArray(honours)
}
