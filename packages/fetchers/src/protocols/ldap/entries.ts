import { isUtf8 } from 'node:buffer'
import { encodeOctets, octetsToText, RetrievalError } from '@retriever/core'
import { bracketed, type LdapPlan } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { referenceMark } from './ldif.ts'

/** A value as JSON can hold it: text, or base64 if the octets are no UTF-8. */
type Value = string | { readonly base64: string }

/** How many octets a record may have: a little more than an LDAP message in base64. */
const maxRecord = 32 * 1024 * 1024

/**
 * Reads LDIF (RFC 2849) as entries: one for each record, and one for each reference to another server. A `partial` body
 * ends after a record, so that the last entry comes before the error.
 */
export async function* ldifEntries(
  body: AsyncIterable<Uint8Array>,
  plan: LdapPlan,
  context: RetrievalContext,
): AsyncGenerator<Entry> {
  let record: string[] = []
  let ended: unknown = null
  async function* received(): AsyncGenerator<Uint8Array> {
    try {
      yield* body
    } catch (error) {
      if (!RetrievalError.is(error) || error.code !== 'partial') throw error
      ended = error
    }
  }
  for await (const line of unfolded(linesOf(received(), context), context)) {
    if (line.startsWith(referenceMark)) yield referenceEntry(line.slice(referenceMark.length))
    else if (line !== '' && !line.startsWith('#')) record.push(line)
    if (line !== '') continue
    const entry = entryOf(record, plan, context)
    if (entry !== null) yield entry
    record = []
  }
  const last = entryOf(record, plan, context)
  if (last !== null) yield last
  if (ended !== null) throw ended
}

/** Joins folded lines (RFC 2849, note 2). Their further pieces begin with a blank. */
async function* unfolded(lines: AsyncIterable<string>, context: RetrievalContext): AsyncGenerator<string> {
  let pieces: string[] = []
  let size = 0
  for await (const line of lines) {
    size = line === '' ? 0 : size + line.length
    if (size > maxRecord) throw context.error('limit-exceeded', `A record of LDIF is over ${maxRecord} octets.`)
    if (line.startsWith(' ') && pieces.length > 0) {
      pieces.push(line.slice(1))
      continue
    }
    if (pieces.length > 0) yield pieces.join('')
    pieces = [line]
  }
  if (pieces.length > 0) yield pieces.join('')
}

/** Makes the entry of a record. Returns null if it is empty, or only the version of LDIF. */
function entryOf(lines: readonly string[], plan: LdapPlan, context: RetrievalContext): Entry | null {
  const [first, ...rest] = lines.map((line) => readLine(line, context))
  if (first === undefined || (first.type === 'version' && rest.length === 0)) return null
  if (first.type === 'version') return entryOf(lines.slice(1), plan, context)
  if (first.type !== 'dn') throw context.error('protocol-violation', 'A record of LDIF begins without a dn.')
  const attributes = new Map<string, Value[]>()
  for (const { type, octets } of rest) {
    const values = attributes.get(type)
    if (values === undefined) attributes.set(type, [jsonValue(octets)])
    else values.push(jsonValue(octets))
  }
  const dn = octetsToText(first.octets.toString('latin1'))
  return {
    name: dn,
    kind: 'file',
    url: entryUrl(plan, first.octets.toString('latin1')),
    details: { dn, attributes: Object.fromEntries(attributes) },
  }
}

interface LdifLine {
  readonly type: string
  readonly octets: Buffer
}

/** Reads `cn: text` or `cn:: base64`. Blanks may stand before the value. */
function readLine(line: string, context: RetrievalContext): LdifLine {
  const colon = line.indexOf(':')
  if (colon < 1) throw context.error('protocol-violation', 'A line of LDIF has no name.')
  const isBase64 = line[colon + 1] === ':'
  const text = line.slice(colon + (isBase64 ? 2 : 1)).replace(/^ +/, '')
  return { type: line.slice(0, colon), octets: Buffer.from(text, isBase64 ? 'base64' : 'latin1') }
}

function jsonValue(octets: Buffer): Value {
  return isUtf8(octets) ? octets.toString('utf8') : { base64: octets.toString('base64') }
}

/** Makes the entry of a reference to another server. It has a URL only if it is one of LDAP, which retrieves. */
function referenceEntry(url: string): Entry {
  return { name: octetsToText(url), kind: 'link', url: /^ldaps?:\/\//i.test(url) ? url : null }
}

/**
 * Makes the URL of an entry on the same server, with the login of the URL. The scope of such a URL is only the entry.
 */
function entryUrl({ host, port, tls, socket, extensions }: LdapPlan, dn: string): string {
  const [scheme, defaultPort] = tls === 'implicit' ? ['ldaps', 636] : ['ldap', 389]
  const place = `${bracketed(host.replace('%', '%25'))}${port === defaultPort ? '' : `:${port}`}`
  const origin = socket === null ? `${scheme}://${place}` : `ldapi://${encodeOctets(socket)}`
  const all = extensions.map(({ type, value, critical }) => {
    return `${critical ? '!' : ''}${encodeOctets(type)}${value === null ? '' : `=${encodeOctets(value)}`}`
  })
  return `${origin}/${encodeOctets(withoutLineEnds(dn), '=,')}${all.length === 0 ? '' : `????${all.join(',')}`}`
}

/** Writes CR, LF and NUL in a DN as hexadecimal (RFC 4514 2.4): servers may send them raw, but no URL holds them. */
function withoutLineEnds(dn: string): string {
  return dn.replace(/[\0\n\r]/g, (control) => `\\${control.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
