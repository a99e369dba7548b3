/** One range of an Accept or Accept-Language field, and its quality. */
interface Range {
  /** The range in lower case: `text/*`, `en-gb`. */
  readonly range: string
  /** The quality from 0 to 1. 0 means not at all. */
  readonly quality: number
}

/**
 * Reads `text/plain, text/*;q=0.5` (RFC 9110 12.4.2). Leaves out text that is no range. Parameters other than q do not
 * matter for a view.
 */
export function readRanges(field: string): readonly Range[] {
  return field.split(',').flatMap((element) => {
    const [range = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase())
    if (range === '') return []
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const quality = weight === undefined ? 1 : Number(weight.replace(/^q\s*=\s*/, ''))
    return Number.isFinite(quality) ? { range, quality: Math.min(1, Math.max(0, quality)) } : []
  })
}

/** The quality of a media type, 0 to 1. The most specific range that fits decides (RFC 9110 12.5.1). */
export function typeQuality(accept: string | undefined, mediaType: string | null): number {
  if (accept === undefined) return 1
  const [type = ''] = (mediaType ?? '').split('/')
  return bestOf(readRanges(accept), (range) => {
    if (range === mediaType) return 3
    if (range === `${type}/*`) return 2
    return range === '*/*' || range === '*' ? 1 : 0
  })
}

/**
 * The quality of a language, 0 to 1. The language is written as in HTTP or as in Gopher+ (`En_US`). The longest range
 * that is a prefix of it decides (RFC 4647 3.3.1), else a range of which it is a prefix: a reader of en-GB can read a
 * text in en (RFC 4647 3.4). A view without a language may be in any language, and comes after all that are known to
 * fit.
 */
export function languageQuality(acceptLanguage: string | undefined, language: string | null): number {
  if (acceptLanguage === undefined) return 1
  if (language === null) return 0.0001
  const tag = language.toLowerCase().replaceAll('_', '-')
  return bestOf(readRanges(acceptLanguage), (written) => {
    const range = written.replaceAll('_', '-')
    if (range === tag || tag.startsWith(`${range}-`)) return 1000 + range.length
    if (range.startsWith(`${tag}-`)) return 100
    return range === '*' ? 1 : 0
  })
}

/** The quality of the range that fits best. 0 if none fits. */
function bestOf(ranges: readonly Range[], fit: (range: string) => number): number {
  let best = 0
  let quality = 0
  for (const wish of ranges) {
    const fits = fit(wish.range)
    if (fits <= best) continue
    best = fits
    quality = wish.quality
  }
  return quality
}
