import type { OctetRange, ResumePoint } from '../../../contract/fetcher.ts'
import { overlap } from '../../../kit/request-options.ts'
import { ifRange, type Validator, validatorFrom } from './validator.ts'

/** The first request for the rest after the octets that the caller has. */
export interface RestRequest {
  readonly range: OctetRange
  readonly ifRange?: string
  /** The version that the octets belong to. Null: none is known. */
  readonly validator: Validator | null
  /** The caller's last octets, which must come again. Undefined: the validator proves the version. */
  readonly tail: Uint8Array | undefined
}

/**
 * Makes the request. Null: the whole is requested, since a weak entity tag does not promise the same octets (RFC 9110
 * 8.8.1).
 */
export function restRequest(point: ResumePoint): RestRequest | null {
  const validator = validatorFrom(point)
  if (validator === null && point.etag) return null
  const tail = validator === null ? point.tail?.subarray(-overlap) : undefined
  return { range: [point.offset - (tail?.length ?? 0), null], ...ifRange(validator), validator, tail }
}
