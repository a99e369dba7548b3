import { type AccessPlan, RetrievalError } from '@retriever/core'
import type { Deadline } from '../../contract/deadline.ts'
import type { RequestOptions } from '../../contract/fetcher.ts'
import type { Limits } from '../../contract/limits.ts'
import type { StepRequest } from '../../contract/steps.ts'
import { invalidOption, readLimits } from '../../kit/limits.ts'
import { checkOptions, fieldsOf, record } from '../../kit/options.ts'
import { checkBeginning } from '../options/checks.ts'
import type { KnownOptions } from '../options/known.ts'
import type { HopContext } from './context.ts'
import type { Hop } from './hop.ts'

type Fixed = 'id' | 'url' | 'plan' | 'attempt' | 'isOtherOrigin'
type Facts = Pick<StepRequest, Fixed | 'limits'>

const fixed: readonly Fixed[] = ['id', 'url', 'plan', 'attempt', 'isOtherOrigin']

/** The limits of the whole retrieval. */
const ofWhole: readonly (keyof Limits)[] = [
  'totalTimeout',
  'maxRedirects',
  'maxRetries',
  'retryDelay',
  'maxRetryDelay',
  'maxRetryTime',
]

/** The request that a step of the caller's gets. */
export class Asked implements Facts {
  declare readonly id: number
  declare readonly url: string
  declare readonly plan: AccessPlan
  declare readonly attempt: number
  declare readonly isOtherOrigin: boolean
  declare readonly limits: Limits
  readonly #deadline: Deadline
  readonly #options: RequestOptions

  constructor(facts: Facts, options: RequestOptions, deadline: Deadline) {
    Object.assign(this, options, facts)
    this.#deadline = deadline
    this.#options = options
    Object.freeze(this)
  }

  /** A getter of the class, so that copies do not make a signal, which takes as long as a retrieval from loopback. */
  get signal(): AbortSignal {
    return this.#deadline.signal
  }

  /** The same attempt with other options and limits. */
  with(options: RequestOptions, limits: Limits): Asked {
    const { id, url, plan, attempt, isOtherOrigin } = this
    return new Asked({ id, url, plan, attempt, isOtherOrigin, limits }, options, this.#deadline)
  }

  get options(): RequestOptions {
    return this.#options
  }
}

export function askedOf({ retrieval, resolution, context, attempt }: Hop): Asked {
  const { url, request, isOtherOrigin = false } = context
  // No step can write to what the policy has judged, nor to the caller's options, which hold for other calls, too.
  const [plan, limits] = [frozen(resolution.plan), frozen(context.limits)]
  return new Asked({ id: retrieval.id, url, plan, attempt, isOtherOrigin, limits }, frozen(request), retrieval.deadline)
}

/** A copy of plain data whose parts, too, cannot be written to. What has a class, such as a signal, stays. */
function frozen<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen)) as T
  if (typeof value !== 'object' || value === null) return value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, frozen(part)]))) as T
}

/** Reads the request that a step gives to the next one. Throws `invalid-option`. */
export function changed(before: Asked, given: unknown, known: KnownOptions): Asked {
  if (given === before) return before
  if (!record[1](given)) throw invalidOption('request', 'the request that the step got, or a copy of it', typeof given)
  const { id, url, plan, attempt, isOtherOrigin, signal, limits, ...options } = given as Partial<StepRequest>
  const facts: Partial<Facts> = { id, url, plan, attempt, isOtherOrigin } as Partial<Facts>
  const other = fixed.find((name) => facts[name] !== undefined && facts[name] !== before[name])
  if (other !== undefined) throw unchangeable(`request.${other}`)
  if (signal !== undefined && signal !== before.signal) throw unchangeable('request.signal')
  checkOptions(options, known.request)
  checkBeginning(options)
  const headers = options.headers === undefined ? null : fieldsOf(options.headers)
  return before.with(headers === null ? options : { ...options, headers }, limitsFor(before, limits))
}

function limitsFor({ limits: before }: Asked, given: Partial<Limits> | undefined): Limits {
  if (given === undefined || given === before) return before
  if (!record[1](given)) throw invalidOption('limits', record[0], given)
  const limits = readLimits({ ...before, ...given })
  const whole = ofWhole.find((name) => limits[name] !== before[name])
  if (whole !== undefined) throw unchangeable(`request.limits.${whole}`)
  return limits
}

function unchangeable(name: string): RetrievalError {
  // The value may be a secret.
  const message = `Expected \`${name}\` to stay as it is: no step can change it.`
  return new RetrievalError('invalid-option', message, { phase: 'resolve' })
}

/** Puts what the steps have changed into the context of an attempt. */
export function contextFor(context: HopContext, first: Asked, asked: Asked): HopContext {
  return asked === first ? context : { ...context, request: asked.options, limits: asked.limits }
}
