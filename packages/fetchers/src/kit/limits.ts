import { type Advice, type Phase, RetrievalError } from '@retriever/core'
import { type AdvisedOption, adviceText } from '@retriever/core/internal'
import type { Limits } from '../contract/limits.ts'

/** The limits that apply if the caller sets none. */
export const defaultLimits: Limits = {
  // Fail sooner than browsers, which wait for minutes. A slow server still has a minute for each answer (threats.md
  // section 2).
  connectTimeout: 30_000,
  idleTimeout: 60_000,
  totalTimeout: Number.POSITIVE_INFINITY,
  minSpeed: 0,
  // With minSpeed 1, this is slower than a teletype of 110 baud (threats.md section 2).
  minSpeedTime: 120_000,
  maxRate: Number.POSITIVE_INFINITY,
  maxSize: Number.POSITIVE_INFINITY,
  // A script can hold this much in memory. A file on disk has no limit.
  maxCollected: 64 * 1024 * 1024,
  // Entries are read one by one and not kept, so a directory with millions is listed to its end.
  maxListing: Number.POSITIVE_INFINITY,
  // RFC 3977 allows 512 octets and FTP servers stop at 4 KiB. This is twice that.
  maxLine: 8 * 1024,
  maxReply: 64 * 1024,
  // fetch follows 20, too; curl follows 50.
  maxRedirects: 20,
  // A program that has begun to read continues within milliseconds.
  unreadTimeout: 10_000,
  // Scripts expect an end (threats.md section 2).
  maxRetries: 3,
  maxRetryDelay: 120_000,
  retryDelay: 0,
  maxRetryTime: Number.POSITIVE_INFINITY,
}

/**
 * Returns the defaults with the caller's changes. Undefined counts as absent. Throws `invalid-option` for an unknown
 * name or a value that is no number >= 0.
 */
export function readLimits(changes: Partial<Limits> = {}): Limits {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    if (!Object.hasOwn(defaultLimits, name)) throw unknownOption(name, { ...defaultLimits }, 'limits.')
    if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
      throw invalidOption(`limits.${name}`, 'a number of 0 or more', value)
    }
    if (name === 'maxRate' && value === 0) throw invalidOption(`limits.${name}`, 'a number above 0', value)
  }
  return { ...defaultLimits, ...Object.fromEntries(given) }
}

/** Returns the limits for a listing that must be held whole before its first entry is known. */
export function whenHeld(limits: Limits): Limits {
  return { ...limits, maxListing: Math.min(limits.maxListing, limits.maxCollected) }
}

/**
 * The default minSpeed under policy.publicOnly. A server that somebody else has chosen must not hold a connection for
 * days.
 */
export const publicMinSpeed = 10

/**
 * Makes the error for an option (or its part `key`). It says the expected value, and the given one with its type. The
 * name is also the error's advice, so that a program can say its own word for the option.
 */
export function invalidOption(name: string, expected: string, value: unknown, key?: string): RetrievalError {
  // A plug-in has options that this type does not know.
  const advice = { option: name as AdvisedOption, ...(key !== undefined && { value: key }) }
  return wrongOption(adviceText(advice), expected, name === 'login' ? typeof value : shownValue(value), advice)
}

/** Makes the error for a function of an option that threw. A RetrievalError stays as it is. */
export function optionThrew(name: string, cause: unknown, phase: Phase): RetrievalError {
  if (RetrievalError.is(cause)) return cause
  return new RetrievalError('invalid-option', `The function of ${name} threw (${String(cause)}).`, { phase, cause })
}

/**
 * Makes the error for a name that is none of these options. `place` is put before it. An option that belongs under the
 * name of its protocol is named with that.
 */
export function unknownOption(name: string, known: Readonly<Record<string, unknown>>, place = ''): RetrievalError {
  const home = Object.entries(known).find(([, members]) => isObject(members) && Object.hasOwn(members, name))?.[0]
  if (home === undefined) {
    return wrongOption(`\`${place}${name}\``, `one of ${Object.keys(known).join(', ')}`, shownValue(name))
  }
  const advice = { option: `${home}.${name}` as AdvisedOption }
  const message = `There is no option \`${name}\`: give ${adviceText(advice)}, as in { ${home}: { ${name}: ... } }.`
  return new RetrievalError('invalid-option', message, { phase: 'resolve', advice })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `got`: the value, safe to show. */
function wrongOption(option: string, expected: string, got: string, advice?: Advice): RetrievalError {
  const message = `Expected ${option} to be ${expected}, got ${got}.`
  return new RetrievalError('invalid-option', message, { phase: 'resolve', ...(advice && { advice }) })
}

/** Shows a value with its type: `"x" (string)`, `an object`. The members of an object may be secrets. */
function shownValue(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return `${typeof value === 'string' ? JSON.stringify(value) : String(value)} (${typeof value})`
}
