import { isUtf8 } from 'node:buffer'
import { type AccessPlans, encodeOctets, octetsToText, printable } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { Entry, Redirect, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { bestAccess, modifiedOf, shownAttributes, shownMethods, sizeOf } from './entries.ts'
import type { Attribute, Target } from './replies.ts'
import type { Session } from './session.ts'
import { type Access, objectUrl } from './urls.ts'

/** What an object's server knows of it. */
export interface Found {
  readonly object: Target
  readonly attributes: readonly Attribute[]
  readonly methods: readonly Access[]
}

type Fields = AccessPlans['prospero']['attributes']

/**
 * Makes the redirect if the object has moved, or another server has it (FORWARDED; ARDP options 4 and 5). Keeps the
 * URL's fields.
 */
export function moved(target: Target, session: Session, fields: Fields = []): Redirect {
  const location = objectUrl(target, session.server)
  if (location !== null) return redirectTo(location + fieldsOf(fields), session)
  const message = 'The object has moved to a place that no URL can name.'
  throw session.context.error('protocol-violation', message)
}

/** Writes the fields that attributes must have. The version of the object is part of its place. */
function fieldsOf(fields: Fields): string {
  const others = fields.filter(({ field }) => field.toUpperCase() !== 'OBJECT-VERSION')
  return others.map(({ field, value }) => `;${encodeOctets(field)}=${encodeOctets(value)}`).join('')
}

/** Prospero's own clients follow at most this many. */
const maxRedirects = 20

function redirectTo(location: string, { address }: Session, isAccess: boolean = false): Redirect {
  return { outcome: 'redirect', location, status: 0, maxRedirects, peerAddress: address, ...(isAccess && { isAccess }) }
}

/** Returns the way to the data by another protocol. Null if the server itself has them, or there are none. */
export function followed({ methods }: Pick<Found, 'methods'>, session: Session): Redirect | null {
  const best = bestAccess(methods)
  if (best !== undefined) return redirectTo(best.url ?? '', session, true)
  if (methods.length === 0 || methods.some(({ method }) => method === 'PROSPERO-CONTENTS')) return null
  const names = methods.map(({ method }) => printable(octetsToText(method)).slice(0, 40)).slice(0, 10)
  const message = `Refused: no URL leads to the data by the server's access methods (${names.join(', ')}).`
  throw session.context.error('refused', message, { phase: 'policy' })
}

/** Says how to get the data of an object that another protocol has. */
export function tellElsewhere({ methods }: Found, { emit, url }: RetrievalContext): void {
  const best = bestAccess(methods)
  if (best === undefined) return
  const advice = { option: 'prospero.followAccess' } as const
  const message = `The data are elsewhere; ${adviceText(advice)} gets them from ${best.url}.`
  emit({ type: 'remark', url, message, advice })
}

/** Makes the result for a file whose octets the server has. */
export function file(found: Found, octets: string, { emit, url }: RetrievalContext): Retrieved<'prospero'> {
  const { attributes } = found
  const size = sizeOf(attributes)
  if (octets !== '' && size !== null && size !== octets.length) {
    const message = `The file has ${octets.length} octets; its size was said to be ${size}.`
    emit({ type: 'remark', url, message })
  }
  return wholeResult(Buffer.from(octets, 'latin1'), {
    kind: 'object',
    mediaType: null,
    size: octets === '' ? size : octets.length,
    modified: modifiedOf(attributes),
    completeness: size === octets.length ? 'verified' : 'terminated',
    metadata: metadataOf(found),
  })
}

/** Makes the result for a listing. Its body has the server's own lines. */
export function listed(found: Found, entries: readonly Entry[], text: string): Retrieved<'prospero'> {
  const octets = Buffer.from(text, 'latin1')
  return wholeResult(octets, {
    kind: 'listing',
    mediaType: 'text/plain',
    charset: isUtf8(octets) ? 'utf-8' : 'iso-8859-1',
    modified: modifiedOf(found.attributes),
    completeness: 'terminated',
    metadata: metadataOf(found),
    entries: (body) => afterwards(body, entries),
  })
}

/** Yields the entries, which are already known, after the body has been read. */
async function* afterwards(body: AsyncIterable<Uint8Array>, entries: readonly Entry[]): AsyncGenerator<Entry> {
  for await (const _chunk of body);
  yield* entries
}

function metadataOf({ object, attributes, methods }: Found): Retrieved<'prospero'>['metadata'] {
  return {
    hsoname: octetsToText(object.hsoname),
    attributes: shownAttributes(attributes),
    accessMethods: shownMethods(methods),
  }
}
