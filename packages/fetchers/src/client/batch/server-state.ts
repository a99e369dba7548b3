/** A server that takes no requests of a batch now. */
export interface ServerState {
  readonly host: string
  readonly port: number
  /** `paused`: its URLs wait. `given-up`: they fail without being asked for. */
  readonly state: 'paused' | 'given-up'
  /** When it is asked again. */
  readonly until: Date
  /** How many URLs have failed one after the other. */
  readonly failed: number
}

/** By the errors. A value that is no object has no state. */
const states = new WeakMap<object, () => ServerState | null>()

/** Keeps the state of the server that caused an error. */
export function keepServerState(error: object, state: () => ServerState | null): void {
  states.set(error, state)
}

/** The state of the server that caused an error; null if it takes requests, as far as is known. */
export function serverStateOf(error: unknown): ServerState | null {
  return states.get(error as object)?.() ?? null
}

/** Gives an error that says more than the one before the state of the same server. */
export function withStateOf(before: unknown, error: unknown): unknown {
  const state = states.get(before as object)
  if (state !== undefined) states.set(error as object, state)
  return error
}
