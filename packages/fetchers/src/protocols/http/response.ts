import { octetsToText, printable, redact } from '@retriever/core'
import { isSecretField } from '@retriever/core/internal'
import type { Hide } from '../../auth/sent-secrets.ts'
import type { RequestOptions, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { isToken } from '../../kit/options.ts'
import { checkDate, isModified, notModified, sameTag } from '../../kit/request-options.ts'
import { httpDate } from '../../kit/text/date.ts'
import type { Head } from './connection/connection.ts'
import { contentRange } from './range/content-range.ts'
import { isSameTag } from './range/validator.ts'

/** The header section of a response, with its fields by name. */
export class ResponseHead {
  readonly status: number
  readonly fields: Head['named']
  /** The fields as they arrived, with cookies. Only the caller may get them, never events or errors. */
  readonly asSent: Head['fields']
  /** The reason phrase, one octet a character. */
  readonly reason: string
  /** Masks the request's secrets if the server repeats them. */
  readonly hide: Hide

  constructor({ status, reason, fields, named }: Head, hide: Hide = (octets) => octets) {
    this.hide = hide
    this.status = status
    this.reason = reason
    this.asSent = fields
    this.fields = named
  }

  /** The status and reason, safe to show: `404 Not Found`. */
  get reply(): string {
    return printable(`${this.status} ${octetsToText(this.hide(this.reason))}`.trim()).slice(0, 200)
  }

  field(name: string): string | null {
    return Object.hasOwn(this.fields, name) ? (this.fields[name] ?? null) : null
  }
}

/** Returns the fields for an error, which may be logged: without those that may hold secrets (threats.md case 47). */
export function shownFields({ fields, hide }: ResponseHead): Readonly<Record<string, string>> {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([name, value]) => [name, isSecretField(name) ? '***' : redact(hide(value))]))
}

/** Makes a Retrieved without its body from the head of a 2xx response. */
export function describe(head: ResponseHead, provesEnd = false): Omit<Retrieved<'http'>, 'body' | 'entries'> {
  const size = sizeOf(head)
  const [mediaType, charset] = mediaTypeOf(head)
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType,
    charset,
    size,
    offset: offsetOf(head),
    modified: httpDate(head.field('last-modified')),
    etag: head.field('etag'),
    completeness:
      size !== null ? 'verified' : provesEnd || head.field('transfer-encoding') !== null ? 'terminated' : 'eof-only',
    metadata: { status: head.status, reason: head.reason, headers: head.fields, fields: head.asSent },
  }
}

/**
 * Returns the size of the body. 204 has none, even if a field gives a length (RFC 9112 6.3). 205 may have one: RFC 9110
 * 15.3.6 forbids the server to send it, but not the client to read it.
 */
function sizeOf(head: ResponseHead): number | null {
  if (head.status === 204) return 0
  // HeadReader, and Node for HTTP/2, refuse a length that is no number, or is not the only framing.
  const length = head.field('content-length')
  return length !== null && Number.isSafeInteger(Number(length)) ? Number(length) : null
}

/** Returns the offset of the body (RFC 9110 14.4). checkRange makes sure that a part is the one that was asked for. */
function offsetOf(head: ResponseHead): number {
  return head.status === 206 ? (contentRange(head)?.first ?? 0) : 0
}

type Type = readonly [mediaType: string | null, charset: string | null]

/** The last Content-Type that was read: the next answer of a server often has the same. */
let lastType: { readonly field: string; readonly type: Type } | undefined

function mediaTypeOf(head: ResponseHead): Type {
  const field = head.field('content-type') ?? ''
  if (lastType?.field !== field) lastType = { field, type: typeOf(field) }
  return lastType.type
}

function typeOf(field: string): Type {
  const [essence = ''] = field.split(';', 1)
  const type = essence.trim().toLowerCase()
  const words = type.split('/')
  const charset = /;\s*charset\s*=\s*(?:"([^"\\]+)"|([\w!#$%&'*+.^`|~-]+))/i.exec(field)
  return [
    words.length === 2 && words.every(isToken) ? type : null,
    (charset?.[1] ?? charset?.[2])?.toLowerCase() ?? null,
  ]
}

/**
 * Throws `not-modified` if the resource still has the entity tag, or its date does not fit the condition: for 304 or
 * 412, and for a response whose fields say so, since some servers ignore conditions, or accept only the exact date (RFC
 * 9110 13.1.3; nginx does). If there is a tag, the date does not count.
 */
export function checkChanged(head: ResponseHead, request: RequestOptions, context: RetrievalContext): void {
  const { ifChangedSince, ifUnchangedSince } = request
  const ifNoneMatch = request.http?.ifNoneMatch
  if (ifNoneMatch === undefined && ifChangedSince === undefined && ifUnchangedSince === undefined) return
  const { status, reply } = head
  const details = { status, reply, phase: 'request' } as const
  if (ifNoneMatch !== undefined) {
    const etag = head.field('etag')
    const isSame = status < 300 && etag !== null && isAmong(etag, ifNoneMatch)
    if (status === 304 || isSame) throw sameTag(context, details)
    return
  }
  if (status === 304 && ifChangedSince !== undefined) throw notModified(context, ifChangedSince, details)
  if (status === 412 && ifUnchangedSince !== undefined) throw isModified(context, ifUnchangedSince, details)
  const modified = httpDate(head.field('last-modified'))
  if (status < 300 && modified !== null) checkDate(context, modified, details)
}

/** Whether the tag matches `*` or a list of entity tags (RFC 9110 13.1.2). */
function isAmong(etag: string, list: string): boolean {
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? []
  return list.trim() === '*' || tags.some((tag) => isSameTag(tag, etag))
}
