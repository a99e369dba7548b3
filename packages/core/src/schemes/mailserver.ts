import type { Finding } from '../finding.ts'
import type { MailserverPlan } from '../plan.ts'
import type { Inspection, Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'
import { mailto, mailtoPlan } from './mailto.ts'

/**
 * RFC 1738 reserved the scheme, nobody specified it, and RFC 6196 made it historic. The only proposal,
 * draft-ietf-uri-url-mailserver-01, has `mailserver:user@host/subject/body`. RFC 6196 recommends mailto instead, so
 * Retriever reads the query as mailto does.
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
  // The common syntax of RFC 1738 3.1 puts the address before the path: //user@host/subject/body.
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
      // A / separates the lines of the body; one within a line is written %2F.
      ...(lines.some(Boolean) && { body: lines.map(decodeOctets).join('\r\n') }),
      ...headers,
    },
    wire: [],
  }
}

/** The finding for dropped header fields. Line breaks and NUL cause `encoded-delimiter` in every part. */
function droppedFields(inspection: Inspection): readonly Finding[] {
  if (inspection.locator.query === null) return []
  return (mailto.inspect?.(inspection) ?? []).filter(({ code }) => code === 'unsafe-header')
}
