import { encodeOctets, formatLocator, type Resolution } from '@retriever/core'
import { type GopherPlan, utf8Octets } from '@retriever/core/internal'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, type OptionRow, urls } from '../option.ts'

export type GopherOption = 'search'

export const gopherOptions: readonly OptionRow<GopherOption>[] = [
  {
    long: 'search',
    sent: true,
    arg: 'TEXT',
    help: 'Search for TEXT: the search of a Gopher URL (of type 7 or 2) or a WAIS database, the query of a Gemini or (CCL or PQF) Z39.50 URL',
    commands: urls,
    example: "retrieve --search 'two words' gopher://gopher.example.org/7/find",
  },
]

/**
 * The words of --search; null if it is not given. Throws `invalid-option` for a TAB or line end, which would add a
 * field or a line to the request (threats.md 70: a search that holds a TAB).
 */
export function readSearch(line: GivenOptions<GopherOption>): string | null {
  const text = line.value('search')
  if (text === undefined) return null
  if (text === '') throw usageError('--search needs words to search for.')
  if (/[\t\r\n\0]/.test(text)) throw usageError('--search needs words on one line: TAB, CR, LF and NUL cannot be sent.')
  return text
}

/**
 * The URL with the words in its search field (RFC 4266 2.1), or for Gemini and WAIS in its query. Throws
 * `invalid-option` if the URL is no search.
 */
export function searchUrl({ url, locator, plan }: Resolution, text: string): string {
  if (plan.mechanism === 'gemini') return formatLocator({ ...locator, query: encodeOctets(utf8Octets(text)) })
  if (plan.mechanism === 'z3950' && plan.operation !== 'retrieval' && plan.docid === null) {
    if (plan.query !== null) throw usageError(`${url} has a query already: leave --search out.`)
    return formatLocator({ ...locator, urlPath: `${locator.urlPath ?? ''};query=${encodeOctets(utf8Octets(text))}` })
  }
  if (plan.mechanism === 'wais' && plan.docid === null) {
    if (plan.search !== null && plan.search !== '') throw usageError(`${url} has a search already: leave --search out.`)
    return formatLocator({ ...locator, query: encodeOctets(utf8Octets(text)) })
  }
  if (plan.mechanism !== 'gopher') {
    throw usageError(
      `--search is for searches of Gopher (types 7 and 2), Gemini, WAIS and Z39.50 servers, and ${url} is none: leave --search out.`,
    )
  }
  const [item = '', search = '', ...plus] = (locator.urlPath ?? '').split('%09')
  if (search !== '') {
    // The Gopher+ part of the URL stays.
    const bare = formatLocator({
      ...locator,
      urlPath: [item, '', ...plus].join('%09').replace(/(?<!%09)(?:%09)+$/, ''),
    })
    throw usageError(`${url} has a search already: leave --search out, or give ${bare}.`)
  }
  if (plan.gophertype !== '7' && plan.gophertype !== '2') {
    const asSearch = formatLocator({ ...locator, urlPath: `7${encodeOctets(plan.selector, '/:,+=@~')}` })
    throw usageError(`${url} is no search: ${adviceFor(plan, asSearch)}.`)
  }
  const urlPath = [item, encodeOctets(utf8Octets(text)), ...plus].join('%09')
  return formatLocator({ ...locator, urlPath })
}

function adviceFor({ gophertype }: GopherPlan, search: string): string {
  if (gophertype === '1') return `it is a menu (type 1). If its selector can be searched, give ${search}`
  return `it is of type ${gophertype}, and searches are of type 7 or 2. Give the URL of a search`
}
