import type { Mechanism } from '@retriever/core'
import type { OwnAnswer, StepResult, StepRetrieved } from '../../contract/steps.ts'
import { sourceOf, wholeSource } from '../../kit/byte-source.ts'
import { invalidOption } from '../../kit/limits.ts'
import {
  anything,
  callback,
  charsetLabel,
  checkOptions,
  date,
  isToken,
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
 * with `place` as the name. `original`: the earlier result that the step has copied.
 */
export function answered(
  given: unknown,
  mechanism: Mechanism,
  place: string,
  original: StepRetrieved | undefined,
): StepResult {
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
  // undefined counts as absent.
  const answer: Partial<OwnAnswer> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  )
  const isCopy = 'mechanism' in answer
  // A copy has what its fetcher gave, which may be more.
  const known = isCopy ? Object.entries(answer).filter(([name]) => name in answerKinds) : null
  checkOptions(known === null ? answer : Object.fromEntries(known), answerKinds, `${place}.`)
  if (answer.body === undefined) throw invalidOption(place, expected, given)
  // A copy with another body has the old length in its members, unless the step gave a new one.
  const isOtherBody = original !== undefined && original.body !== answer.body
  const isOldSize = isOtherBody && answer.size === original.size
  const whole = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const isWhole = whole instanceof Uint8Array
  const result = {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: null,
    charset: typeof answer.body === 'string' ? 'utf-8' : null,
    modified: null,
    mechanism,
    ...answer,
    size: isWhole ? whole.length : isOldSize ? null : (answer.size ?? null),
    completeness: isWhole ? 'verified' : isOldSize ? 'terminated' : (answer.completeness ?? 'terminated'),
    metadata: metadataOf(mechanism, answer.metadata, place, isOtherBody),
    body: isWhole ? wholeSource(whole) : sourceOf(whole),
  }
  return result as StepResult
}

/** The earlier result that a step has copied; undefined if the answer is the step's own. */
export function copiedFrom(given: unknown, results: Iterable<StepResult>): StepRetrieved | undefined {
  const { metadata, body } = Object(given) as Partial<StepRetrieved>
  for (const each of results) {
    if (each.outcome === 'retrieved' && (each.metadata === metadata || each.body === body)) return each
  }
  return undefined
}

/**
 * Completes the metadata of an answer: those of HTTP need the members of a Response. The fields of a copy say nothing
 * of another body's length.
 */
function metadataOf(mechanism: Mechanism, given: object = {}, place: string, isOtherBody: boolean): object {
  if (mechanism !== 'http') return given
  const metadata = { status: 200, headers: {}, ...given }
  const { status, headers } = metadata
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw invalidOption(`${place}.metadata.status`, 'a whole number from 200 to 999', status)
  }
  if (!record[1](headers) || !Object.entries(headers).every(([name, value]) => isField(name, value))) {
    throw invalidOption(`${place}.metadata.headers`, 'an object of strings by the lower-case names of fields', headers)
  }
  if (!isOtherBody) return { fields: Object.entries(headers), ...metadata }
  const others = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-length'))
  return { fields: Object.entries(others), ...metadata, headers: others }
}

/** A field that a Response takes: its name is a token in lower case, its value has no line end. */
function isField(name: string, value: unknown): boolean {
  return isToken(name) && name === name.toLowerCase() && typeof value === 'string' && !/[\r\n\0]/.test(value)
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
