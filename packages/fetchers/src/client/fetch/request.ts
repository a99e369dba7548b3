import { printable, RetrievalError, redact } from '@retriever/core'
import { invalidOption } from '../../kit/limits.ts'
import { isOwnField } from '../../kit/options.ts'
import { webUrl } from '../../kit/web-url.ts'
import { optionNames } from '../options/checks.ts'
import type { KnownOptions } from '../options/known.ts'

/** One call of fetch(), checked: a Request and an init object made into one. */
export interface FetchRequest {
  /** A web or data URL is written as `new URL()` writes it; every other URL is as given. */
  readonly url: string
  readonly method: 'GET' | 'HEAD'
  readonly headers: Headers | null
  readonly signal: AbortSignal | null
  readonly redirect: 'follow' | 'manual' | 'error'
  readonly cache: 'default' | 'no-store' | 'reload' | 'no-cache' | 'force-cache'
  readonly credentials: 'omit' | 'same-origin' | 'include'
  readonly integrity: string
  readonly referrer: string
  readonly referrerPolicy: ReferrerPolicy
}

export type ReferrerPolicy = (typeof referrerPolicies)[number]

const referrerPolicies = [
  '',
  'no-referrer',
  'no-referrer-when-downgrade',
  'same-origin',
  'origin',
  'strict-origin',
  'origin-when-cross-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
] as const

/** The members of a call, those of `init` before those of the Request. */
class Members {
  readonly #init: object
  readonly #request: object

  constructor(init: object, request: object) {
    this.#init = init
    this.#request = request
  }

  get(name: string): unknown {
    const given: unknown = Reflect.get(this.#init, name)
    return given === undefined ? Reflect.get(this.#request, name) : given
  }

  /** The value of a member that has a few words only. */
  word<T extends string>(name: string, words: readonly T[], absent: T): T {
    const given = this.get(name)
    if (given === undefined) return absent
    const word = words.find((each) => each === String(given))
    if (word !== undefined) return word
    throw invalidOption(name, `one of ${words.map((each) => `"${each}"`).join(', ')}`, given)
  }
}

/** The URL of a call that does more than retrieve, by its method; null for all other calls. */
export function urlToPassOn(input: unknown, init: unknown): string | null {
  const request = requestOf(input)
  if (init != null && typeof init !== 'object') return null
  const method = String(new Members(init ?? {}, request ?? {}).get('method') ?? 'GET').toUpperCase()
  if (method === 'GET' || method === 'HEAD') return null
  return readUrl(request === null ? input : Reflect.get(request, 'url'))
}

const defaults: Omit<FetchRequest, 'url'> = {
  method: 'GET',
  headers: null,
  signal: null,
  redirect: 'follow',
  cache: 'default',
  credentials: 'same-origin',
  integrity: '',
  referrer: '',
  referrerPolicy: '',
}

/**
 * Reads the arguments as the web's fetch does. Throws `invalid-option` or `malformed-url`, and a TypeError for bad
 * header fields.
 */
export function readRequest(input: unknown, init: unknown, refused: readonly string[]): FetchRequest {
  const request = requestOf(input)
  const url = readUrl(request === null ? input : Reflect.get(request, 'url'))
  if (request === null && init == null) return { ...defaults, url }
  if (init != null && typeof init !== 'object') throw invalidOption('init', 'an object', init)
  const members = new Members(init ?? {}, request ?? {})
  const method = readMethod(members.get('method'))
  refuseOthers(members, method, refused)
  return {
    url,
    method,
    headers: readHeaders(members.get('headers'), url),
    signal: readSignal(members.get('signal'), request),
    redirect: members.word('redirect', ['follow', 'manual', 'error'], 'follow'),
    cache: members.word('cache', ['default', 'no-store', 'reload', 'no-cache', 'force-cache'], 'default'),
    credentials: members.word('credentials', ['omit', 'same-origin', 'include'], 'same-origin'),
    integrity: String(members.get('integrity') ?? ''),
    referrer: readReferrer(members.get('referrer')),
    referrerPolicy: members.word('referrerPolicy', referrerPolicies, ''),
  }
}

/** The input if it is a Request, of Node or of a copy of undici; null for a URL. */
function requestOf(input: unknown): object | null {
  if (typeof input !== 'object' || input === null || input instanceof URL) return null
  const isRequest = typeof Reflect.get(input, 'url') === 'string' && typeof Reflect.get(input, 'method') === 'string'
  return isRequest ? input : null
}

/**
 * The URLs of the web are read as everywhere on the web (URL Standard), except that a % without two hexadecimal digits
 * is encoded. Other schemes have their own rules, which `new URL()` does not know.
 */
function readUrl(input: unknown): string {
  const text = String(input)
  if (plain.test(text) || !/^[\0-\x20]*(?:https?|data|blob):/i.test(text)) return text
  const url = webUrl(text)
  if (url !== null) return url.href.replace(/%(?![\dA-F]{2})/gi, '%25')
  const message = `${printable(redact(text)).slice(0, 200)} is no valid URL.`
  throw new RetrievalError('malformed-url', message, { phase: 'resolve', url: text })
}

/** The options of retrieve() and of clients that fetch() of the web does not have. */
export function refusedOptions(known: KnownOptions): readonly string[] {
  const withMembers = [...known.named.values()].flatMap(Object.keys)
  return [...optionNames(known), ...withMembers].filter((name) => !['credentials', 'headers', 'signal'].includes(name))
}

/** URLs that `new URL()` leaves as they are, to save that work for most. */
const plain =
  /^https?:\/\/[a-z][a-z\d-]*(?:\.[a-z][a-z\d-]*)*(?::(?!(?:80|443|0\d*)\/)\d+)?\/(?:[\w~-]+(?:[./][\w~-]+)*\/?)?(?:\?[\w~.=&+-]*)?$/

function readMethod(given: unknown): 'GET' | 'HEAD' {
  const method = given === undefined ? 'GET' : String(given).toUpperCase()
  if (method === 'GET' || method === 'HEAD') return method
  throw invalidOption(
    'method',
    '"GET" or "HEAD", as this client only retrieves; its option `fetchFallback` takes others',
    given,
  )
}

function readHeaders(given: unknown, url: string): Headers | null {
  if (given === undefined) return null
  // The constructor checks the type, and throws a TypeError.
  const headers = new Headers(given as ConstructorParameters<typeof Headers>[0])
  for (const [name, value] of [...headers]) {
    if (isOwnField(name, value)) continue
    // The value is not shown, because it may hold a secret.
    if (!isSentAnyway(name, value, url)) throw invalidOption('headers', ownField, name)
    headers.delete(name)
  }
  return headers.keys().next().done ? null : headers
}

/** Whether a field has the very value that the client sends by itself: programs that sign requests give Host. */
function isSentAnyway(name: string, value: string, url: string): boolean {
  if (name === 'host') return value === webUrl(url)?.host
  return (name === 'connection' && value === 'keep-alive') || (name === 'content-length' && value === '0')
}

const ownField = 'fields in ASCII, without Host, Connection, Content-Length and their like, which the client sets'

/** Keeps a Request as long as its signal: a collected one of Node passes the abort of its caller on no more. */
const requests = new WeakMap<AbortSignal, object>()

function readSignal(given: unknown, request: object | null): AbortSignal | null {
  if (given == null) return null
  if (given instanceof AbortSignal) {
    if (request !== null) requests.set(given, request)
    return given
  }
  throw invalidOption('signal', 'an AbortSignal', given)
}

/** The URL of the page that has the link; "" for none. There is no page here that `about:client` could mean. */
function readReferrer(given: unknown): string {
  const text = String(given ?? '')
  if (text === '' || text === 'about:client') return ''
  if (webUrl(text) !== null) return text
  throw invalidOption('referrer', 'a URL, or ""', redact(text))
}

/**
 * Refuses members that cannot be honoured. `mode`, `keepalive`, `duplex` and `priority` are checked, but change
 * nothing: like Node's fetch, this one has no page whose origin could matter.
 */
function refuseOthers(members: Members, method: string, refused: readonly string[]): void {
  members.word('mode', ['cors', 'no-cors', 'same-origin'], 'cors')
  members.word('duplex', ['half'], 'half')
  members.word('priority', ['auto', 'high', 'low'], 'auto')
  if (members.get('window') != null) throw invalidOption('window', 'null', members.get('window'))
  if (members.get('dispatcher') !== undefined) {
    const instead = 'absent, since this client connects by itself; its options are `proxy`, `tls` and `addresses`'
    throw invalidOption('dispatcher', instead, members.get('dispatcher'))
  }
  for (const name of refused) {
    if (members.get(name) === undefined) continue
    const instead = 'absent, since fetch() takes the options of the web; give it to createClient() or to retrieve()'
    throw invalidOption(name, instead, members.get(name))
  }
  const body = members.get('body')
  if (body == null) return
  // The body is not shown, because it may hold a secret.
  const message = `Expected \`body\` to be absent, since ${method} sends no body, got one (${typeof body}).`
  throw new RetrievalError('invalid-option', message, { phase: 'resolve' })
}
