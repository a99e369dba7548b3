import { encodeOctets, formatLocator, type Resolution } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, network, type OptionRow } from '../option.ts'
import { readOptionText } from '../option-file.ts'

export type UrlQueryOption = 'url-query'

export const urlQueryOptions: readonly OptionRow<UrlQueryOption>[] = [
  {
    long: 'url-query',
    sent: true,
    arg: 'NAME=VALUE',
    help:
      'Add this to the query of each URL, with the value encoded; NAME@FILE takes it from a file, +TEXT is added as it ' +
      'is. Repeatable',
    commands: network,
    example: "retrieve --url-query 'q=two words' http://www.example.org/search",
  },
]

/** The parts that --url-query adds, encoded as curl does. Throws `invalid-option`, or `file-failed`. */
export function readUrlQuery(line: GivenOptions<UrlQueryOption>): string[] {
  return line.values('url-query').map((text) => {
    if (text.startsWith('+')) {
      if (/^[!$-;=?-Z_a-z~[\]]*$/.test(text.slice(1))) return text.slice(1)
      throw usageError('--url-query +TEXT is added as it is: encode what cannot stand in a URL, or leave the + out.')
    }
    return encodedPart('--url-query', text)
  })
}

/**
 * The part of a query that `NAME=VALUE`, `NAME@FILE` or `=VALUE` means; the value is encoded. As in curl, an @ before a
 * = belongs to the name: `a@b=c` names no file.
 */
export function encodedPart(option: string, text: string): string {
  const equals = text.indexOf('=')
  const at = equals < 0 ? text.indexOf('@') : equals
  if (at < 0) return encoded(text)
  const [name, rest] = [text.slice(0, at), text.slice(at + 1)]
  const value = equals < 0 ? readOptionText(option, rest) : rest
  return name === '' ? encoded(value) : `${name}=${encoded(value)}`
}

/** Writes the digits of percent-encoded octets in lower case, as curl writes a query. */
export function lowerHex(text: string): string {
  return text.replace(/%[\dA-F]{2}/gi, (one) => one.toLowerCase())
}

/**
 * Encodes text as curl does: all but unreserved characters (RFC 3986 2.3), with lower-case digits, and a blank as +.
 */
function encoded(text: string): string {
  return lowerHex(encodeOctets(utf8Octets(text), '~').replaceAll('%20', '+'))
}

/** Adds these parts to the URL's query. Throws `invalid-option` if the URL has no query. */
export function withQuery({ url, locator, plan }: Resolution, parts: readonly string[]): string {
  if (plan.mechanism !== 'http')
    throw usageError(`--url-query and -G are for http URLs, and ${url} is none: leave them out.`)
  const before = locator.query === null || locator.query === '' ? [] : [locator.query]
  return formatLocator({ ...locator, query: [...before, ...parts].join('&') })
}
