/** Where a server goes silent, with the socket left open. */
export type Stall = 'tls' | 'greeting' | 'login' | 'response' | 'body' | 'final'

/** How bytes are cut on their way to the client. */
export type Chunking = 'whole' | 'bytes' | 'split-crlf'

/** What goes wrong. Everything may be combined; an empty object is a server in good health. */
export interface Faults {
  /** Milliseconds before each reply. */
  readonly delay?: number
  /** Milliseconds of travel for each direction. Order and pipelining are kept. Read when a connection opens. */
  readonly latency?: { readonly up?: number; readonly down?: number }
  /** One byte a segment, or a cut between each CR and LF. Read when a connection opens. */
  readonly chunking?: Chunking
  /** RST after this many bytes of a body. */
  readonly resetAfter?: number
  /** The body ends this many bytes early with a clean FIN, and success is still claimed. */
  readonly shortBody?: number
  /** The server goes silent there; see the README for what each word means in each protocol. */
  readonly stall?: Stall
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
  /** TLS: connections end with a bare FIN, without close_notify. */
  readonly noCloseNotify?: boolean
}

const STALLS: readonly string[] = ['tls', 'greeting', 'login', 'response', 'body', 'final']
const CHUNKINGS: readonly string[] = ['whole', 'bytes', 'split-crlf']
const NAMES: readonly string[] = [
  'delay',
  'latency',
  'chunking',
  'resetAfter',
  'shortBody',
  'stall',
  'replies',
  'ignoreRestart',
  'earlyReply',
  'noCloseNotify',
]

/** The faults of one server, with a note of which listed replies are used up. The caller's object is copied. */
export class FaultState {
  #faults: Faults = {}
  #used = new Map<string, number>()

  constructor(faults: Faults) {
    this.set(faults)
  }

  get current(): Faults {
    return this.#faults
  }

  set(faults: Faults): void {
    check(faults)
    this.#faults = structuredClone(faults)
    this.#used = new Map()
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

function check(faults: Faults): void {
  for (const name of Object.keys(faults)) {
    if (!NAMES.includes(name)) throw new TypeError(`faults: expected one of ${NAMES.join(', ')}, got ${name}`)
  }
  count('faults.delay', faults.delay)
  count('faults.latency.up', faults.latency?.up)
  count('faults.latency.down', faults.latency?.down)
  count('faults.resetAfter', faults.resetAfter)
  count('faults.shortBody', faults.shortBody)
  word('faults.stall', faults.stall, STALLS)
  word('faults.chunking', faults.chunking, CHUNKINGS)
}

function count(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value >= 0 && Number.isFinite(value))) return
  throw new TypeError(`${name}: expected a number from 0 up, got ${String(value)} (${typeof value})`)
}

function word(name: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || (typeof value === 'string' && words.includes(value))) return
  throw new TypeError(`${name}: expected one of ${words.join(', ')}, got ${String(value)} (${typeof value})`)
}
