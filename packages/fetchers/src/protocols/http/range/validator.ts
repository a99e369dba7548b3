import type { ResumePoint } from '../../../contract/fetcher.ts'
import { httpDate } from '../../../kit/text/date.ts'
import type { ResponseHead } from '../response.ts'

/** Distinguishes a representation from every other one of its resource, octet for octet (RFC 9110 8.8.1). */
export type Validator =
  /** A strong entity tag, as sent. */
  | { readonly etag: string }
  /** A date that is strong. `weak` is a weak entity tag beside it. */
  | { readonly modified: Date; readonly weak: string | null }

/**
 * How many milliseconds a date must be older than the answer. RFC 9110 8.8.2.2 asks for a second if the clocks agree,
 * or for more than their difference; RFC 7232 2.2.2 said 60 s for both, as threats.md R10 does.
 */
const strongAge = 60_000

/**
 * Returns the validator of the representation that an answer has, in whole or in part. Null if the answer has no strong
 * one.
 */
export function validatorOf(head: ResponseHead): Validator | null {
  const etag = head.field('etag')
  if (etag !== null && isStrong(etag)) return { etag }
  const modified = httpDate(head.field('last-modified'))
  const date = httpDate(head.field('date'))
  if (modified === null || date === null || date.getTime() - modified.getTime() < strongAge) return null
  return { modified, weak: etag }
}

/** Returns the validator of the representation whose beginning the caller has. Null if no strong one is known. */
export function validatorFrom({ etag = null, modified = null }: ResumePoint): Validator | null {
  if (etag !== null && isStrong(etag)) return { etag }
  return modified === null ? null : { modified, weak: etag }
}

/**
 * Returns the value of If-Range. A date must not be sent if there is a weak tag (RFC 9110 13.1.5); the answer to a bare
 * Range gives its date, which is then compared.
 */
export function ifRange(validator: Validator | null): { readonly ifRange?: string } {
  if (validator === null) return {}
  if ('etag' in validator) return { ifRange: validator.etag }
  return validator.weak === null ? { ifRange: validator.modified.toUTCString() } : {}
}

/**
 * Whether a 206 or a 416 is about the representation with this validator. A 206 repeats the entity tag (RFC 9110
 * 15.3.7), but need not repeat the date that If-Range had, and a 416 may repeat nothing. `wasSent` is false if the
 * server was not told the validator: its silence then proves nothing.
 */
export function isOf(validator: Validator | null, head: ResponseHead, wasSent = true): boolean {
  if (validator === null) return true
  const etag = head.field('etag')
  if ('etag' in validator) return etag === validator.etag || (wasSent && etag === null && head.status === 416)
  const modified = httpDate(head.field('last-modified'))
  if (modified === null) return wasSent && validator.weak === null
  if (modified.getTime() !== validator.modified.getTime()) return false
  return etag === null || validator.weak === null || isSameTag(etag, validator.weak)
}

/** Compares weakly (RFC 9110 8.8.3.2). */
export function isSameTag(one: string, other: string): boolean {
  return opaque(one) === opaque(other)
}

function opaque(etag: string): string {
  return etag.replace(/^W\//, '')
}

/**
 * Whether the entity tag is strong (RFC 9110 8.8.3). A value that is no entity tag, such as one without quotes, proves
 * nothing.
 */
function isStrong(etag: string): boolean {
  return /^"[\x21\x23-\x7E\x80-\xFF]*"$/.test(etag)
}
