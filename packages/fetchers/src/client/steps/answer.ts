import type { Mechanism } from '@retriever/core'
import type { OwnAnswer, StepResult } from '../../contract/steps.ts'
import { sourceOf, wholeSource } from '../../kit/byte-source.ts'
import { invalidOption } from '../../kit/limits.ts'
import {
  anything,
  callback,
  charsetLabel,
  checkOptions,
  date,
  line,
  type OptionKind,
  oneOf,
  record,
  text,
} from '../../kit/options.ts'
import { isHandoff } from '../handoff/handoff.ts'

const octets: OptionKind = ['a whole number of octets, 0 or more', (value) => isOctets(value)]
const mediaType: OptionKind = [
  'a media type in lower case, such as "text/plain"',
  (value) => typeof value === 'string' && /^[a-z\d][\w!#$&^.+-]*\/[a-z\d][\w!#$&^.+-]*$/.test(value),
]
const body: OptionKind = [
  'a string, octets (Uint8Array), a ByteSource or an async iterable of octets',
  (value) => typeof value === 'string' || value instanceof Uint8Array || isSource(value),
]
const orNull = ([expected, fits]: OptionKind): OptionKind => [
  `${expected}, or null`,
  (value) => value === null || fits(value),
]

const answerKinds: Readonly<Record<keyof OwnAnswer | 'mechanism', OptionKind>> = {
  outcome: oneOf('retrieved'),
  kind: oneOf('object', 'listing'),
  mediaType: orNull(mediaType),
  charset: orNull(charsetLabel),
  size: orNull(octets),
  offset: octets,
  modified: orNull(date),
  etag: orNull(text),
  completeness: oneOf('verified', 'terminated', 'eof-only'),
  metadata: record,
  body,
  notAFile: anything,
  entries: callback,
  mechanism: text,
}

const redirectKinds: Readonly<Record<string, OptionKind>> = {
  outcome: anything,
  location: line,
  status: octets,
}

/**
 * Reads the result of a step, which is a copy of what `next` gave or the step's own answer. Throws `invalid-option`,
 * with `place` as the name.
 */
export function answered(given: unknown, mechanism: Mechanism, place: string): StepResult {
  const expected = 'what next() gives, a copy of it, or an object with a `body`'
  if (!isPlain(given)) throw invalidOption(place, expected, typeof given === 'string' ? '***' : given)
  const { outcome = 'retrieved' } = given as { outcome?: unknown }
  if (outcome === 'handoff' && isHandoff(given)) return given
  if (outcome === 'redirect') {
    const { location, status } = given as Record<string, unknown>
    if (location === undefined || status === undefined)
      throw invalidOption(place, 'a redirect with its `location` and `status`', given)
    checkOptions({ location, status }, redirectKinds, `${place}.`)
    return given as unknown as StepResult
  }
  const answer = given as Partial<OwnAnswer>
  // A copy has what its fetcher gave, which may be more.
  const known = 'mechanism' in given ? Object.entries(given).filter(([name]) => name in answerKinds) : null
  checkOptions(known === null ? given : Object.fromEntries(known), answerKinds, `${place}.`)
  if (answer.body === undefined) throw invalidOption(place, expected, given)
  const whole = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const isWhole = whole instanceof Uint8Array
  const result = {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: null,
    charset: typeof answer.body === 'string' ? 'utf-8' : null,
    size: isWhole ? whole.length : null,
    modified: null,
    completeness: isWhole ? 'verified' : 'terminated',
    mechanism,
    ...answer,
    metadata: metadataOf(mechanism, answer.metadata, place),
    body: isWhole ? wholeSource(whole) : sourceOf(whole),
  }
  return result as StepResult
}

/** Completes the metadata of an answer: those of HTTP need the members of a Response. */
function metadataOf(mechanism: Mechanism, given: object = {}, place: string): object {
  if (mechanism !== 'http') return given
  const metadata = { status: 200, headers: {}, ...given }
  const { status, headers } = metadata
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw invalidOption(`${place}.metadata.status`, 'a whole number from 200 to 999', status)
  }
  if (!record[1](headers) || !Object.values(headers).every((value) => typeof value === 'string')) {
    throw invalidOption(`${place}.metadata.headers`, 'an object of strings by the lower-case names of fields', headers)
  }
  return { fields: Object.entries(headers), ...metadata }
}

/** Whether the object was written as `{ ... }`. A Response is none, because its members are no properties. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function isOctets(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isSource(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || 'read' in value)
}
