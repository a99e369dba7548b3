import { type Checks, checkOptions, count, flag, isObject, texts, word, wrong } from './options.ts'

/** Where a server goes silent, with the socket left open. */
export type Stall = 'tls' | 'greeting' | 'login' | 'response' | 'body' | 'final'

/**
 * How bytes are cut on their way to the client: one a segment, or a cut between each CR and LF. `'glued'`: what is
 * written in quick succession, as the replies to pipelined commands, goes out in one segment. A list: glued, then cut
 * into pieces of these lengths, over and over.
 */
export type Chunking = 'whole' | 'bytes' | 'split-crlf' | 'glued' | readonly number[]

/** Faults to play. All may be combined; an empty object is a server in good health. */
export interface Faults {
  /** Milliseconds before each reply. */
  readonly delay?: number
  /** Milliseconds of travel for each direction. Order and pipelining are kept. Read when a connection opens. */
  readonly latency?: { readonly up?: number; readonly down?: number }
  /** Read when a connection opens. */
  readonly chunking?: Chunking
  /** RST after this many bytes of a body. */
  readonly resetAfter?: number
  /**
   * The body ends after this many bytes with a clean FIN, and failure is owned up to where the protocol can: 426 (FTP).
   */
  readonly cutAfter?: number
  /**
   * FTP: after this many bytes of a body, control and data connection end together, as when the server's process dies.
   */
  readonly crashAfter?: number
  /** The body ends this many bytes early with a clean FIN, and success is still claimed. */
  readonly shortBody?: number
  /** The server goes silent there; see the README for what each word means in each protocol. */
  readonly stall?: Stall
  /**
   * The faults of bodies (resetAfter, cutAfter, crashAfter, shortBody, stall 'body' and 'final') strike the first so
   * many bodies alone.
   */
  readonly bodies?: number
  /**
   * Raw replies in place of the right ones. Key: `greeting`, a whole command line, a verb, a reply code (FTP and NNTP),
   * a request-target or path (HTTP), a selector (Gopher). A list is used up one by one, then the server behaves.
   * An empty string closes the connection without a reply.
   */
  readonly replies?: Readonly<Record<string, string | readonly string[]>>
  /** FTP: REST is answered 350 and forgotten. HTTP: Range is ignored. */
  readonly ignoreRestart?: boolean
  /** FTP: 226 is sent before the data, not after it. */
  readonly earlyReply?: boolean
  /**
   * FTP: a server that takes no pipelined commands. 'discard': what comes while a command is being answered is lost.
   * 'close': it ends the connection, without a reply.
   */
  readonly oneAtATime?: 'discard' | 'close'
  /** FTP: EPSV or PASV in the middle of a transfer ends it, without its final reply, as pyftpdlib does. */
  readonly dropOnEpsv?: boolean
  /** NNTP: each connection ends with a clean FIN once so many commands have been answered; 0: after the greeting. */
  readonly closeAfter?: number
  /** TLS: connections end with a bare FIN, without close_notify. */
  readonly noCloseNotify?: boolean
}

const chunkings = word('whole', 'bytes', 'split-crlf', 'glued')

const checks: Checks<Faults> = {
  delay: count,
  latency: (name, value) => checkOptions(name, value as object, { up: count, down: count }, `${name}.`),
  chunking: (name, value) => (Array.isArray(value) ? lengths(name, value) : chunkings(name, value)),
  resetAfter: count,
  cutAfter: count,
  crashAfter: count,
  shortBody: count,
  stall: word('tls', 'greeting', 'login', 'response', 'body', 'final'),
  bodies: count,
  replies,
  ignoreRestart: flag,
  earlyReply: flag,
  oneAtATime: word('discard', 'close'),
  dropOnEpsv: flag,
  closeAfter: count,
  noCloseNotify: flag,
}

/** The faults of one server, with a note of which listed replies are used up. The caller's object is copied. */
export class FaultState {
  readonly #first: Faults
  #faults: Faults = {}
  #used = new Map<string, number>()
  #bodies = 0

  constructor(faults: Faults) {
    this.set(faults)
    this.#first = this.#faults
  }

  /** The faults with which the server began; listed replies begin anew. */
  reset(): void {
    this.set(this.#first)
  }

  get current(): Faults {
    return this.#faults
  }

  set(faults: Faults): void {
    checkFaults('faults', faults)
    this.#faults = structuredClone(faults)
    this.#used = new Map()
    this.#bodies = 0
  }

  /** The faults for one more body: without those of bodies, once enough have been struck. */
  nextBody(): Faults {
    const { bodies = Number.POSITIVE_INFINITY, ...faults } = this.#faults
    if (this.#bodies++ < bodies) return faults
    const { resetAfter, cutAfter, crashAfter, shortBody, stall, ...rest } = faults
    return stall === undefined || stall === 'body' || stall === 'final' ? rest : { ...rest, stall }
  }

  /** The wrong reply for the first of the keys that has one. */
  reply(...keys: readonly string[]): string | undefined {
    const replies = this.#faults.replies
    if (!replies) return undefined
    for (const key of keys) {
      if (!Object.hasOwn(replies, key)) continue
      const reply = replies[key]
      if (typeof reply === 'string') return reply
      const used = this.#used.get(key) ?? 0
      const next = reply?.[used]
      if (next === undefined) continue
      this.#used.set(key, used + 1)
      return next
    }
    return undefined
  }
}

/** Throws a TypeError for a fault of another name or kind. */
export function checkFaults(name: string, faults: unknown): void {
  checkOptions(name, faults as Faults, checks, `${name}.`)
}

function lengths(name: string, list: readonly unknown[]): void {
  if (list.length > 0 && list.every((length) => Number.isSafeInteger(length) && Number(length) > 0)) return
  throw new TypeError(`${name}: expected lengths from 1 up, got ${JSON.stringify(list)}`)
}

function replies(name: string, value: unknown): void {
  if (!isObject(value)) throw wrong(name, 'an object of raw replies by key', value)
  for (const [key, reply] of Object.entries(value)) {
    if (typeof reply !== 'string') texts(`${name}[${JSON.stringify(key)}]`, reply)
  }
}
