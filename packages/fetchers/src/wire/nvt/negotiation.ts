import { DO, DONT, type Verb, WILL, WONT } from './codes.ts'

/** The side whose behaviour an option changes: WILL changes the server's, DO the client's. */
export type Side = 'client' | 'server'

/** The rules and actions of a negotiation. */
export interface NegotiationRules {
  /** Whether we agree if the server wants the option. */
  accepts(side: Side, option: number): boolean
  send(verb: Verb, option: number): void
  /** Called when the option has come into force, or has ended. */
  changed(side: Side, option: number, isOn: boolean): void
}

/**
 * The state by RFC 1143: in `want-no` and `want-yes` we wait for an answer; `opposite` means that we then ask for the
 * opposite.
 */
interface OptionState {
  state: 'no' | 'yes' | 'want-no' | 'want-yes'
  opposite: boolean
}

const verbs = { client: { yes: WILL, no: WONT }, server: { yes: DO, no: DONT } } as const

/**
 * Keeps the states of all options by RFC 1143's Q method. It answers a request only if the request changes a state, so
 * that two sides never answer each other without end, even if their requests cross.
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

  /** Returns the options that are in force. */
  on(side: Side): number[] {
    return [...this.#states[side]].filter(([, { state }]) => state === 'yes').map(([option]) => option)
  }

  /** Handles a WILL, WONT, DO or DONT of the server. */
  receive(verb: Verb, option: number): void {
    const side = verb === WILL || verb === WONT ? 'server' : 'client'
    if (verb === WILL || verb === DO) this.#yes(side, option)
    else this.#no(side, option)
  }

  /** Asks to begin or to end an option. */
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

  /** The server sent DO or WILL. */
  #yes(side: Side, option: number): void {
    const { state, opposite } = this.#of(side, option)
    if (state === 'no') {
      const accepted = this.#rules.accepts(side, option)
      // Send the answer before anything that the option allows.
      this.#send(side, option, accepted)
      if (accepted) this.#set(side, option, 'yes')
    } else if (state === 'want-no') {
      // The server agrees to something that we refused. RFC 1143 calls that an error.
      this.#set(side, option, opposite ? 'yes' : 'no')
    } else if (state === 'want-yes' && opposite) {
      this.#set(side, option, 'want-no')
      this.#send(side, option, false)
    } else if (state === 'want-yes') this.#set(side, option, 'yes')
  }

  /** The server sent DONT or WONT. */
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
