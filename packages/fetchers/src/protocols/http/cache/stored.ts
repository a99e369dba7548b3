import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RequestOptions, RetrievalContext } from '../../../contract/fetcher.ts'
import { httpDate } from '../../../kit/text/date.ts'
import { namedFields } from '../connection/named-fields.ts'
import { elementsOf } from '../fields.ts'
import { isSameTag } from '../range/validator.ts'
import { ResponseHead } from '../response.ts'
import type { Dated } from './freshness.ts'

/** A stored response without its body. It can be written as JSON. */
export interface Stored extends Dated {
  readonly method: 'GET' | 'HEAD'
  readonly reason: string
  /** The request's values of the fields in Vary, by lower-case name. Null if it had none (RFC 9111 4.1). */
  readonly vary: readonly (readonly [name: string, value: string | null])[]
  /** The name of the body within the store. Null for HEAD. */
  readonly body: string | null
  readonly length: number
  /** The CRC-32 of the body: after a power failure the disk may hold other octets than were written. */
  readonly check: number
}

/** A store. Each key, which stands for a request, has a list of responses that differ by the fields in Vary. */
export interface Store {
  /** Rejects with `file-failed` if nothing can or should be stored there. */
  ready(context: RetrievalContext): Promise<void>
  /** Returns all responses of a key; none if they cannot be read. Counts as use. */
  read(key: string): Promise<readonly Stored[]>
  /** Replaces all responses of the key, the newest one first. Bodies that are no longer named are removed. */
  write(key: string, all: readonly Stored[]): Promise<void>
  /** Opens the body. Returns null if it is gone or damaged. */
  open(stored: Stored): Promise<ByteSource | null>
  create(key: string): Promise<BodyWriter>
  /** Waits for background work (the sweep). */
  close(): Promise<void>
}

/** A body. It is not served before a response that names it is written. */
export interface BodyWriter {
  readonly name: string
  write(chunk: Uint8Array): Promise<void>
  end(): Promise<void>
  /** Removes the body. Never rejects. */
  discard(): Promise<void>
}

/** Makes the response's head as it is served. `age` is in seconds (RFC 9111 5.1). */
export function storedHead({ status, reason, fields }: Stored, age: number): ResponseHead {
  const all = Object.entries({ ...fields, age: String(age) })
  return new ResponseHead({ status, reason, version: 'HTTP/1.1', fields: all, named: namedFields(all) })
}

/** Fields that describe one connection (RFC 9111 3.1, RFC 9110 7.6.1). */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export function fieldsToKeep(fields: Readonly<Record<string, string>>): Record<string, string> {
  const named = elementsOf(fields.connection)
  const entries = Object.entries(fields).filter(([name]) => !ofConnection.has(name) && !named.includes(name))
  return Object.fromEntries(entries)
}

/** Fields that describe the stored octets (RFC 9111 3.2). A 304 has none. */
const ofBody: ReadonlySet<string> = new Set(['content-length', 'content-encoding', 'content-range'])

/**
 * Updates the response with the fields of a 304 (RFC 9111 4.3.4). Returns null if the 304 is about another
 * representation.
 */
export function updatedBy304(
  stored: Stored,
  head: ResponseHead,
  requestTime: number,
  responseTime: number,
): Stored | null {
  const fresh = fieldsToKeep(head.fields)
  const { etag, 'last-modified': modified } = fresh
  const { age: _, ...before } = stored.fields
  if (etag !== undefined && (before.etag === undefined || !isSameTag(etag, before.etag))) return null
  if (etag === undefined && modified !== undefined && modified !== before['last-modified']) return null
  const update = Object.entries(fresh).filter(([name]) => !ofBody.has(name))
  return { ...stored, requestTime, responseTime, fields: { ...before, ...Object.fromEntries(update) } }
}

/** Adds the condition that validates the response (RFC 9111 4.3.1). Returns null if it has no validator. */
export function conditional(request: RequestOptions, { fields }: Stored): RequestOptions | null {
  if (fields.etag !== undefined) return { ...request, http: { ...request.http, ifNoneMatch: fields.etag } }
  const modified = httpDate(fields['last-modified'])
  return modified === null ? null : { ...request, ifChangedSince: modified }
}
