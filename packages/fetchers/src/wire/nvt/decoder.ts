import { DONT, IAC, SB, SE, type Verb, WILL } from './codes.ts'

/** Gets what stands between the text of a server, in its order. */
export interface CommandListener {
  /** WILL, WONT, DO or DONT, and the option. */
  negotiated(verb: Verb, option: number): void
  /** The octets of a subnegotiation behind the option, each IAC IAC as one. */
  subnegotiated(option: number, octets: Uint8Array): void
  /** Another command: NOP, DM, AYT, EOR and so on. */
  commanded(command: number): void
  /** A subnegotiation is longer than the limit. It is passed over, up to its end. */
  overflowed(): void
}

type State = 'text' | 'after-cr' | 'command' | 'option' | 'sub' | 'sub-command'

const NUL = 0
const CR = 13

/**
 * Takes a network virtual terminal's octets apart (RFC 854 and 855), however they are cut: IAC IAC is the octet FF, and
 * CR NUL a carriage return alone. CR LF stays.
 */
export class NvtDecoder {
  /** True: the server sends octets without conversion (RFC 856), so NUL behind CR is data. */
  binary = false
  readonly #listener: CommandListener
  readonly #maxSubnegotiation: number
  #state: State = 'text'
  #verb: Verb = WILL
  #sub: number[] = []
  #isTooLong = false
  /** The octets of text in the present piece so far. */
  #length = 0

  /** `maxSubnegotiation`: the most octets of one subnegotiation that are kept. */
  constructor(listener: CommandListener, maxSubnegotiation: number) {
    this.#listener = listener
    this.#maxSubnegotiation = maxSubnegotiation
  }

  /** The text in a piece of input, in octets of its own; the listener gets the rest. */
  feed(octets: Uint8Array): Uint8Array {
    const text = new Uint8Array(octets.length)
    this.#length = 0
    for (const octet of octets) {
      if (this.#isText(octet)) text[this.#length++] = octet
    }
    return text.subarray(0, this.#length)
  }

  /** The octets of text in the piece that feed() is reading, up to the command that the listener gets. */
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

  /** The octet behind IAC. */
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
      // An SE without SB is an error of the server that does no harm.
    } else if (octet !== SE) this.#listener.commanded(octet)
    return false
  }

  /** The octet behind an IAC within a subnegotiation. */
  #subCommand(octet: number): boolean {
    if (octet === IAC) {
      this.#state = 'sub'
      this.#keep(octet)
      return false
    }
    if (octet !== SE) {
      // RFC 855 allows nothing else: the subnegotiation has no end, and a command begins.
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
