import type { Finding } from '../finding.ts'
import type { MailserverPlan } from '../plan.ts'
import type { Inspection, Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'
import { mailto, mailtoPlan } from './mailto.ts'

/**
 * Reserved by RFC 1738, never specified, made historic by RFC 6196. The only proposal,
 * draft-ietf-uri-url-mailserver-01, has `mailserver:user@host/subject/body`; RFC 6196 names mailto in its place, so the
 * query is that of mailto.
 */
export const mailserver: Scheme = {
  name: 'mailserver',
  title: 'A mail that asks a mail server for data',
  spec: 'RFC 6196',
  mechanism: 'mailserver',
  defaultPort: null,
  tls: 'none',
  host: 'optional',
  userinfo: 'allowed',
  query: true,
  lineParts: ['user', 'password', 'urlPath', 'query'],
  deprecated: 'mailserver was never specified and is historic (RFC 6196).',
  resolve: mailserverPlan,
  inspect: droppedFields,
}

function mailserverPlan(locator: Locator, place: Place): MailserverPlan {
  const { host, user } = locator
  const segments = (locator.urlPath ?? '').split('/')
  // The common syntax of RFC 1738 3.1 has the address before the path: //user@host/subject/body.
  const address = host === null ? (segments.shift() ?? '') : user === null ? '' : `${user}@${place.host}`
  const [subject = '', ...lines] = segments
  const isAddress = /^[^@]+@[^@]+$/.test(address)
  const { to, headers } = mailtoPlan({ ...locator, urlPath: isAddress ? address : null }, place)
  return {
    mechanism: 'mailserver',
    service: 'mailserver',
    text: decodeOctets(locator.urlPath ?? ''),
    to,
    headers: {
      ...(subject !== '' && { subject: decodeOctets(subject) }),
      // A line of the body has no / of its own, which is written %2F.
      ...(lines.some(Boolean) && { body: lines.map(decodeOctets).join('\r\n') }),
      ...headers,
    },
    wire: [],
  }
}

/** Line breaks and NUL are `encoded-delimiter` in every part. */
function droppedFields(inspection: Inspection): readonly Finding[] {
  if (inspection.locator.query === null) return []
  return (mailto.inspect?.(inspection) ?? []).filter(({ code }) => code === 'unsafe-header')
}
