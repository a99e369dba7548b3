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

/** RFC 1143: `want-no` and `want-yes` wait for an answer; `opposite` asks for the other one after it. */
interface OptionState {
  state: 'no' | 'yes' | 'want-no' | 'want-yes'
  opposite: boolean
}

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
    return this.#states[side].get(option)?.state === 'yes'
  }

  /** The options in force. */
  on(side: Side): number[] {
    return [...this.#states[side]].filter(([, { state }]) => state === 'yes').map(([option]) => option)
  }

  /** Takes a WILL, WONT, DO or DONT of the server. */
  receive(verb: Verb, option: number): void {
    const side = verb === WILL || verb === WONT ? 'server' : 'client'
    if (verb === WILL || verb === DO) this.#yes(side, option)
    else this.#no(side, option)
  }

  /** Asks for an option, or for its end. */
  ask(side: Side, option: number, wanted: boolean): void {
    const current = this.#of(side, option)
    const asked = wanted ? 'want-yes' : 'want-no'
    if (current.state === 'want-yes' || current.state === 'want-no') {
      current.opposite = current.state !== asked
      return
    }
    if (current.state === (wanted ? 'yes' : 'no')) return
    this.#set(side, option, asked)
    this.#send(side, option, wanted)
  }

  /** The server says that the option should be in force, or is. */
  #yes(side: Side, option: number): void {
    const { state, opposite } = this.#of(side, option)
    if (state === 'no') {
      const accepted = this.#rules.accepts(side, option)
      // The answer goes out before whatever the option lets follow.
      this.#send(side, option, accepted)
      if (accepted) this.#set(side, option, 'yes')
    } else if (state === 'want-no') {
      // The server answers a refusal by a request, which RFC 1143 calls an error.
      this.#set(side, option, opposite ? 'yes' : 'no')
    } else if (state === 'want-yes' && opposite) {
      this.#set(side, option, 'want-no')
      this.#send(side, option, false)
    } else if (state === 'want-yes') this.#set(side, option, 'yes')
  }

  /** The server says that the option must not be in force, or is not. */
  #no(side: Side, option: number): void {
    const { state, opposite } = this.#of(side, option)
    if (state === 'yes') {
      this.#set(side, option, 'no')
      this.#send(side, option, false)
    } else if (state === 'want-no' && opposite) {
      this.#set(side, option, 'want-yes')
      this.#send(side, option, true)
    } else if (state !== 'no') this.#set(side, option, 'no')
  }

  #of(side: Side, option: number): OptionState {
    return this.#states[side].get(option) ?? this.#add(side, option)
  }

  #add(side: Side, option: number): OptionState {
    const added: OptionState = { state: 'no', opposite: false }
    this.#states[side].set(option, added)
    return added
  }

  #set(side: Side, option: number, state: OptionState['state']): void {
    const current = this.#of(side, option)
    const wasOn = current.state === 'yes'
    current.state = state
    current.opposite = false
    if (wasOn !== (state === 'yes')) this.#rules.changed(side, option, state === 'yes')
  }

  #send(side: Side, option: number, isYes: boolean): void {
    this.#rules.send(isYes ? verbs[side].yes : verbs[side].no, option)
  }
}
