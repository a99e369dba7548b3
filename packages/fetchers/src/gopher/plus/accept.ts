/** One of the ranges of an Accept or Accept-Language field, and how welcome it is. */
interface Wish {
  /** Lower case: `text/*`, `en-gb`. */
  readonly range: string
  /** 0 to 1; 0: not at all. */
  readonly quality: number
}

/** RFC 9110 12.4.2: `text/plain, text/*;q=0.5`. What is no range is left out; other parameters say nothing about a view. */
function readWishes(field: string): readonly Wish[] {
  return field.split(',').flatMap((element) => {
    const [range = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase())
    if (range === '') return []
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const quality = weight === undefined ? 1 : Number(weight.replace(/^q\s*=\s*/, ''))
    return Number.isFinite(quality) ? { range, quality: Math.min(1, Math.max(0, quality)) } : []
  })
}

/** How welcome a media type is, 0 to 1: the most specific range that fits it says so (RFC 9110 12.5.1). */
export function typeQuality(accept: string | undefined, mediaType: string | null): number {
  if (accept === undefined) return 1
  const [type = ''] = (mediaType ?? '').split('/')
  return bestOf(readWishes(accept), (range) => {
    if (range === mediaType) return 3
    if (range === `${type}/*`) return 2
    return range === '*/*' || range === '*' ? 1 : 0
  })
}

/**
 * How welcome a language is, 0 to 1, written as in HTTP or as in Gopher+ (`En_US`). The longest range that begins it says so (RFC
 * 4647 3.3.1); then one that it begins: who wants en-GB can read what is only said to be en (3.4). A view that tells no
 * language may be in any, and comes after all that are known to fit.
 */
export function languageQuality(acceptLanguage: string | undefined, language: string | null): number {
  if (acceptLanguage === undefined) return 1
  if (language === null) return 0.0001
  const tag = language.toLowerCase().replaceAll('_', '-')
  return bestOf(readWishes(acceptLanguage), (written) => {
    const range = written.replaceAll('_', '-')
    if (range === tag || tag.startsWith(`${range}-`)) return 1000 + range.length
    if (range.startsWith(`${tag}-`)) return 100
    return range === '*' ? 1 : 0
  })
}

/** The quality of the wish that fits best; 0 where none does. */
function bestOf(wishes: readonly Wish[], fit: (range: string) => number): number {
  let best = 0
  let quality = 0
  for (const wish of wishes) {
    const fits = fit(wish.range)
    if (fits <= best) continue
    best = fits
    quality = wish.quality
  }
  return quality
}
