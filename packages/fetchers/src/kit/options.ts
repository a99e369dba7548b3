import type { RequestFields } from '../contract/fetcher.ts'
import type { OptionKind, OptionKinds } from '../contract/options.ts'
import type { RetryOn } from '../contract/retries.ts'
import { invalidOption, unknownOption } from './limits.ts'
import { knownCharset } from './text/text.ts'

export type { OptionKind, OptionKinds } from '../contract/options.ts'

export const list: OptionKind = ['an array', Array.isArray]
export const record: OptionKind = [
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
]
export const callback: OptionKind = ['a function', (value) => typeof value === 'function']
export const callbacks: OptionKind = [
  'an array of functions',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'function'),
]
export const count: OptionKind = [
  'a whole number of 1 or more',
  (value) => Number.isInteger(value) && Number(value) >= 1,
]
export const milliseconds: OptionKind = [
  'a number of milliseconds, 0 or more',
  (value) => typeof value === 'number' && value >= 0,
]
export const duration: OptionKind = [
  'a number of milliseconds above 0',
  (value) => typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY,
]
export const number: OptionKind = ['a number', (value) => typeof value === 'number' && !Number.isNaN(value)]
export const anything: OptionKind = ['any value', () => true]
/** A URL, or a Resolution. */
export const location: OptionKind = [
  'a URL: a string, a URL or a Resolution',
  (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
]
/**
 * Whether the value is an object of answers by name. A list, a Map, URLSearchParams and FormData are not, because their
 * entries are no properties.
 */
export function isAnswers(value: unknown): boolean {
  return record[1](value) && !(Symbol.iterator in Object(value))
}
/** Checks only the kind. The fetcher, which knows the questions, checks the answers. */
export const formOption: OptionKind = [
  'an object of answers, or a function that gives one',
  (value) => callback[1](value) || isAnswers(value),
]
export const flag: OptionKind = ['true or false', (value) => typeof value === 'boolean']
export const octets: OptionKind = ['a Uint8Array', (value) => value instanceof Uint8Array]
export const text: OptionKind = ['a string', (value) => typeof value === 'string']
/** The value is sent on a line of a protocol, where a line break would begin another command (RFC 1738 6). */
export const line: OptionKind = [
  'a string of one line, without NUL',
  (value) => typeof value === 'string' && !/[\0\r\n]/.test(value),
]
export const texts: OptionKind = [
  'an array of strings',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
]
/** client/network/proxy.ts reads the URL. */
export const proxyOption: OptionKind = [
  'a URL, null, or a function that gives one',
  (value) => value === null || typeof value === 'string' || typeof value === 'function',
]
export const abortSignal: OptionKind = ['an AbortSignal', (value) => value instanceof AbortSignal]
export const ports: OptionKind = ['an array of port numbers', (value) => Array.isArray(value) && value.every(isPort)]
/** [first, last], from 1, since 0 means any port. */
export const portRange: OptionKind = [
  '[first, last] with 1 <= first <= last <= 65535',
  (value) => ports[1](value) && isAscending(value) && value[0] >= 1,
]
/** The value is sent as that of a header field (RFC 9110 5.5). */
export const fieldValue: OptionKind = [
  'visible ASCII characters and blanks',
  (value) => typeof value === 'string' && /^[\x20-\x7E\t]*$/.test(value),
]
/** Header fields (RFC 9110 5.1 and 5.5), except those that frame the message or name its destination. */
export const fields: OptionKind = [
  'header fields: Headers, a list of pairs, or an object of names and values (null: not sent), without Host, ' +
    'Connection, Content-Length and their like',
  (value) => {
    const fields = fieldsOf(value)
    return fields !== null && Object.entries(fields).every(([name, field]) => isOwnField(name, field ?? ''))
  },
]
/**
 * Reads header fields by name from anything that `new Headers()` takes, and joins fields of one name as it does.
 * Returns null for other values. An iterator is not accepted, since it can be read only once.
 */
export function fieldsOf(given: unknown): RequestFields | null {
  if (typeof given !== 'object' || given === null || typeof Reflect.get(given, 'next') === 'function') return null
  if (!(Symbol.iterator in given)) return isPlain(given) ? (given as RequestFields) : null
  const pairs: readonly unknown[] = [...(given as Iterable<unknown>)]
  const fields = new Map<string, readonly [name: string, value: string]>()
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2) return null
    const [name, value] = pair as readonly unknown[]
    if (typeof name !== 'string' || typeof value !== 'string') return null
    const key = name.toLowerCase()
    const before = fields.get(key)
    // Fields are joined by RFC 9110 5.3, cookies by RFC 9113 8.2.3.
    fields.set(key, before === undefined ? [name, value] : [before[0], `${before[1]}${joints[key] ?? ', '}${value}`])
  }
  return Object.fromEntries(fields.values())
}
const joints: Readonly<Record<string, string>> = { cookie: '; ' }
/** Whether an object was written as `{ ... }`, in any realm. A Date or a Set has no members by name. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
const framing =
  /^(?:host|connection|keep-alive|proxy-connection|content-length|transfer-encoding|te|trailer|upgrade|expect|http2-settings)$/i
/** Whether a text has the syntax of field names and other words of HTTP (RFC 9110 5.6.2). */
export function isToken(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text)
}
/** The value of Host: a host, perhaps with a port (RFC 9110 7.2), or nothing (RFC 9112 3.2). */
export const virtualHost: OptionKind = [
  'the name of a host, perhaps with a port, such as "www.example.org", or ""',
  (value) => typeof value === 'string' && /^(?:(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?)?$/.test(value),
]
export const requestLogin: OptionKind = [
  'an object of two strings, user and password',
  (value) => {
    if (!record[1](value)) return false
    const { user, password, ...rest } = Object(value) as Record<string, unknown>
    return typeof user === 'string' && typeof password === 'string' && isEmpty(rest)
  },
]
/** Whether a field may stand in RequestOptions.headers. */
export function isOwnField(name: string, value: unknown): boolean {
  return isToken(name) && !framing.test(name) && fieldValue[1](value)
}
export const retryKind: OptionKind = oneOf<RetryOn>('transient', 'refused-connection', 'any-error')
export const charsetLabel: OptionKind = [
  'the name of a charset, such as "windows-1252"',
  (value) => typeof value === 'string' && knownCharset(value) !== null,
]
/** More than 16 connections to one host burden it and help nobody (threats.md section 2). */
export const connections: OptionKind = [
  'a whole number from 1 to 16',
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 16,
]
export const octetRange: OptionKind = [
  '[first, last] with 0 <= first <= last, whole numbers, last null for the rest; [-n, null]; or a list of such ranges',
  (value) => isRange(value) || (Array.isArray(value) && value.length > 0 && value.every(isRange)),
]
function isRange(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [first, last] = value
  if (!Number.isSafeInteger(first) || Object.is(first, -0)) return false
  return last === null || (first >= 0 && Number.isSafeInteger(last) && last >= first)
}

export const date: OptionKind = ['a Date', (value) => value instanceof Date && !Number.isNaN(value.getTime())]
export const resumePoint: OptionKind = [
  'a number of octets, or { offset, size, modified, etag, tail, since }, tail being octets before the offset',
  (value) => {
    const point: unknown = typeof value === 'number' ? { offset: value } : value
    if (typeof point !== 'object' || point === null) return false
    const { offset, size = null, modified = null, etag = null, tail, since, ...rest } = point as Record<string, unknown>
    const isTime = (modified === null || date[1](modified)) && (since === undefined || date[1](since))
    const isKnown = (size === null || isSize(size)) && isTime && (etag === null || isTag(etag))
    return isSize(offset) && isKnown && isTail(tail, Number(offset)) && isEmpty(rest)
  },
]

export const cookieStore: OptionKind = [
  'an object with the functions `cookiesFor` and `keep`',
  (value) => {
    const { cookiesFor, keep } = Object(value) as Readonly<Record<string, unknown>>
    return typeof cookiesFor === 'function' && typeof keep === 'function'
  },
]

/**
 * Throws `invalid-option` for an unknown option, for a value of the wrong kind, and if `options` is no object of
 * options. `place` is put before the option's name. Undefined counts as absent.
 */
export function checkOptions(options: object, kinds: OptionKinds, place = ''): void {
  if (!isOptions(options)) throw invalidOption(place.slice(0, -1) || 'options', 'an object of options', options)
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) throw unknownOption(name, kinds, place)
    if (value === undefined) continue
    if (!isKind(kind)) checkOptions(value, kind, `${place}${name}.`)
    else if (!kind[1](value)) throw invalidOption(`${place}${name}`, kind[0], value)
  }
}

export function isKind(kind: OptionKind | OptionKinds): kind is OptionKind {
  return Array.isArray(kind)
}

/**
 * Whether the value is an object of options. A signal given in place of `{ signal }` has no properties of its own, so
 * it would be ignored.
 */
function isOptions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return !(Array.isArray(value) || value instanceof AbortSignal || value instanceof Map)
}

/** Accepts one of these words. */
export function oneOf<Word extends string>(...words: readonly Word[]): OptionKind {
  const known: readonly unknown[] = words
  return [`one of ${words.map((word) => JSON.stringify(word)).join(', ')}`, (value) => known.includes(value)]
}

function isAscending(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value[0] <= value[1]
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isTail(value: unknown, offset: number): boolean {
  return value === undefined || (value instanceof Uint8Array && value.length <= offset)
}

/**
 * Whether a text is an entity tag (RFC 9110 8.8.3), with octets beyond ASCII as characters. It becomes the value of a
 * header field.
 */
function isTag(value: unknown): boolean {
  return typeof value === 'string' && /^(?:W\/)?"[\x21\x23-\x7E\x80-\xFF]*"$/.test(value)
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0
}
