import { RetrievalError } from '@retriever/core'
import type { Deadline } from '../contract/deadline.ts'
import type { EmittedEvent, RetrievalEvent } from '../contract/events.ts'
import { withoutSecrets } from '../kit/redact-events.ts'

/** A caller's function for events. It may give a promise, which is not awaited, but may reject. */
export type EventListener = (event: RetrievalEvent) => void

/** The types of the events that a listener of our own packages wants. Another one gets all. */
const wanted = Symbol('wanted')
type EventTypes = ReadonlySet<EmittedEvent['type']>

/** Makes a listener get only events of these types, so that no others need be made. */
export function listeningTo(types: EventTypes, listener: EventListener): EventListener {
  return Object.assign(listener, { [wanted]: types })
}

/** Gives the events of one retrieval to the client's listener, stamped and without secrets. */
export class EventSink {
  readonly #onEvent: EventListener | undefined
  /** Null: all. */
  readonly #types: EventTypes | null
  readonly #id: number
  readonly #deadline: Deadline
  #attempt = 1
  #hasFailed = false

  constructor(onEvent: EventListener | undefined, id: number, deadline: Deadline) {
    this.#onEvent = onEvent
    this.#types = (onEvent as { readonly [wanted]?: EventTypes } | undefined)?.[wanted] ?? null
    this.#id = id
    this.#deadline = deadline
  }

  /** False: nobody gets all events, so those that are costly need not be made; see hears(). */
  get isHeard(): boolean {
    return this.#onEvent !== undefined && this.#types === null
  }

  /** Whether somebody gets the events of this type. */
  hears(type: EmittedEvent['type']): boolean {
    return this.#onEvent !== undefined && this.#types?.has(type) !== false
  }

  /**
   * Gives an event to the listener. A listener that throws, or whose promise rejects, ends its retrieval, but not the
   * process: some events come from a socket's callback. It gets no further events.
   */
  emit(event: EmittedEvent, shownUrl: () => string): void {
    if (this.#onEvent === undefined || this.#hasFailed || this.#types?.has(event.type) === false) return
    const url = shownUrl()
    const stamp = { id: this.#id, time: performance.now(), attempt: this.#attempt }
    if (event.type === 'retried') this.#attempt++
    const fail = (cause: unknown): void => this.#fail(cause, event.type, url)
    try {
      const shown = withoutSecrets(event, url)
      // A copy would read the plan of `resolved`, which is masked only if the listener reads it.
      const stamped = shown.type === 'resolved' ? Object.assign(shown, stamp) : { ...shown, ...stamp }
      const returned: unknown = this.#onEvent(stamped)
      if (isPromise(returned)) returned.then(undefined, fail)
    } catch (cause) {
      fail(cause)
    }
  }

  #fail(cause: unknown, type: string, url: string): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const message = `${url}: The onEvent listener threw (${String(cause)}) at the event "${type}".`
    this.#deadline.fail(new RetrievalError('aborted', message, { phase: this.#deadline.phase, url, cause }))
  }
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
