import { octetsToText, printable, redact } from '@retriever/core'
import { httpDate } from '../plugin/date.ts'
import type { RequestOptions, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { notModified, sameTag } from '../plugin/request-options.ts'
import type { Head } from './connection/connection.ts'
import { contentRange } from './range/content-range.ts'
import { isSameTag } from './range/validator.ts'
import { isSecret } from './request.ts'

/** An answer's header section, ready to be asked. */
export class ResponseHead {
  readonly status: number
  /**
   * By lower-case name, one octet a character, several values joined as RFC 9110 5.3 does. Without Set-Cookie:
   * cookies are secrets, and nothing here keeps them.
   */
  readonly fields: Readonly<Record<string, string>>
  /** As they came, cookies included: for whoever retrieves, and for nobody else. */
  readonly asSent: Head['fields']
  readonly #reason: string

  constructor({ status, reason, fields }: Head) {
    this.status = status
    this.#reason = reason
    this.asSent = fields
    const joined: Record<string, string> = {}
    for (const [name, value] of fields) {
      const key = name.toLowerCase()
      if (key === 'set-cookie') continue
      const before = Object.hasOwn(joined, key) ? `${joined[key]}, ` : ''
      // Assigned, it would be no field but the prototype.
      if (key === '__proto__')
        Object.defineProperty(joined, key, { value: before + value, enumerable: true, writable: true })
      else joined[key] = before + value
    }
    this.fields = joined
  }

  /** `404 Not Found`, harmless to show. */
  get reply(): string {
    return printable(`${this.status} ${octetsToText(this.#reason)}`.trim()).slice(0, 200)
  }

  field(name: string): string | null {
    return Object.hasOwn(this.fields, name) ? (this.fields[name] ?? null) : null
  }
}

/** The fields as an error may have them, which is logged: without what a token stands in (security.md case 47). */
export function shownFields({ fields }: ResponseHead): Readonly<Record<string, string>> {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([name, value]) => [name, isSecret(name) ? '***' : redact(value)]))
}

/** All of a Retrieved but its body, from the head of a 2xx answer. */
export function describe(head: ResponseHead, provesEnd = false): Omit<Retrieved, 'body' | 'entries'> {
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
    metadata: { status: head.status, headers: head.fields, fields: head.asSent },
  }
}

/**
 * RFC 9112 6.3: no body with 204, whatever its length says; with 205 there may be one, which RFC 9110 15.3.6 forbids
 * the server and not us to read.
 */
function sizeOf(head: ResponseHead): number | null {
  if (head.status === 204) return 0
  const length = head.field('content-length')
  if (length === null || !/^\d+$/.test(length) || head.field('transfer-encoding') !== null) return null
  return Number.isSafeInteger(Number(length)) ? Number(length) : null
}

/** RFC 9110 14.4; checkRange sees to it that a part is the one that was asked for. */
function offsetOf(head: ResponseHead): number {
  return head.status === 206 ? (contentRange(head)?.first ?? 0) : 0
}

function mediaTypeOf(head: ResponseHead): [mediaType: string | null, charset: string | null] {
  const field = head.field('content-type') ?? ''
  const type = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/.exec(field)?.[1]
  const charset = /;\s*charset\s*=\s*(?:"([^"\\]+)"|([\w!#$%&'*+.^`|~-]+))/i.exec(field)
  return [type?.toLowerCase() ?? null, (charset?.[1] ?? charset?.[2])?.toLowerCase() ?? null]
}

/**
 * Throws `not-modified` where the resource still has the entity tag, or is no newer than the caller asks: for 304, and
 * for an answer whose fields say so, since servers may know no conditions, or go by exact dates alone (RFC 9110 13.1.3;
 * nginx does). Where there is a tag, the date does not count (the same).
 */
export function checkChanged(head: ResponseHead, request: RequestOptions, context: RetrievalContext): void {
  const { ifChangedSince, ifNoneMatch } = request
  if (ifNoneMatch === undefined && ifChangedSince === undefined) return
  const { status, reply } = head
  const details = { status, reply, phase: 'request' } as const
  if (ifNoneMatch !== undefined) {
    const etag = head.field('etag')
    const told = status < 300 && etag !== null && isAmong(etag, ifNoneMatch)
    if (status === 304 || told) throw sameTag(context, details)
  } else if (ifChangedSince !== undefined) {
    const modified = httpDate(head.field('last-modified'))
    const told = status < 300 && modified !== null && modified <= ifChangedSince
    if (status === 304 || told) throw notModified(context, ifChangedSince, details)
  }
}

/** RFC 9110 13.1.2: `*`, or a list of entity tags. */
function isAmong(etag: string, list: string): boolean {
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? []
  return list.trim() === '*' || tags.some((tag) => isSameTag(tag, etag))
}
