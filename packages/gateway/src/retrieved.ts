import { encodeOctets, formatLocator, type Resolution, RetrievalError } from '@retriever/core'
import type { Representation, RetrieveOptions } from '@retriever/fetchers'
import { httpDate } from '@retriever/fetchers/internal'
import type { Answer, Asked, FieldLine } from './answer.ts'
import { disposition } from './fields.ts'
import { nosniff, ownPageLines, prefersHtml, sandbox } from './html.ts'
import { listingPage, searchPage } from './listing.ts'
import { typeByName } from './media-types.ts'
import type { Settings } from './options.ts'
import { Refusal } from './problem.ts'
import { contentRange, hasRanges, type OneRange, readRange } from './range.ts'

/** Answers a request for a URL of any scheme but http and https. */
export async function retrieved(asked: Asked, resolution: Resolution, { client }: Settings): Promise<Answer> {
  const { headers, method, signal } = asked
  const { plan } = resolution
  const isHead = method === 'HEAD'
  const wantsPage = prefersHtml(headers.accept)
  if (wantsPage && plan.mechanism === 'gopher' && plan.gophertype === '7' && plan.search === null) {
    return { status: 200, lines: ownPageLines, body: searchPage(asked.url) }
  }
  const url = withLogin(resolution, headers.authorization)
  const options = { signal, head: isHead, ...conditions(asked) }
  const range = isHead || !hasRanges(plan.mechanism) ? null : readRange(headers.range)
  try {
    const retrieve = (part: RetrieveOptions): Promise<Representation> => client.retrieve(url, { ...options, ...part })
    const part = range === null ? null : await partOf(range, headers['if-range'], retrieve)
    if (part !== null) return part
    const whole = await retrieve({})
    if (range !== null) await refuseBeyond(whole, range)
    if (whole.kind === 'listing' && whole.hasEntries && wantsPage) {
      if (isHead) await whole.cancel()
      const body = isHead ? null : listingPage(whole, signal)
      return { status: 200, lines: [...ownPageLines, ...dateLines(whole)], body }
    }
    return answerOf(whole, wantsPage, isHead)
  } catch (error) {
    if (!RetrievalError.is(error) || error.code !== 'not-modified') throw error
    return { status: 'ifUnchangedSince' in options ? 412 : 304, lines: [], body: null }
  }
}

/** The answer with a part; null if only the whole can come. */
async function partOf(
  range: OneRange,
  ifRange: string | undefined,
  retrieve: (part: RetrieveOptions) => Promise<Representation>,
): Promise<Answer | null> {
  const known = ifRange === undefined ? null : httpDate(ifRange)
  // Another validator than a date is an entity tag, and no URL here has one.
  if (ifRange !== undefined && known === null) return null
  let part: Representation
  try {
    part = await retrieve({ range })
  } catch (error) {
    if (RetrievalError.is(error) && error.code === 'range-refused') return null
    throw error
  }
  const { kind, size, offset, modified } = part
  const isSame = known === null || (modified !== null && seconds(modified) === seconds(known))
  if (kind !== 'object' || size === null || size === 0 || !isSame) {
    await part.cancel()
    return null
  }
  const whole = answerOf(part, false, false)
  return { ...whole, status: 206, lines: [...whole.lines, ['Content-Range', contentRange(range, offset, size)]] }
}

/** Throws for a range behind the end: the part cannot come, and the whole is not what was asked for. */
async function refuseBeyond(whole: Representation, [first]: OneRange): Promise<void> {
  const { kind, size } = whole
  if (kind !== 'object' || size === null || first < size) return
  await whole.cancel()
  const message = `The range begins at octet ${first}, and there are ${size}.`
  throw new Refusal(416, message, [['Content-Range', `bytes */${size}`]])
}

function answerOf(representation: Representation, isForPerson: boolean, isHead: boolean): Answer {
  const { size, kind, mechanism, givenName } = representation
  const lines: FieldLine[] = [
    ['Content-Type', typeOf(representation, isForPerson)],
    nosniff,
    sandbox,
    ...dateLines(representation),
  ]
  if (size !== null) lines.push(['Content-Length', String(size)])
  if (kind === 'object' && hasRanges(mechanism)) lines.push(['Accept-Ranges', 'bytes'])
  if (givenName !== null) lines.push(disposition('inline', givenName))
  if (isHead) void representation.cancel()
  return { status: 200, lines, body: isHead ? null : representation }
}

/** The media type. People who read HTML get other texts as plain text, which their programs show. */
export function typeOf({ mediaType, charset, kind, url }: Representation, isForPerson: boolean): string {
  const otherwise = kind === 'listing' ? 'text/plain' : typeByName(url)
  const type = mediaType ?? otherwise ?? 'application/octet-stream'
  const shown = isForPerson && /^(?:message\/|text\/(?!html$|plain$|css$))/.test(type) ? 'text/plain' : type
  return charset === null ? shown : `${shown}; charset=${charset}`
}

function dateLines({ modified }: Representation): FieldLine[] {
  return modified === null ? [] : [['Last-Modified', modified.toUTCString()]]
}

/** The conditions on dates. If-None-Match takes the place of If-Modified-Since (RFC 9110 13.1.3), and no tag fits. */
function conditions({ headers }: Asked): Pick<RetrieveOptions, 'ifChangedSince' | 'ifUnchangedSince'> {
  const before = httpDate(headers['if-unmodified-since'])
  const since = headers['if-none-match'] === undefined ? httpDate(headers['if-modified-since']) : null
  if (before !== null) return { ifUnchangedSince: before }
  return since === null ? {} : { ifChangedSince: since }
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

/** The URL with the login of Authorization, if it has none and its scheme allows one. */
function withLogin({ url, locator, scheme }: Resolution, authorization: string | undefined): string {
  const [, coded] = /^Basic +([\w+/=]+) *$/i.exec(authorization ?? '') ?? []
  if (coded === undefined || locator.user !== null || locator.host === null || scheme.userinfo !== 'allowed') return url
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(coded, 'base64').toString('latin1')) ?? []
  return user === '' ? url : formatLocator({ ...locator, user: encodeOctets(user), password: encodeOctets(password) })
}
