import type { EmittedEvent, RetrievalEvent } from '../contract/events.ts'

/** A caller's function for events. It may give a promise, which is not awaited, but may reject. */
export type EventListener = (event: RetrievalEvent) => void

/** The types of the events that a listener wants. Null: all. */
type EventTypes = ReadonlySet<EmittedEvent['type']> | null

/** The types that a listener of our own packages wants. Another one gets all. */
const wanted = Symbol('wanted')

/** Makes a listener get only events of these types, so that no others need be made. */
export function listeningTo(types: EventTypes, listener: EventListener): EventListener {
  return Object.assign(listener, { [wanted]: types })
}

export function typesOf(listener: EventListener): EventTypes {
  return (listener as { readonly [wanted]?: EventTypes })[wanted] ?? null
}

/** Makes one listener of two. It gets what either of them wants, and both get that. */
export function both(first: EventListener | undefined, second: EventListener | undefined): EventListener | undefined {
  if (first === undefined || second === undefined) return second ?? first
  const [types, others] = [typesOf(first), typesOf(second)]
  return listeningTo(types && others && new Set([...types, ...others]), (event) => {
    const returned: unknown[] = [first(event), second(event)]
    // A rejection shows in the promise.
    return returned.some(isPromise) ? Promise.all(returned) : undefined
  })
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
