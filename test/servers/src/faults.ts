import { type Checks, checkOptions, count, flag, isObject, texts, word, wrong } from './options.ts'

/** Where a server goes silent. The socket stays open. */
export type Stall = 'tls' | 'greeting' | 'login' | 'response' | 'body' | 'final'

/**
 * How octets are cut on their way to the client: 'bytes' sends one a segment, 'split-crlf' cuts between each CR and LF.
 * 'glued' sends in one segment what is written in quick succession, such as the replies to pipelined commands. A list
 * glues, then cuts into pieces of these lengths, over and over.
 */
export type Chunking = 'whole' | 'bytes' | 'split-crlf' | 'glued' | readonly number[]

/** Faults to play. All can be combined; without any, the server behaves. */
export interface Faults {
  /** Milliseconds before each reply. */
  readonly delay?: number
  /** How many milliseconds each direction takes. Order and pipelining stay. Read when a connection opens. */
  readonly latency?: { readonly up?: number; readonly down?: number }
  /** Read when a connection opens. */
  readonly chunking?: Chunking
  /** The server sends RST after this many octets of a body. */
  readonly resetAfter?: number
  /**
   * The body ends after this many octets with a clean FIN. If the protocol can, the server admits the failure: 426
   * (FTP).
   */
  readonly cutAfter?: number
  /**
   * FTP: after this many octets of a body, control and data connection end together, as if the server's process had
   * died.
   */
  readonly crashAfter?: number
  /** The body ends this many octets early with a clean FIN, and the server still claims success. */
  readonly shortBody?: number
  /** Where the server goes silent; the README says what each word means in each protocol. */
  readonly stall?: Stall
  /**
   * The faults of bodies (resetAfter, cutAfter, crashAfter, shortBody, stall 'body' and 'final') apply only to this
   * many first bodies.
   */
  readonly bodies?: number
  /**
   * Raw replies that replace the right ones. The key is `greeting`, a whole command line, a verb, a reply code (FTP and
   * NNTP), a request-target or path (HTTP), or a selector (Gopher). The replies of a list are used one by one, then the
   * server behaves. An empty string closes the connection without a reply.
   */
  readonly replies?: Readonly<Record<string, string | readonly string[]>>
  /** FTP: the server answers REST with 350 and ignores it. HTTP: the server ignores Range. */
  readonly ignoreRestart?: boolean
  /** FTP: the server sends 226 before the data instead of after it. */
  readonly earlyReply?: boolean
  /**
   * FTP: the server takes no pipelined commands. 'discard': it loses what comes while it answers a command. 'close': it
   * ends the connection without a reply.
   */
  readonly oneAtATime?: 'discard' | 'close'
  /** FTP: EPSV or PASV during a transfer ends the transfer without its final reply, as in pyftpdlib. */
  readonly dropOnEpsv?: boolean
  /** NNTP: each connection ends with a clean FIN after this many answered commands; 0 means after the greeting. */
  readonly closeAfter?: number
  /** TLS: connections end with a bare FIN instead of close_notify. */
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

/** The faults of one server, with a record of which listed replies are used up. It copies the caller's object. */
export class FaultState {
  readonly #first: Faults
  #faults: Faults = {}
  #used = new Map<string, number>()
  #bodies = 0

  constructor(faults: Faults) {
    this.set(faults)
    this.#first = this.#faults
  }

  /** Restores the faults with which the server began. Listed replies begin anew. */
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

  /** The faults for one more body. Once enough bodies have had them, the faults of bodies are left out. */
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

/** Throws a TypeError if a fault has an unknown name or a wrong value. */
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
