import { DO, DONT, type Verb, WILL, WONT } from './codes.ts'

/** Whose behaviour an option changes: `server` by WILL, `client` by DO. */
export type Side = 'client' | 'server'

/** The rules and actions of a negotiation. */
export interface NegotiationRules {
  /** Whether to agree when the server wants the option. */
  accepts(side: Side, option: number): boolean
  send(verb: Verb, option: number): void
  /** The option came into force, or ceased to be. */
  changed(side: Side, option: number, isOn: boolean): void
}

/** RFC 1143: `want-yes` waits for an answer. This client never asks for the end of an option, so no state is WANTNO. */
type OptionState = 'no' | 'yes' | 'want-yes'

const verbs = { client: { yes: WILL, no: WONT }, server: { yes: DO, no: DONT } } as const

/**
 * The states of all options after RFC 1143's Q method: a request is answered only if it changes a state, so that two
 * sides never answer each other without end, even when their requests cross.
 */
export class Negotiation {
  readonly #rules: NegotiationRules
  readonly #states = { client: new Map<number, OptionState>(), server: new Map<number, OptionState>() }

  constructor(rules: NegotiationRules) {
    this.#rules = rules
  }

  isOn(side: Side, option: number): boolean {
    return this.#of(side, option) === 'yes'
  }

  /** The options in force. */
  on(side: Side): number[] {
    return [...this.#states[side]].filter(([, state]) => state === 'yes').map(([option]) => option)
  }

  /** Takes a WILL, WONT, DO or DONT of the server. */
  receive(verb: Verb, option: number): void {
    const side = verb === WILL || verb === WONT ? 'server' : 'client'
    if (verb === WILL || verb === DO) this.#yes(side, option)
    else this.#no(side, option)
  }

  /** Asks for an option that was never spoken of. */
  ask(side: Side, option: number): void {
    if (this.#of(side, option) !== 'no') return
    this.#set(side, option, 'want-yes')
    this.#send(side, option, true)
  }

  /** The server says that the option should be in force, or is. */
  #yes(side: Side, option: number): void {
    const state = this.#of(side, option)
    if (state === 'no') {
      const accepted = this.#rules.accepts(side, option)
      // The answer goes out before whatever the option lets follow.
      this.#send(side, option, accepted)
      if (accepted) this.#set(side, option, 'yes')
    } else if (state === 'want-yes') this.#set(side, option, 'yes')
  }

  /** The server says that the option must not be in force, or is not. */
  #no(side: Side, option: number): void {
    const state = this.#of(side, option)
    if (state === 'no') return
    this.#set(side, option, 'no')
    if (state === 'yes') this.#send(side, option, false)
  }

  #of(side: Side, option: number): OptionState {
    return this.#states[side].get(option) ?? 'no'
  }

  #set(side: Side, option: number, state: OptionState): void {
    const wasOn = this.isOn(side, option)
    this.#states[side].set(option, state)
    if (wasOn !== (state === 'yes')) this.#rules.changed(side, option, state === 'yes')
  }

  #send(side: Side, option: number, isYes: boolean): void {
    this.#rules.send(isYes ? verbs[side].yes : verbs[side].no, option)
  }
}
