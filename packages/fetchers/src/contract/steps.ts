import type { AccessPlan } from '@retriever/core'
import type { ByteSource } from './byte-source.ts'
import type { Handoff, Redirect, RequestOptions, Retrieved } from './fetcher.ts'
import type { Limits } from './limits.ts'
import type { TaggedMetadata } from './metadata.ts'

/**
 * A step of the caller's around every attempt of every protocol (ClientOptions.use). It calls `next`, and gives what
 * that gives, or something else. The client calls it for each URL on the way, also for redirects and for URLs that
 * fetchers retrieve, and for each further try after an error that may pass. The policy has allowed the URL before.
 *
 * A step may throw a RetrievalError: the client tries again after a `transient` one, as if the server had caused it.
 * Any other error ends the retrieval with `aborted`. A step may take its time: only `limits.totalTimeout` and the
 * caller's signal end it.
 */
export type Step = (request: StepRequest, next: NextStep) => StepAnswer | Promise<StepAnswer>

/**
 * Calls the steps behind this one, and at last the fetcher: `next(request)`, or `next({ ...request, headers })`. A step
 * may call it several times until it has given its result. Rejects with a RetrievalError, which is `invalid-option` for
 * a change that no step can make.
 */
export type NextStep = (request: StepRequest) => Promise<StepResult>

/**
 * One attempt to retrieve one URL. A step may give `next` a copy with other options of the retrieval, such as
 * `headers`, `range` and `accept`, and other `limits`; they hold for this attempt. It cannot change the rest. Neither
 * the request nor its parts can be written to. It holds secrets, such as logins in `plan`, `login` and `headers`: do
 * not log it as a whole.
 */
export interface StepRequest extends RequestOptions {
  /** The number of the retrieval, as events have it. */
  readonly id: number
  /** The URL without its password. */
  readonly url: string
  /** What the URL means: the lines that would be sent, and the login in the URL. It cannot be written to. */
  readonly plan: AccessPlan
  /** The number of the try of this URL, from 1. */
  readonly attempt: number
  /**
   * True if a redirect, a link or a gateway has led to another origin than the caller named. A step must not send the
   * caller's secrets there.
   */
  readonly isOtherOrigin: boolean
  /** A step cannot change those of redirects, tries and the total time, which belong to the whole retrieval. */
  readonly limits: Limits
  /** Aborts when the retrieval must end; its reason is a RetrievalError. */
  readonly signal: AbortSignal
}

/** What `next` gives. The client follows a redirect after the steps. */
export type StepResult = StepRetrieved | Handoff | Redirect

/**
 * A data object or listing whose body can be read now. A step gives it on, perhaps in a copy with another body that
 * reads this one. It cancels the body of a result that it does not give on: `await result.body.cancel()`.
 */
export type StepRetrieved = Omit<Retrieved, 'body' | 'metadata'> & { readonly body: ByteSource } & TaggedMetadata

/** The result of a step: what `next` gave, a copy of it, or an answer of its own. */
export type StepAnswer = StepResult | OwnAnswer

/** An answer that a step makes by itself, such as a mock. */
export interface OwnAnswer extends Partial<Omit<Retrieved, 'body' | 'metadata'>> {
  readonly body: string | Uint8Array | ByteSource | AsyncIterable<Uint8Array>
  /** The metadata of the URL's mechanism. Default: {}, and for HTTP the status 200 without fields. */
  readonly metadata?: object
}
