import { type FollowedRedirect, type Resolution, RetrievalError, redact } from '@retriever/core'
import type { Body } from '../body/body.ts'
import { Representation } from '../body/representation.ts'
import type { Deadline } from '../contract/deadline.ts'
import type { Handoff, RequestOptions, RetrievalContext } from '../contract/fetcher.ts'
import type { NestedOptions } from '../contract/nested.ts'
import type { Retries } from '../contract/retries.ts'
import type { Session, SessionOptions } from '../contract/session.ts'
import { RetryBudget } from '../kit/retry.ts'
import { StepStopwatch } from '../kit/stopwatch.ts'
import { EventSink } from './event-sink.ts'
import { handoffError } from './handoff/handoff.ts'
import { checkNested, type Nesting, nest, outerIsOver, outermost } from './nested.ts'
import type { Rostered } from './roster.ts'
import type { Settings } from './settings.ts'
import { contextOf } from './steps/context.ts'
import { hopOf } from './steps/hop.ts'
import { openSession } from './steps/session.ts'
import type { Turn } from './steps/turn.ts'
import { isTraced, Trace } from './trace.ts'

/** One retrieval under one deadline, from a resolution over all redirects to the end of its body. */
export class Retrieval implements Rostered {
  slot = -1
  readonly settings: Settings
  /** The options for the URL that is retrieved now: a redirect to another origin drops some of them for good. */
  request: RequestOptions
  nesting: Nesting
  readonly deadline: Deadline
  /** The redirects that were followed. */
  readonly redirects: FollowedRedirect[] = []
  readonly retries: Retries
  readonly id: number
  readonly events: EventSink
  readonly stopwatch: StepStopwatch = new StepStopwatch()
  /** The body of the representation that run() has given; null: there is none, or not yet. */
  body: Body | null = null
  /** The place of a retrieval that a batch has begun. */
  readonly turn: Turn | undefined
  /** True: a redirect set cookies. */
  cookiesCame = false
  readonly #finished: () => void
  /** The retrievals that its fetchers have begun, and that are not over. */
  #nested: Set<Retrieval> | undefined
  #isOver = false
  #trace: Trace | undefined

  constructor(
    settings: Settings,
    request: RequestOptions,
    deadline: Deadline,
    finished: () => void,
    nesting: Nesting = outermost(settings.tls),
    turn?: Turn,
  ) {
    this.turn = turn
    this.settings = settings
    this.retries = new RetryBudget(settings.retryOn, turn)
    this.request = request
    this.nesting = nesting
    this.#finished = finished
    this.deadline = deadline
    this.id = settings.nextId()
    this.events = new EventSink(settings.onEvent, this.id, this.deadline)
  }

  /** Ends the retrieval in any state. */
  abort(error: RetrievalError): void {
    this.deadline.fail(error)
  }

  run(first: Resolution): Promise<Representation | Handoff> {
    if (!isTraced()) return this.#run(first)
    this.#trace = new Trace({ id: this.id, url: redact(first.url), mechanism: first.plan.mechanism })
    return this.#trace.run(() => this.#run(first))
  }

  async #run(first: Resolution): Promise<Representation | Handoff> {
    const hop = hopOf(this, first)
    try {
      return await this.settings.steps(hop)
    } catch (error) {
      throw this.#failed(error, hop.resolution)
    }
  }

  /** Opens the service that a URL names. The retrieval is over when the session is. */
  async connect(resolution: Resolution, options: SessionOptions): Promise<Session> {
    try {
      return await openSession(hopOf(this, resolution), options)
    } catch (error) {
      throw this.#failed(error, resolution)
    }
  }

  /** Carries out RetrievalContext.retrieve for the fetcher of `from`, at most until `outer` ends. */
  async within(
    from: Resolution,
    url: string,
    options: NestedOptions = {},
    outer: Deadline = this.deadline,
  ): Promise<Representation> {
    checkNested(options, this.settings.registry.options)
    outer.throwIfAborted()
    if (this.#isOver) throw outerIsOver()
    const { pointedTo: _, ...request } = options
    const { to, nesting } = nest(from, url, options, this.nesting, this.settings)
    const all = this.#nested ?? new Set()
    this.#nested = all
    const over = (): boolean => all.delete(nested)
    const nested = new Retrieval(this.settings, request, outer.attempt(to.url), over, nesting)
    all.add(nested)
    const opened = await nested.run(to)
    if (opened instanceof Representation) return opened
    throw handoffError(to.url, opened)
  }

  /** Ends the retrieval without a result. */
  #failed(error: unknown, resolution: Resolution): RetrievalError {
    const context = contextOf(this, resolution)
    const failure = RetrievalError.is(error) ? error : unexpected(context, error)
    this.done(failure, 0, context)
    return failure
  }

  /** Ends the retrieval once its body has been read, has failed or was given up, or if there is none. */
  done(error: RetrievalError | null, received: number, context: RetrievalContext): void {
    this.deadline.end()
    this.#isOver = true
    // What its fetchers have begun ends with it.
    for (const nested of this.#nested ?? []) nested.abort(outerIsOver())
    this.stopwatch.ended()
    // The same error may end several retrievals, such as that of the caller's signal.
    if (error !== null && error.redirects.length === 0) {
      error.redirects = this.redirects.map((hop) => ({ ...hop, url: redact(hop.url) }))
    }
    if (this.#trace !== undefined || this.events.hears('done')) {
      const { timings } = this.stopwatch
      context.emit({ type: 'done', url: context.url, received, error, timings })
      this.#trace?.done(error, received, timings)
    }
    this.#finished()
  }
}

/** The error for any other error of a fetcher, which is a defect: fetchers must throw RetrievalErrors. */
function unexpected(context: RetrievalContext, cause: unknown): RetrievalError {
  return context.error('receive-failed', `Unexpected error (${String(cause)}); please report it.`, { cause })
}
