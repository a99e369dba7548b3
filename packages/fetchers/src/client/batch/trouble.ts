import { type Phase, RetrievalError, redact } from '@retriever/core'
import type { Limits } from '../../contract/limits.ts'
import { growingDelay } from '../../kit/retry.ts'
import { messageWithoutUrl } from '../../kit/text/message-without-url.ts'
import { saysFull } from '../../wire/pool/says-full.ts'
import type { Job, Site } from './job.ts'
import { keepServerState, type ServerState } from './server-state.ts'

/** The phases whose errors say nothing about a server. */
const otherPhases: ReadonlySet<Phase> = new Set(['resolve', 'policy', 'save'])

/**
 * Whether an error shows that a server can take no requests now: it asks to wait, has too many connections, fails,
 * refuses connections, is silent, or breaks bodies off.
 */
export function isTrouble(error: unknown): error is RetrievalError {
  if (!RetrievalError.is(error) || otherPhases.has(error.phase)) return false
  const { code, transient, reply, status, phase } = error
  if (phase === 'body') return transient || code === 'partial'
  if (reply === undefined && status === undefined) return transient || code === 'connect-failed' || code === 'timeout'
  // What else a server replies is often about one URL: 500 by a script, 450 for a file that is in use.
  const isFull = transient && (phase === 'greeting' || phase === 'login' || reply?.startsWith('421') === true)
  return isFull || status === 503 || asksToWait(error)
}

/** Whether the server itself says that it wants no requests now, and so not only this one. */
export function asksToWait({ retryAfter, status, reply = '' }: RetrievalError): boolean {
  // Gemini's "slow down" names no time; replies of three digits are those of other protocols.
  return retryAfter !== undefined || status === 429 || /^44(?!\d)/.test(reply)
}

/** Whether the server has as many clients as it takes, so that one of them need only leave. */
export function isFull({ transient, reply = '' }: RetrievalError): boolean {
  return transient && saysFull(reply)
}

/** So many URLs are tried, even if there are fewer retries, before the rest of a server's URLs fails unasked. */
const leastTries = 3
/**
 * A server that asks for fewer requests, or is full, is not given up before so many milliseconds: many count the
 * requests of a minute.
 */
const askedPatience = 60_000
/** A place at a full server may become free at any time: it is looked for again after so many milliseconds at most. */
const fullDelay = 8000

/** Failures of a server without an answer between them. */
export class Trouble {
  /** When the server may be asked again, by performance.now(). */
  until = 0
  /** How many URLs have failed one after the other; those that failed together count once. */
  urls = 0
  /** True: the server asked us to wait, so that an answer to an earlier request changes nothing. */
  isAsked = false
  isGivenUp = false
  #pauses = 0
  readonly #since: number
  readonly #began: number
  #last: { readonly job: Job; readonly error: RetrievalError } | null = null

  /** `began`: when the server was last well. Few answers between two failures do not make it so. */
  constructor(now: number, began: number) {
    this.#since = now
    this.#began = began
  }

  /** Counts a failure. `isFurther`: the try began after the failure before it. */
  add(job: Job, error: RetrievalError, limits: Limits, now: number, isFurther: boolean): void {
    const { maxRetries, retryDelay, maxRetryDelay, maxRetryTime } = limits
    const { retryAfter = 0 } = error
    this.isAsked ||= asksToWait(error)
    const isOfFullServer = isFull(error)
    // One URL that fails again and again, among others that wait, is no proof.
    if (isFurther && job.url !== this.#last?.job.url) this.urls++
    this.#last = { job, error }
    const growing = isFurther ? growingDelay(this.#pauses++, limits) : 0
    const pause = isOfFullServer ? Math.min(growing, Math.max(fullDelay, retryDelay)) : growing
    this.until = Math.max(this.until, now + Math.min(maxRetryDelay, Math.max(pause, retryAfter)))
    const isLong = !(this.isAsked || isOfFullServer) || !this.isYoung
    if (
      retryAfter > maxRetryDelay ||
      (this.urls > Math.max(leastTries, maxRetries) && isLong) ||
      this.until - this.#began > maxRetryTime
    ) {
      this.isGivenUp = true
    }
    const givesUp = job.lane?.share.caps.givesUp === true
    keepServerState(error, () => this.#stateAt(job.site, givesUp))
  }

  /** Whether a server that asks us to wait, or is full, is worth the wait. */
  get isYoung(): boolean {
    return this.until - this.#since <= askedPatience
  }

  #stateAt({ host, port }: Site, givesUp: boolean): ServerState | null {
    const left = this.until - performance.now()
    const state = this.isGivenUp && givesUp ? 'given-up' : 'paused'
    return left <= 0 ? null : { host, port, state, until: new Date(Date.now() + left), failed: this.urls }
  }

  /** The error of a URL that is not asked for. */
  refusal({ url, site, isBack }: Job, now: number): RetrievalError {
    const { error } = this.#last ?? {}
    const { host, port } = site
    const server = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const urls = this.urls === 1 ? 'The last URL' : `The last ${this.urls} URLs tried`
    const seconds = Math.ceil((now - this.#since) / 1000)
    const all = Math.ceil((now - this.#began) / 1000)
    const before = this.#began < this.#since ? `; it has been in trouble for ${all} s` : ''
    const since = `${seconds === 0 ? 'just now' : `in the last ${seconds} s`}${before}`
    const said = error === undefined ? 'Try later.' : `The error was: ${messageWithoutUrl(error)}`
    const message = `${redact(url)}: Not asked${isBack ? ' again' : ''}. ${urls} of ${server} failed ${since}. ${said}`
    const refused = new RetrievalError(error?.code ?? 'connect-failed', message, {
      phase: error?.phase ?? 'connect',
      url,
      transient: true,
      ...(error?.status !== undefined && { status: error.status }),
      ...(error?.retryAfter !== undefined && { retryAfter: error.retryAfter }),
      advice: error?.advice,
      cause: error,
    })
    keepServerState(refused, () => this.#stateAt(site, true))
    return refused
  }
}
