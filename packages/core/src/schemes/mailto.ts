import { type Finding, findDelimiters, finding } from '../finding.ts'
import type { MailtoPlan } from '../plan.ts'
import type { Inspection, Place, Scheme } from '../scheme.ts'
import type { Locator, Part } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 6068: `mailto:a,b?subject=x&body=y`. The result is a draft; nothing is ever sent. */
export const mailto: Scheme = {
  name: 'mailto',
  title: 'A mail to be written',
  spec: 'RFC 6068',
  mechanism: 'mailto',
  defaultPort: null,
  tls: 'none',
  host: 'none',
  userinfo: 'forbidden',
  query: true,
  lineParts: [],
  resolve: mailtoPlan,
  inspect: mailtoFindings,
}

/**
 * Headers that a link may set. RFC 6068 4 leaves the choice to us; these change neither the sender nor the attachments.
 */
const safeHeaders = new Set(['to', 'cc', 'subject', 'body', 'in-reply-to', 'references', 'keywords'])

/** Makes the plan. Throws `malformed-url`. */
export function mailtoPlan({ urlPath, query }: Locator, place: Place): MailtoPlan {
  // RFC 6068 6.1 shows `?cc=...?body=...` as an error. Without this check it would give the address
  // `bob@example.com?body=hello`.
  if (query?.includes('?')) place.fail('& stands between header fields; write a literal ? as %3F', 'query')
  const fields = headerFields(query ?? '')
  if (fields.some(({ name }) => name === '')) place.fail('a header field needs a name, as in ?subject=Hello', 'query')
  const to = addresses(urlPath ?? '', 'urlPath', place)
  const headers: Record<string, string> = {}
  for (const { name, raw, value } of fields) {
    // RFC 6068 2: `?to=` adds to the addresses before it.
    if (name === 'to') to.push(...addresses(raw, 'query', place))
    else if (safeHeaders.has(name)) {
      headers[name] = Object.hasOwn(headers, name) ? `${headers[name]},${value}` : value
    }
  }
  return { mechanism: 'mailto', to, headers, wire: [] }
}

/** Splits a list at raw commas, before decoding: an encoded comma belongs to an address (RFC 6068 2). */
function addresses(list: string, part: Part, place: Place): string[] {
  const decoded = list.split(',').filter(Boolean).map(decodeOctets)
  for (const address of decoded) {
    // Checks only the text before a line break. The line break itself is a finding, which says more than an error.
    const end = address.search(/[\0\r\n]/)
    if (!addrSpec.test(end === -1 ? address : address.slice(0, end)))
      place.fail('an address has the form user@host; it holds no blanks', part)
  }
  return decoded
}

/** An address: dot-atom or quoted string, @, domain (RFC 6068 2). Anything but blanks and a second @ is allowed. */
const addrSpec = /^(?:[^@"\t ]+|"(?:[^"\\]|\\.)*")@[^@\t ]+$/s

interface Field {
  /** The name, decoded and in lower case. */
  readonly name: string
  /** The value as written, and decoded. */
  readonly raw: string
  readonly value: string
  /** The offset within the query. */
  readonly start: number
  readonly end: number
}

function headerFields(query: string): Field[] {
  let end = -1
  const fields = query.split('&').map((field) => {
    const start = end + 1
    end = start + field.length
    const equals = field.indexOf('=')
    const name = equals === -1 ? field : field.slice(0, equals)
    const raw = equals === -1 ? '' : field.slice(equals + 1)
    return { name: decodeOctets(name).toLowerCase(), raw, value: decodeOctets(raw), start, end }
  })
  return fields.filter(({ start, end }) => end > start)
}

/** Matches nearly every query: it has only safe fields and no escaped control. */
const harmless = /^(?:(?:to|cc|subject|body|in-reply-to|references|keywords)=(?:[^&%]|%[^0])*(?:&|$))*$/i

function mailtoFindings({ locator, written, span }: Inspection): Finding[] {
  if (harmless.test(locator.query ?? '') && !locator.urlPath?.includes('%0')) return []
  const [at] = span('query')
  const headers = headerFields(written('query')).flatMap((field) => headerFinding(field, at))
  if (!/%0[0AD]/i.test(written('urlPath'))) return headers
  const message = 'An address contains an encoded line break, which would start a header field.'
  return [injection(message, span('urlPath')), ...headers]
}

function headerFinding({ name, raw, value, start, end }: Field, at: number): Finding[] {
  const span = [at + start, at + end] as const
  // Only a body may have line breaks, which are CR LF (RFC 6068 5).
  if (name === 'body') return findDelimiters(raw, 'body', at + end - raw.length, /(?:%00)+/g)
  if (/[\r\n\0]/.test(name + value)) {
    const message = `The header field ${JSON.stringify(name)} holds an encoded line break, which would start another one.`
    return [injection(message, span)]
  }
  if (safeHeaders.has(name)) return []
  const message = `The header field ${JSON.stringify(name)} was dropped: a link must not set it.`
  return [finding('unsafe-header', message, span, 'RFC 6068 4')]
}

function injection(message: string, span: Finding['span']): Finding {
  return finding('header-injection', message, span, 'RFC 6068 7')
}
