import { RetrievalError } from '@retriever/core'
import type { Deadline } from '../contract/deadline.ts'
import type { EmittedEvent } from '../contract/events.ts'
import { type EventListener, isPromise, typesOf } from '../kit/listeners.ts'
import { withoutSecrets } from '../kit/redact-events.ts'

/** Gives the events of one retrieval to the client's listener, stamped and without secrets. */
export class EventSink {
  readonly #onEvent: EventListener | undefined
  /** Null: all. */
  readonly #types: ReturnType<typeof typesOf>
  readonly #id: number
  readonly #deadline: Deadline
  #attempt = 1
  #hasFailed = false

  constructor(onEvent: EventListener | undefined, id: number, deadline: Deadline) {
    this.#onEvent = onEvent
    this.#types = onEvent === undefined ? null : typesOf(onEvent)
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
      const stamped = shown.type === 'resolved' ? Object.assign(shown, stamp) : Object.assign({}, shown, stamp)
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
