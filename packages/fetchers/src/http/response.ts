import { octetsToText, printable } from '@retriever/core'
import type { RequestOptions, RetrievalContext, Retrieved } from '../fetcher.ts'
import { notModified } from '../wishes.ts'
import type { Head } from './exchange.ts'

/** An answer's header section, ready to be asked. */
export class ResponseHead {
  readonly status: number
  /** `404 Not Found`, harmless to show. */
  readonly reply: string
  /**
   * By lower-case name, one octet a character, several values joined as RFC 9110 5.3 does. Without Set-Cookie: cookies are
   * secrets, and nothing here keeps them.
   */
  readonly fields: Readonly<Record<string, string>>
  /** As they came, cookies included: for whoever retrieves, and for nobody else. */
  readonly asSent: Head['fields']

  constructor({ status, reason, fields }: Head) {
    this.status = status
    this.reply = printable(`${status} ${octetsToText(reason)}`.trim()).slice(0, 200)
    this.asSent = fields
    const joined = new Map<string, string>()
    for (const [name, value] of fields) {
      const key = name.toLowerCase()
      const before = joined.get(key)
      if (key !== 'set-cookie') joined.set(key, before === undefined ? value : `${before}, ${value}`)
    }
    this.fields = Object.fromEntries(joined)
  }

  field(name: string): string | null {
    return Object.hasOwn(this.fields, name) ? (this.fields[name] ?? null) : null
  }
}

/** All of a Retrieved but its body, from the head of a 2xx answer. */
export function describe(head: ResponseHead): Omit<Retrieved, 'body' | 'entries'> {
  const size = sizeOf(head)
  const [mediaType, charset] = mediaTypeOf(head)
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType,
    charset,
    size,
    offset: offsetOf(head),
    modified: dateOf(head.field('last-modified')),
    etag: head.field('etag'),
    completeness: size !== null ? 'verified' : head.field('transfer-encoding') !== null ? 'terminated' : 'eof-only',
    metadata: { status: head.status, headers: head.fields, fields: head.asSent },
  }
}

/** RFC 9112 6.3: no body with 204; chunked coding overrides a length (and undici refuses the two together). */
function sizeOf(head: ResponseHead): number | null {
  if (head.status === 204 || head.status === 205) return 0
  const length = head.field('content-length')
  if (length === null || !/^\d+$/.test(length) || head.field('transfer-encoding') !== null) return null
  return Number.isSafeInteger(Number(length)) ? Number(length) : null
}

/** RFC 9110 14.4; checkRange sees to it that a part is the one that was asked for. */
function offsetOf(head: ResponseHead): number {
  return head.status === 206 ? Number(/^bytes (\d+)-/.exec(head.field('content-range') ?? '')?.[1] ?? 0) : 0
}

function mediaTypeOf(head: ResponseHead): [mediaType: string | null, charset: string | null] {
  const field = head.field('content-type') ?? ''
  const type = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/.exec(field)?.[1]
  const charset = /;\s*charset\s*=\s*(?:"([^"\\]+)"|([\w!#$%&'*+.^`|~-]+))/i.exec(field)
  return [type?.toLowerCase() ?? null, (charset?.[1] ?? charset?.[2])?.toLowerCase() ?? null]
}

function dateOf(field: string | null): Date | null {
  const date = new Date(field ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}

/** Throws where the answer is not the range that was asked for, or is a range that was not. */
export function checkRange(head: ResponseHead, { range }: RequestOptions, context: RetrievalContext): void {
  const { status, reply } = head
  const stated = head.field('content-range')
  const details = { status, reply, phase: 'request' } as const
  if (status === 416) {
    const total = /^bytes \*\/(\d+)$/.exec(stated ?? '')?.[1]
    const size = total === undefined ? '' : ` it has ${total} octets;`
    throw context.error('range-refused', `The range is outside of the resource;${size} ask for less.`, details)
  }
  if (range === undefined) {
    if (status !== 206) return
    throw context.error('protocol-violation', 'The server sent a part where the whole was asked for.', details)
  }
  if (status !== 206) {
    // The whole is what bytes=0- asks for.
    if (range[0] === 0 && range[1] === null) return
    throw context.error('range-refused', 'The server sends only the whole; retrieve it without a range.', details)
  }
  const [, first, last] = /^bytes (\d+)-(\d+)\/(?:\d+|\*)$/.exec(stated ?? '') ?? []
  if (Number(first) === range[0] && (range[1] === null || Number(last) <= range[1])) return
  const shown = printable((stated ?? 'none').slice(0, 80))
  throw context.error('protocol-violation', `The server sent another range than asked for (${shown}).`, details)
}

/**
 * Throws `not-modified` where the resource is no newer than the caller asks: for 304, and for an answer whose Last-Modified says so,
 * since servers may go by exact matches alone (RFC 9110 13.1.3; nginx does).
 */
export function checkChanged(head: ResponseHead, { ifChangedSince }: RequestOptions, context: RetrievalContext): void {
  if (ifChangedSince === undefined) return
  const { status, reply } = head
  const modified = dateOf(head.field('last-modified'))
  const told = status < 300 && modified !== null && modified <= ifChangedSince
  if (status !== 304 && !told) return
  throw notModified(context, ifChangedSince, { status, reply, phase: 'request' })
}
