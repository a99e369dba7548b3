import { httpDate } from '../../plugin/date.ts'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { elementsOf } from '../fields.ts'
import { isSameTag } from '../range/validator.ts'
import { ResponseHead } from '../response.ts'
import { type Dated, hasValidator } from './freshness.ts'

/** What is kept of an answer beside its body. JSON-able. */
export interface Stored extends Dated {
  readonly method: 'GET' | 'HEAD'
  readonly reason: string
  /** The fields of the request that Vary names, by lower-case name, null where it had none (RFC 9111 4.1). */
  readonly vary: readonly (readonly [name: string, value: string | null])[]
  /** Names the body within the store; null: HEAD has none. */
  readonly body: string | null
  readonly length: number
  /** CRC-32 of the body: a disk that was full, or lost its power, may hold other octets than were written. */
  readonly check: number
}

/** Where answers are kept: by a key that stands for what was asked, some for each key, as Vary has it. */
export interface Store {
  /** Rejects with `file-failed` where nothing can be kept there, or should be. */
  ready(context: RetrievalContext): Promise<void>
  /** All that there is for a key; none where it cannot be read. This counts as use. */
  read(key: string): Promise<readonly Stored[]>
  /** Puts these in place of all there was for the key, whose other bodies go. */
  write(key: string, all: readonly Stored[]): Promise<void>
  /** Null where it is gone, or is not what was stored. */
  open(stored: Stored): Promise<BodyReader | null>
  create(key: string): Promise<BodyWriter>
  /** Waits for what goes on unseen. */
  close(): Promise<void>
}

export interface BodyReader {
  /** The next octets, the caller's own; null at the end. */
  read(): Promise<Uint8Array | null>
  close(): Promise<void>
}

/** A body that nobody knows of until `Store.write` names it. */
export interface BodyWriter {
  readonly name: string
  write(chunk: Uint8Array): Promise<void>
  end(): Promise<void>
  /** Removes it. Never rejects. */
  discard(): Promise<void>
}

/** The head as it is served; `age` in seconds (RFC 9111 5.1). */
export function storedHead({ status, reason, fields }: Stored, age: number): ResponseHead {
  return new ResponseHead({
    status,
    reason,
    version: 'HTTP/1.1',
    fields: Object.entries({ ...fields, age: String(age) }),
  })
}

/** RFC 9111 3.1 and RFC 9110 7.6.1: of the connection alone, not of the answer. */
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

/** RFC 9111 3.2: they tell of the octets that are kept, and the 304 has none. */
const ofBody: ReadonlySet<string> = new Set(['content-length', 'content-encoding', 'content-range'])

/** What a 304 makes of it (RFC 9111 4.3.4). Null where the 304 is about another representation. */
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

/** The condition that asks whether it is still the same (RFC 9111 4.3.1); null: it has nothing to be told by. */
export function conditionOf({ fields }: Stored): { ifNoneMatch: string } | { ifChangedSince: Date } | null {
  if (fields.etag !== undefined) return { ifNoneMatch: fields.etag }
  const modified = httpDate(fields['last-modified'])
  return modified !== null && hasValidator(fields) ? { ifChangedSince: modified } : null
}
