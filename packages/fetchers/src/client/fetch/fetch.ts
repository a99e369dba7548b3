import { type ErrorCode, printable, type Resolution, RetrievalError, redact } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import { fetchedBody, type Representation } from '../../body/representation.ts'
import { hasNoContent, responseOf, webResponse } from '../../body/response.ts'
import { type FetchedOctets, UnreadBody } from '../../body/unread-body.ts'
import type { ByteSource } from '../../contract/byte-source.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { invalidOption } from '../../kit/limits.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { LoginMemory, Questions } from '../credentials.ts'
import { tlsForOtherOrigin } from '../redirect.ts'
import type { Settings } from '../settings.ts'
import { blobResponse } from './blob.ts'
import { httpFields, ownFields } from './fields.ts'
import { type FetchRequest, readRequest, urlToPassOn } from './request.ts'

/** The status of the Response for an error that is the server's answer, without HTTP. */
const statusOf: Readonly<Partial<Record<ErrorCode, number>>> = {
  'not-found': 404,
  'access-denied': 403,
  'auth-required': 401,
  'auth-failed': 401,
}

/** The reason phrases of RFC 9110 15.5. */
const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  407: 'Proxy Authentication Required',
}

/** A client as fetch() uses it. */
export interface Retriever {
  /** False: policy.schemes names the schemes, and blob cannot be one of them. */
  readonly takesBlobs: boolean
  /** The options of the library, which are none of fetch(). */
  readonly refusedOptions: readonly string[]
  /** The caller's fetch for methods that do not retrieve. */
  readonly fallback: typeof globalThis.fetch | undefined
  /** Throws unless the policy allows the URL, which the client itself does not contact. */
  enforce(resolution: Resolution): void
  resolve(url: string): Resolution
  /** `sendsLogins`: false if neither the client's logins nor its certificate may be sent. */
  retrieve(resolution: Resolution, options: RetrieveOptions, sendsLogins: boolean): Promise<Representation>
}

/** The settings of a client that sends no login and no certificate. */
export function withoutLogins(settings: Settings): Settings {
  const questions = new Questions(async () => null)
  return {
    ...settings,
    redirectLogin: undefined,
    credentials: questions,
    cookies: undefined,
    acceptedLogins: new LoginMemory(),
    tls: tlsForOtherOrigin(settings.tls),
  }
}

/**
 * Implements Client.fetch. Rejects as the web's fetch: with the signal's reason, or a TypeError whose cause is the
 * RetrievalError.
 */
export async function fetchResponse(client: Retriever, input: unknown, init: unknown): Promise<Response> {
  let signal: AbortSignal | null = null
  try {
    const { fallback } = client
    if (fallback !== undefined && isForFallback(client, input, init)) {
      // What it rejects with is the caller's.
      return fallback(...([input, init] as Parameters<typeof fallback>))
    }
    const request = readRequest(input, init, client.refusedOptions)
    signal = request.signal
    signal?.throwIfAborted()
    return await (request.url.startsWith('blob:') ? ofBlob(client, request) : ofRetrieval(client, request))
  } catch (error) {
    throw signal?.aborted ? signal.reason : webError(error, 'fetch failed')
  }
}

/** Whether the call is for the fallback: another method than GET and HEAD, and a URL of HTTP that the policy allows. */
function isForFallback(client: Retriever, input: unknown, init: unknown): boolean {
  const url = urlToPassOn(input, init)
  if (url === null) return false
  const resolution = client.resolve(url)
  if (resolution.plan.mechanism !== 'http') return false
  client.enforce(resolution)
  return true
}

async function ofBlob({ takesBlobs }: Retriever, request: FetchRequest): Promise<Response> {
  if (!takesBlobs) {
    const advice = { option: 'policy.schemes' } as const
    const message = `Refused: ${adviceText(advice)} names the schemes that may be retrieved, and blob is none of them.`
    throw new RetrievalError('refused', message, { phase: 'policy', url: request.url, advice })
  }
  // Before anything is awaited: programs revoke the URL right after the call.
  const response = blobResponse(request)
  const check = await checkFor(request)
  if (check === null) {
    const { signal } = request
    if (signal === null || response.body === null) return response
    const source = sourceOf(response.body)
    const read = async (): Promise<Uint8Array | null> => {
      signal.throwIfAborted()
      return await source.read()
    }
    const take = (): ByteSource => ({ read, cancel: () => source.cancel() })
    const body = new UnreadBody({ take, giveUp: () => void source.cancel(), ...endingFor(signal) })
    return webResponse(body, response.headers, response)
  }
  const octets = new Uint8Array(await response.arrayBuffer())
  check(octets)
  return webResponse(octets, response.headers, response)
}

async function ofRetrieval(client: Retriever, request: FetchRequest): Promise<Response> {
  const { method, redirect, credentials, signal } = request
  const resolution = client.resolve(request.url)
  if (credentials === 'omit' && resolution.locator.user !== null) {
    throw invalidOption('credentials', 'another word than "omit" for a URL with a login', credentials)
  }
  const isHttp = resolution.plan.mechanism === 'http'
  const headers = isHttp ? httpFields(request) : request.headers && ownFields(request.headers)
  const check = await checkFor(request)
  let representation: Representation
  try {
    representation = await client.retrieve(
      resolution,
      {
        ...(signal !== null && { signal }),
        ...(headers !== null && { headers }),
        head: method === 'HEAD',
        // The redirect is the result then.
        ...(redirect !== 'follow' && { limits: { maxRedirects: 0 } }),
        // With other mechanisms, these options would cause remarks that they have no effect.
        ...(isHttp && { http: { compressed: true, fail: false } }),
      },
      credentials !== 'omit',
    )
  } catch (error) {
    const refusal = refusalOf(error, request)
    if (refusal === null) throw error
    return refusal
  }
  if (redirect === 'error') await refuseRedirect(representation)
  if (method === 'HEAD' || hasNoContent(representation)) {
    await representation.cancel()
    check?.(new Uint8Array(0))
    return responseOf(representation, null)
  }
  if (check === null) return responseOf(representation, fetchedBody(representation, endingFor(signal)))
  const octets = await representation.bytes()
  check(octets)
  return responseOf(representation, octets)
}

/** The function that checks a body by the member `integrity`; null: there is nothing to check. */
async function checkFor({ integrity, url }: FetchRequest): Promise<((octets: Uint8Array) => void) | null> {
  if (integrity === '') return null
  // Loaded here because few callers need hashes.
  const { readIntegrity, checkIntegrity } = await import('./integrity.ts')
  const expected = readIntegrity(integrity)
  return (octets) => checkIntegrity(octets, expected, url)
}

/** Throws `too-many-redirects` for a redirect, also for one without a Location (Fetch Standard 4.3). */
async function refuseRedirect(representation: Representation): Promise<void> {
  const { mechanism, metadata, url } = representation
  if (mechanism !== 'http' || ![301, 302, 303, 307, 308].includes(metadata.status)) return
  await representation.cancel()
  const { status, headers } = metadata
  const to = headers.location === undefined ? '' : ` to "${printable(redact(headers.location)).slice(0, 300)}"`
  const message = `${redact(url)}: It redirects${to}, and \`redirect: "error"\` forbids that.`
  throw new RetrievalError('too-many-redirects', message, { phase: 'request', url, status })
}

/** The Response for an error that is the server's answer; null for every other error. */
function refusalOf(error: unknown, { url, method }: FetchRequest): Response | null {
  if (!RetrievalError.is(error)) return null
  const status = error.status ?? statusOf[error.code]
  // The constructor of Response refuses a status above 599; some servers send 999.
  if (status === undefined || status < 400 || status > 599) return null
  const facts = { url: error.url ?? url, redirected: false, status, statusText: reasons[status] ?? '' }
  const fields = { 'content-type': 'text/plain;charset=utf-8' }
  return webResponse(method === 'HEAD' ? null : error.message, fields, facts)
}

/** The web's errors for a body that breaks off, and its end by the signal. */
function endingFor(signal: AbortSignal | null): Pick<FetchedOctets, 'failureOf' | 'signal'> {
  return { signal, failureOf: (error) => (signal?.aborted ? signal.reason : webError(error, 'terminated')) }
}

/** Failures for which trying again is of no use. */
const final: ReadonlySet<ErrorCode> = new Set([
  'unknown-scheme',
  'no-fetcher',
  'handoff',
  'malformed-url',
  'invalid-option',
  'form-required',
  'no-server',
  'refused',
  'aborted',
])

/**
 * The web's error for a RetrievalError; other errors stay. `failed` is what Node's fetch says of every failure:
 * programs recognise these words, and try again. The message of a final failure is that of the RetrievalError.
 */
function webError(error: unknown, failed: string): unknown {
  if (!RetrievalError.is(error)) return error
  return new TypeError(final.has(error.code) ? error.message : failed, { cause: systemFailure(error) ?? error })
}

/**
 * The system's error behind a failure, with the RetrievalError as its cause: programs written for Node's fetch look for
 * ECONNREFUSED and its like in `error.cause.code`. Null: the failure has none.
 */
function systemFailure(error: RetrievalError): Error | null {
  let cause = error.cause
  for (let depth = 0; cause instanceof Error && depth < 5; depth++) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && /^E[A-Z\d]+$/.test(code)) {
      const { errno, syscall, address, port, hostname } = cause as NodeJS.ErrnoException & Record<string, unknown>
      const facts = Object.entries({ code, errno, syscall, address, port, hostname })
      const known = Object.fromEntries(facts.filter(([, value]) => value !== undefined))
      // A failure at several addresses has no message.
      return Object.assign(new Error(cause.message || error.message, { cause: error }), known)
    }
    cause = cause.cause
  }
  return null
}
