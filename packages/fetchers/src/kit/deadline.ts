import { type Advice, type ErrorCode, type Phase, RetrievalError, redact } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { Deadline } from '../contract/deadline.ts'
import type { Limits } from '../contract/limits.ts'

const waitingFor: Readonly<Record<Phase, string>> = {
  resolve: 'while reading the URL',
  policy: 'while checking the URL',
  lookup: 'while looking up the host name',
  connect: 'while connecting',
  tls: 'in the TLS handshake',
  greeting: "while waiting for the server's greeting",
  login: 'while logging in',
  request: 'while waiting for the answer to a request',
  body: 'while receiving the body',
  save: 'while writing locally',
}

/**
 * The functions that each signal of callers calls. A signal for a whole batch has one listener for all its retrievals:
 * Node searches all listeners for one that is removed, and warns of a leak at the eleventh.
 */
const heeding = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls `abort` when the signal aborts. The function returned ends that. */
function heed(signal: AbortSignal, abort: () => void): () => void {
  const known = heeding.get(signal)
  const aborts = known ?? new Set()
  aborts.add(abort)
  if (known === undefined) {
    heeding.set(signal, aborts)
    signal.addEventListener('abort', abortAll, { once: true })
  }
  return () => {
    if (!aborts.delete(abort) || aborts.size > 0 || heeding.get(signal) !== aborts) return
    heeding.delete(signal)
    signal.removeEventListener('abort', abortAll)
  }
}

function abortAll(this: AbortSignal): void {
  const aborts = heeding.get(this) ?? []
  heeding.delete(this)
  for (const abort of [...aborts]) abort()
}

/** The functions that know earlier than their signals whether these are over. */
const looks = new WeakMap<AbortSignal, () => void>()

/**
 * Makes retrievals with this signal call `look`, which may abort it, before each write and after each wait. It compares
 * clocks: a process that was stopped handles what has arrived meanwhile before its timers.
 */
export function lookingFirst(signal: AbortSignal, look: () => void): AbortSignal {
  looks.set(signal, look)
  return signal
}

export class RetrievalDeadline implements Deadline {
  /** Made when its signal is first asked for, since making one takes as long as a whole retrieval from loopback. */
  #controller: AbortController | undefined
  #reason: RetrievalError | undefined
  #listeners: Set<() => void> | undefined
  readonly #limits: Limits
  readonly #url: string
  #forgetOuter: () => void = () => {}
  #total: NodeJS.Timeout | undefined
  #phase: Phase = 'resolve'
  readonly #whole: RetrievalDeadline | undefined
  /** The deadline of the retrieval that the caller has begun. */
  readonly #first: RetrievalDeadline
  #look: (() => void) | undefined
  #bodyWait = 0
  #unlink: () => void = () => {}
  #timeUp: (() => boolean) | undefined

  /** `whole` is the deadline whose attempt this is. Only `whole` counts the total time. */
  constructor(url: string, limits: Limits, outer?: AbortSignal, whole?: RetrievalDeadline) {
    this.#url = url
    this.#limits = limits
    this.#whole = whole
    this.#first = whole === undefined ? this : whole.#first
    if (whole === undefined && Number.isFinite(limits.totalTimeout)) {
      this.#total = setTimeout(() => {
        if (this.#timeUp?.() !== true) this.fail(this.#timeout(limits.totalTimeout, 'totalTimeout'))
      }, clampTimer(limits.totalTimeout))
    }
    if (outer !== undefined) this.heed(outer)
  }

  get phase(): Phase {
    return this.#phase
  }

  set phase(phase: Phase) {
    this.#phase = phase
    if (this.#whole !== undefined) this.#whole.phase = phase
  }

  attempt(url: string = this.#url, limits: Limits = this.#limits): RetrievalDeadline {
    const attempt = new RetrievalDeadline(url, limits, undefined, this)
    attempt.#phase = this.#phase
    attempt.#unlink = this.onAbort(() => attempt.fail(this.#reason as RetrievalError))
    return attempt
  }

  get bodyWait(): number {
    return this.#bodyWait
  }

  #addBodyWait(milliseconds: number): void {
    this.#bodyWait += milliseconds
    if (this.#whole !== undefined) this.#whole.#addBodyWait(milliseconds)
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason
  }

  look(): void {
    if (this.#reason === undefined && this.#isOver()) this.throwIfAborted()
  }

  /** Looks whether the caller's signal is over. */
  #isOver(): boolean {
    if (this.#reason === undefined) this.#first.#look?.()
    return this.#reason !== undefined
  }

  onAbort(listener: () => void): () => void {
    if (this.#reason !== undefined) {
      listener()
      return () => {}
    }
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => this.#listeners?.delete(listener)
  }

  onTimeUp(listener: () => boolean): () => void {
    const first = this.#first
    first.#timeUp = listener
    return () => {
      if (first.#timeUp === listener) first.#timeUp = undefined
    }
  }

  get reason(): RetrievalError | null {
    return this.#reason ?? null
  }

  within<T>(phase: Phase, operation: () => Promise<T>): Promise<T> {
    this.phase = phase
    if (this.#isOver()) return Promise.reject(this.#reason)
    const { minSpeed, minSpeedTime, idleTimeout } = this.#limits
    const isTimed = phase === 'body' && minSpeed > 0
    const limit = isConnecting(phase)
      ? 'connectTimeout'
      : minSpeed > 0 && minSpeedTime < idleTimeout
        ? 'minSpeedTime'
        : 'idleTimeout'
    const milliseconds = this.#limits[limit]
    const since = isTimed ? performance.now() : null
    return new Promise<T>((resolve, reject) => {
      const timer = Number.isFinite(milliseconds)
        ? setTimeout(() => this.fail(this.#timeout(milliseconds, limit)), clampTimer(milliseconds))
        : undefined
      const settle = (): void => {
        clearTimeout(timer)
        forget()
        if (since !== null) this.#addBodyWait(performance.now() - since)
      }
      // The operation may never settle, and its timer would keep the process alive, so the timer is stopped here, too.
      const forget = this.onAbort(() => {
        clearTimeout(timer)
        reject(this.#reason)
      })
      // An async function turns a synchronous throw into a rejection, so that the timer stops after it, too.
      started(operation).then(
        (value) => {
          settle()
          if (this.#isOver()) reject(this.#reason)
          else resolve(value)
        },
        (error: unknown) => {
          settle()
          reject(this.#reason ?? error)
        },
      )
    })
  }

  unlimited<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#reason !== undefined) return Promise.reject(this.#reason)
    return new Promise<T>((resolve, reject) => {
      const forget = this.onAbort(() => reject(this.#reason))
      operation().finally(forget).then(resolve, reject)
    })
  }

  fail(error: RetrievalError): void {
    if (this.#reason !== undefined) return
    this.#reason = error
    this.end()
    const listeners = [...(this.#listeners ?? [])]
    this.#listeners = undefined
    for (const listener of listeners) listener()
    this.#controller?.abort(error)
  }

  end(): void {
    this.#unlink()
    this.#look = undefined
    clearTimeout(this.#total)
    this.#forgetOuter()
  }

  /**
   * Ends the retrieval when a signal of the caller aborts. On Node 20, AbortSignal.any() with the signal of a batch
   * would keep something of each of its URLs.
   */
  heed(signal: AbortSignal): void {
    const abort = (): void => this.fail(aborted(signal.reason, this.phase, redact(this.#url)))
    if (signal.aborted) abort()
    if (this.#reason !== undefined) return
    this.#look ??= looks.get(signal)
    const [forget, forgetOthers] = [heed(signal, abort), this.#forgetOuter]
    this.#forgetOuter = () => {
      forget()
      forgetOthers()
    }
  }

  #timeout(milliseconds: number, limit: TimeLimit): RetrievalError {
    const what = limit === 'totalTimeout' ? 'The retrieval did not end' : 'No octets came'
    const advice: Advice = { option: `limits.${limit}` }
    // The message says idleTimeout in words, because many programs have no option for it.
    const isIdle = limit === 'idleTimeout'
    const time = `${milliseconds / 1000} s${isIdle ? ` (${adviceText(advice)})` : ''}`
    const later = isIdle ? 'Try later.' : `Try later, or raise ${adviceText(advice)}.`
    const isSilent = this.phase === 'tls' && limit === 'connectTimeout'
    const remedy = isSilent ? `${noTls} ${later}` : later
    const message = `${redact(this.#url)}: ${what} within ${time} ${waitingFor[this.phase]}. ${remedy}`
    const transient = limit !== 'totalTimeout' && !isConnecting(this.phase)
    return new RetrievalError('timeout', message, { phase: this.phase, url: this.#url, transient, advice })
  }
}

/** A server that speaks first, or waits for a request in plain text, never answers the first message of TLS. */
const noTls = 'Perhaps the server speaks no TLS on this port: use the scheme without TLS, or check the port.'

/**
 * A timeout while connecting is not transient, because the system has already tried again: it resends SYN after 1, 3, 7
 * and 15 s (RFC 6298), and DNS queries after 5 s. A server that stays silent for that long in a TLS handshake speaks no
 * TLS.
 */
function isConnecting(phase: Phase): boolean {
  return phase === 'lookup' || phase === 'connect' || phase === 'tls'
}

/** The names of the time limits in Limits. */
type TimeLimit = 'connectTimeout' | 'idleTimeout' | 'totalTimeout' | 'minSpeedTime'

/** Keeps a time below 2^31 ms: setTimeout overflows above that and would fire at once. */
export function clampTimer(milliseconds: number): number {
  return Math.min(milliseconds, 2_147_483_647)
}

function aborted(reason: unknown, phase: Phase, url: string): RetrievalError {
  if (RetrievalError.is(reason)) return reason
  return new RetrievalError('aborted', `${url}: The retrieval was aborted.`, { phase, url, cause: reason })
}

/** Waits. Rejects if the retrieval must end during the wait. */
export async function pause(milliseconds: number, deadline: Deadline): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await deadline.unlimited(
      () =>
        new Promise((resolve) => {
          timer = setTimeout(resolve, clampTimer(milliseconds))
        }),
    )
  } finally {
    clearTimeout(timer)
  }
}

async function started<T>(operation: () => Promise<T>): Promise<T> {
  return operation()
}

/** A context that has a deadline. */
interface Timed {
  readonly deadline: Deadline
  error(code: ErrorCode, message: string, extras?: { readonly phase?: Phase }): RetrievalError
}

/** Returns the same context with another deadline, such as that of one try or of several connections together. */
export function withDeadline<Context extends Timed>(context: Context, deadline: Deadline): Context {
  return {
    ...context,
    deadline,
    error: (code, message, extras) => context.error(code, message, { phase: deadline.phase, ...extras }),
  }
}
