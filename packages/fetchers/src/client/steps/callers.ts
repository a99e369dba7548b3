import { RetrievalError } from '@retriever/core'
import type { Outcome, Retrieved } from '../../contract/fetcher.ts'
import type { Step as CallersStep, StepResult, StepRetrieved } from '../../contract/steps.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { answered, copiedFrom } from './answer.ts'
import { type Asked, askedOf, changed, contextFor } from './asked.ts'
import type { Hop, Next, Step } from './hop.ts'
import { WatchedSource } from './watched-source.ts'

/** Makes one step of the list from the caller's steps, or none if there are none. */
export function callers(steps: readonly CallersStep[]): readonly Step[] {
  return steps.length === 0 ? [] : [(hop, next) => new Passage(steps, hop, next).run()]
}

/** Carries one attempt to retrieve through the caller's steps. */
class Passage {
  readonly #steps: readonly CallersStep[]
  readonly #hop: Hop
  readonly #next: Next
  readonly #first: Asked
  /** The tries that the last step has begun. Each has a hop of its own, and a body once it has come. */
  readonly #tries = new Map<Hop, WatchedSource | 'pending' | 'over'>()
  /** The results that tries and steps have given so far, and those among them that a step has made by itself. */
  readonly #results = new Set<StepResult>()
  readonly #own = new Set<StepResult>()
  /** The results of tries, by the copies that steps have made of them with another body. */
  readonly #copied = new Map<StepResult, StepRetrieved>()
  #isOver = false

  constructor(steps: readonly CallersStep[], hop: Hop, next: Next) {
    this.#steps = steps
    this.#hop = hop
    this.#next = next
    this.#first = askedOf(hop)
  }

  async run(): Promise<Outcome> {
    try {
      const result = await this.#hop.retrieval.deadline.unlimited(() => this.#call(0, this.#first))
      return result.outcome === 'retrieved' ? this.#passOn(result) : result
    } finally {
      this.#isOver = true
      if (this.#kept === undefined) this.#release()
    }
  }

  /** The body that the caller reads; undefined if there is none. */
  #kept: unknown

  /** Calls one of the steps, or tries to retrieve after the last one. */
  async #call(index: number, asked: Asked): Promise<StepResult> {
    const step = this.#steps[index]
    if (step === undefined) return this.#try(asked)
    const failures = new Set<unknown>()
    let isSettled = false
    const next = async (given: unknown): Promise<StepResult> => {
      if (isSettled || this.#isOver) throw this.#late()
      try {
        return await this.#call(index + 1, changed(asked, given, this.#hop.retrieval.settings.registry.options))
      } catch (error) {
        failures.add(error)
        throw error
      }
    }
    try {
      const given: unknown = await step(asked, (request) => quietly(next(request)))
      return this.#results.has(given as StepResult) ? (given as StepResult) : await this.#read(given, index)
    } catch (error) {
      // What `next` rejects with is no fault of the step.
      if (RetrievalError.is(error) || failures.has(error)) throw error
      throw this.#hop.context.error('aborted', `The step use[${index}] threw (${String(error)}).`, { cause: error })
    } finally {
      isSettled = true
    }
  }

  /** Reads a result of a step's own, or a copy of an earlier one. */
  async #read(given: unknown, index: number): Promise<StepResult> {
    const { plan } = this.#hop.resolution
    const copied = copiedFrom(given, this.#results)
    const read = answered(given, plan.mechanism, `use[${index}]()`, copied)
    const result = copied === undefined ? await this.#withEntries(given, read) : read
    this.#results.add(result)
    if (copied === undefined) this.#own.add(result)
    else this.#copied.set(result, this.#copied.get(copied) ?? copied)
    return result
  }

  /** Lets the fetcher of the URL find the entries of a listing, unless the step has said what its answer is. */
  async #withEntries(given: unknown, result: StepResult): Promise<StepResult> {
    const { retrieval, resolution, context } = this.#hop
    const { kind, entries } = given as Partial<StepRetrieved>
    if (result.outcome !== 'retrieved' || kind === 'object' || entries !== undefined) return result
    const fetcher = await retrieval.settings.registry.get(resolution.plan.mechanism)
    // The type of the fetcher's mechanism is that of the answer.
    return fetcher?.reread === undefined
      ? result
      : ((await fetcher.reread(result as Retrieved, resolution.plan, context)) as StepResult)
  }

  async #try(asked: Asked): Promise<StepResult> {
    const hop = { ...this.#hop, context: contextFor(this.#hop.context, this.#first, asked) }
    this.#tries.set(hop, 'pending')
    try {
      const outcome = await this.#next(hop)
      const result = outcome.outcome === 'retrieved' ? this.#watched(hop, outcome) : outcome
      this.#results.add(result)
      return result
    } finally {
      if (this.#tries.get(hop) === 'pending') this.#tries.set(hop, 'over')
    }
  }

  #watched(hop: Hop, outcome: Retrieved): StepResult {
    const body = new WatchedSource(sourceOf(outcome.body))
    this.#tries.set(hop, body)
    // The steps gave a result without waiting for this one, so its body would stay unread.
    if (this.#isOver) void body.cancel().catch(() => {})
    // A copy is known by its metadata, so each result has an object of its own.
    const metadata = { ...outcome.metadata }
    // The type of the mechanism's fetcher has checked the metadata.
    return { ...outcome, metadata, body, mechanism: hop.routed.mechanism } as StepResult
  }

  /** Gives a body on. It releases all others: at once, or at the end of a body that may read one of them. */
  #passOn(result: Extract<StepResult, { outcome: 'retrieved' }>): Outcome {
    const came = [...this.#tries].filter(([, body]) => body instanceof WatchedSource)
    const same = came.find(([, body]) => body === result.body)
    const copied = this.#copied.get(result)
    const original = came.find(([, body]) => copied?.body === body)
    const source = same ?? original ?? (this.#own.has(result) ? undefined : came.at(-1))
    if (source !== undefined) {
      const [{ context, routed, proxy, fetcher }] = source
      Object.assign(this.#hop, { context, routed, proxy, fetcher })
    }
    this.#kept = result.body
    if (same !== undefined) {
      this.#release(same[0])
      return result
    }
    const body = new WatchedSource(sourceOf(result.body), () => this.#release(), this.#hop.context.deadline)
    return { ...result, body }
  }

  /** Gives up all tries but one. */
  #release(kept?: Hop): void {
    for (const [hop, body] of this.#tries) {
      if (hop === kept || body === 'over') continue
      if (body === 'pending') hop.context.deadline.fail(this.#late())
      else void body.cancel().catch(() => {})
    }
  }

  #late(): RetrievalError {
    const message = 'A step of `use` has given its result, so its next() retrieves nothing more.'
    return this.#hop.context.error('aborted', message)
  }
}

/** Keeps a rejection from ending the process if the step does not wait for the promise. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
