import { setMaxListeners } from 'node:events'
import { type Advice, adviceText, type ErrorCode, type Phase, RetrievalError, redact } from '@retriever/core'
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
 * The signals that may have any number of listeners. Node warns of a leak from the eleventh one on, but one signal for
 * a whole batch is no leak.
 */
const unlimited = new WeakSet<AbortSignal>()

/**
 * The time budget of a retrieval, and the one way to cancel it. The caller's AbortSignal, an exceeded limit and a close
 * all come through `signal`, whose reason is a RetrievalError. Timers run only during an operation, so a slow consumer
 * causes no timeout; only the total timer runs on.
 */
export class Deadline {
  /** Made when its signal is first asked for: making one takes as long as a whole retrieval from loopback. */
  #controller: AbortController | undefined
  #reason: RetrievalError | undefined
  #listeners: Set<() => void> | undefined
  readonly #limits: Limits
  readonly #url: string
  #forgetOuter: () => void = () => {}
  #total: NodeJS.Timeout | undefined
  #phase: Phase = 'resolve'
  readonly #whole: Deadline | undefined
  #bodyWait = 0
  #unlink: () => void = () => {}
  #timeUp: (() => boolean) | undefined

  /** `whole`: the deadline of which this one is an attempt; only `whole` counts the total time. */
  constructor(url: string, limits: Limits, outer?: AbortSignal, whole?: Deadline) {
    this.#url = url
    this.#limits = limits
    this.#whole = whole
    if (whole === undefined && Number.isFinite(limits.totalTimeout)) {
      this.#total = setTimeout(() => {
        if (this.#timeUp?.() !== true) this.fail(this.#timeout(limits.totalTimeout, 'totalTimeout'))
      }, clampTimer(limits.totalTimeout))
    }
    if (outer !== undefined) this.#heed(outer)
  }

  /** The phase of the operation under way, or of the last one. */
  get phase(): Phase {
    return this.#phase
  }

  set phase(phase: Phase) {
    this.#phase = phase
    if (this.#whole !== undefined) this.#whole.phase = phase
  }

  /**
   * Makes a deadline for one try within this one: the limit of a phase ends only the try, which may be followed by
   * another. The end of this deadline ends the try, too. `end()` on the try detaches it from this deadline. `url`: what
   * the try retrieves, if that differs.
   */
  attempt(url: string = this.#url): Deadline {
    const attempt = new Deadline(url, this.#limits, undefined, this)
    attempt.#phase = this.#phase
    attempt.#unlink = this.onAbort(() => attempt.fail(this.#reason as RetrievalError))
    return attempt
  }

  /**
   * Milliseconds spent so far waiting for octets of a body, including the waits of its attempts. Counted only if
   * limits.minSpeed is set.
   */
  get bodyWait(): number {
    return this.#bodyWait
  }

  #addBodyWait(milliseconds: number): void {
    this.#bodyWait += milliseconds
    if (this.#whole !== undefined) this.#whole.#addBodyWait(milliseconds)
  }

  /** Aborts when the retrieval must end; its reason is the RetrievalError to throw. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  /**
   * Throws the RetrievalError that ends the retrieval, if there is one. Like signal.throwIfAborted(), but makes no
   * signal.
   */
  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason
  }

  /**
   * Calls the listener once the retrieval must end, at once if that is already so. Returns a function that removes the
   * listener.
   */
  onAbort(listener: () => void): () => void {
    if (this.#reason !== undefined) {
      listener()
      return () => {}
    }
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => this.#listeners?.delete(listener)
  }

  /**
   * Lets the total time end a body well that has no end of its own: the listener is called when the time is over. If it
   * gives true, what has come is whole, and the listener has ended the operation under way; otherwise the time limit is
   * an error, as it is without a listener. The function returned removes the listener.
   */
  onTimeUp(listener: () => boolean): () => void {
    const whole = this.#whole ?? this
    whole.#timeUp = listener
    return () => {
      if (whole.#timeUp === listener) whole.#timeUp = undefined
    }
  }

  /** The RetrievalError that ends the retrieval; null: it goes on. */
  get reason(): RetrievalError | null {
    return this.#reason ?? null
  }

  /**
   * Runs one operation of a phase under that phase's limit. Rejects with the signal's reason as soon as the signal
   * aborts, even if the operation does not listen to it.
   */
  within<T>(phase: Phase, operation: () => Promise<T>): Promise<T> {
    this.phase = phase
    if (this.#reason !== undefined) return Promise.reject(this.#reason)
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
      // The timer is stopped here, too: the operation may never settle, and a timer keeps the process alive.
      const forget = this.onAbort(() => {
        clearTimeout(timer)
        reject(this.#reason)
      })
      // An async function turns a synchronous throw into a rejection, which stops the timer too.
      started(operation).then(
        (value) => {
          settle()
          resolve(value)
        },
        (error: unknown) => {
          settle()
          reject(this.#reason ?? error)
        },
      )
    })
  }

  /**
   * Waits without the limit of a phase, for example while a person types a password. The end of the retrieval ends the
   * wait.
   */
  unlimited<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#reason !== undefined) return Promise.reject(this.#reason)
    return new Promise<T>((resolve, reject) => {
      const forget = this.onAbort(() => reject(this.#reason))
      operation().finally(forget).then(resolve, reject)
    })
  }

  /** Ends the retrieval with this error: sockets close, and every operation under way rejects with it. */
  fail(error: RetrievalError): void {
    if (this.#reason !== undefined) return
    this.#reason = error
    this.end()
    const listeners = [...(this.#listeners ?? [])]
    this.#listeners = undefined
    for (const listener of listeners) listener()
    this.#controller?.abort(error)
  }

  /** Stops the total timer and stops listening to the caller's signal, because the retrieval is over. */
  end(): void {
    this.#unlink()
    clearTimeout(this.#total)
    this.#forgetOuter()
  }

  #heed(signal: AbortSignal): void {
    const abort = (): void => this.fail(aborted(signal.reason, this.phase, redact(this.#url)))
    this.#forgetOuter = () => signal.removeEventListener('abort', abort)
    if (!unlimited.has(signal)) setMaxListeners(0, signal)
    unlimited.add(signal)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }

  #timeout(milliseconds: number, limit: TimeLimit): RetrievalError {
    const what = limit === 'totalTimeout' ? 'The retrieval did not end' : 'No octets came'
    const advice: Advice = { option: `limits.${limit}` }
    // The message names idleTimeout in words, because many programs have no option for it.
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

/** A server that speaks first or waits for a request in plain text never answers the first message of TLS. */
const noTls = 'Perhaps the server speaks no TLS on this port: use the scheme without TLS, or check the port.'

/**
 * A timeout while connecting is not transient, because the system has tried again by itself: it sends SYN again after
 * 1, 3, 7 and 15 s (RFC 6298) and DNS queries after 5 s. A server that is silent for that long in a TLS handshake
 * speaks no TLS.
 */
function isConnecting(phase: Phase): boolean {
  return phase === 'lookup' || phase === 'connect' || phase === 'tls'
}

/** The names of the time limits in Limits. */
type TimeLimit = 'connectTimeout' | 'idleTimeout' | 'totalTimeout' | 'minSpeedTime'

/** setTimeout overflows beyond 2^31-1 and would fire at once. */
export function clampTimer(milliseconds: number): number {
  return Math.min(milliseconds, 2_147_483_647)
}

function aborted(reason: unknown, phase: Phase, url: string): RetrievalError {
  if (RetrievalError.is(reason)) return reason
  return new RetrievalError('aborted', `${url}: The retrieval was aborted.`, { phase, url, cause: reason })
}

/** Waits. Rejects if the retrieval must end meanwhile. */
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

/** The part of a RetrievalContext that knows the deadline. */
interface Timed {
  readonly deadline: Deadline
  error(code: ErrorCode, message: string, extras?: { readonly phase?: Phase }): RetrievalError
}

/** The same context with another deadline: that of one try, or of several connections together. */
export function withDeadline<Context extends Timed>(context: Context, deadline: Deadline): Context {
  return {
    ...context,
    deadline,
    error: (code, message, extras) => context.error(code, message, { phase: deadline.phase, ...extras }),
  }
}
