import { DONT, IAC, SB, SE, type Verb, WILL } from './codes.ts'

/** Receives the commands that stand between the server's text, in order. */
export interface CommandListener {
  /** WILL, WONT, DO or DONT, and the option. */
  negotiated(verb: Verb, option: number): void
  /** The octets of a subnegotiation after its option. Each IAC IAC has become one octet. */
  subnegotiated(option: number, octets: Uint8Array): void
  /** Another command: NOP, DM, AYT, EOR and so on. */
  commanded(command: number): void
  /** A subnegotiation is longer than the limit; the decoder skips it. */
  overflowed(): void
}

type State = 'text' | 'after-cr' | 'command' | 'option' | 'sub' | 'sub-command'

const NUL = 0
const CR = 13

/**
 * Separates a network virtual terminal's text from its commands (RFC 854 and 855), however the octets are cut. IAC IAC
 * becomes the octet FF, and CR NUL becomes CR. CR LF stays.
 */
export class NvtDecoder {
  /** True if the server sends octets without conversion (RFC 856): then NUL after CR is data. */
  binary = false
  readonly #listener: CommandListener
  readonly #maxSubnegotiation: number
  #state: State = 'text'
  #verb: Verb = WILL
  #sub: number[] = []
  #isTooLong = false
  /** How many octets of text the current piece has given so far. */
  #length = 0

  /** Keeps at most `maxSubnegotiation` octets of one subnegotiation. */
  constructor(listener: CommandListener, maxSubnegotiation: number) {
    this.#listener = listener
    this.#maxSubnegotiation = maxSubnegotiation
  }

  /** Returns the text of a piece of input in a new array, and passes commands to the listener. */
  feed(octets: Uint8Array): Uint8Array {
    const text = new Uint8Array(octets.length)
    this.#length = 0
    for (const octet of octets) {
      if (this.#isText(octet)) text[this.#length++] = octet
    }
    return text.subarray(0, this.#length)
  }

  /** How many octets of text the current piece had before the command that the listener gets. */
  get length(): number {
    return this.#length
  }

  #isText(octet: number): boolean {
    switch (this.#state) {
      case 'text':
      case 'after-cr':
        return this.#text(octet)
      case 'command':
        return this.#command(octet)
      case 'option':
        this.#state = 'text'
        this.#listener.negotiated(this.#verb, octet)
        return false
      case 'sub':
        if (octet === IAC) this.#state = 'sub-command'
        else this.#keep(octet)
        return false
      case 'sub-command':
        return this.#subCommand(octet)
    }
  }

  #text(octet: number): boolean {
    const isAfterCr = this.#state === 'after-cr'
    this.#state = 'text'
    if (octet === IAC) {
      this.#state = 'command'
      return false
    }
    if (isAfterCr && octet === NUL) return false
    if (octet === CR && !this.binary) this.#state = 'after-cr'
    return true
  }

  /** Handles the octet after IAC. */
  #command(octet: number): boolean {
    this.#state = 'text'
    if (octet === IAC) return true
    if (octet === SB) {
      this.#state = 'sub'
      this.#sub = []
      this.#isTooLong = false
    } else if (isVerb(octet)) {
      this.#state = 'option'
      this.#verb = octet
      // An SE without SB is a harmless error of the server.
    } else if (octet !== SE) this.#listener.commanded(octet)
    return false
  }

  /** Handles the octet after an IAC within a subnegotiation. */
  #subCommand(octet: number): boolean {
    if (octet === IAC) {
      this.#state = 'sub'
      this.#keep(octet)
      return false
    }
    if (octet !== SE) {
      // RFC 855 allows only IAC and SE here. The subnegotiation was not ended, and this is another command.
      return this.#command(octet)
    }
    this.#state = 'text'
    const [option, ...octets] = this.#sub
    this.#sub = []
    if (option !== undefined && !this.#isTooLong) this.#listener.subnegotiated(option, Uint8Array.from(octets))
    return false
  }

  #keep(octet: number): void {
    if (this.#sub.length <= this.#maxSubnegotiation) this.#sub.push(octet)
    else if (!this.#isTooLong) {
      this.#isTooLong = true
      this.#listener.overflowed()
    }
  }
}

function isVerb(octet: number): octet is Verb {
  return octet >= WILL && octet <= DONT
}
