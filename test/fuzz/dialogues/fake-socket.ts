import type { Socket } from 'node:net'
import { RetrievalError } from '@retriever/core'
import type { RequestOptions, RetrievalContext } from '../../../packages/fetchers/src/contract/fetcher.ts'
import { cut } from '../cut.ts'

/** The octets that a server sends when it gets a message, one octet a character; null: it ends the connection. */
export type Script = (message: string) => string | null

/** A connection to a script: it sends at once, cut by a seed, and ends when the script has nothing more. */
export class FakeSocket {
  /** The messages of the client, one octet a character. */
  readonly sent: string[] = []
  readonly #script: Script
  readonly #seed: number | null
  #waiting: Buffer[] = []
  errored: Error | null = null
  destroyed = false

  /** `seed` null: nothing is cut. `greeting` comes before any message. */
  constructor(script: Script, seed: number | null, greeting = '') {
    this.#script = script
    this.#seed = seed
    this.#receive(Buffer.from(greeting, 'latin1'))
  }

  get readableLength(): number {
    return this.#waiting.reduce((sum, { length }) => sum + length, 0)
  }

  get readableEnded(): boolean {
    return this.#waiting.length === 0
  }

  get writable(): boolean {
    return !this.destroyed
  }

  read(): Buffer | null {
    return this.#waiting.shift() ?? null
  }

  write(octets: string): boolean {
    this.sent.push(octets)
    this.#receive(Buffer.from(this.#script(octets) ?? '', 'latin1'))
    return true
  }

  #receive(answer: Buffer): void {
    // The last octets of one answer and the first ones of the next come together where nothing is cut.
    const whole = Buffer.concat([...this.#waiting.splice(0), answer])
    this.#waiting = whole.length === 0 ? [] : this.#seed === null ? [whole] : cut(whole, this.#seed)
  }

  cork(): void {}

  uncork(): void {}

  destroySoon(): void {
    this.destroyed = true
  }

  destroy(): void {
    this.destroyed = true
  }

  on(): this {
    return this
  }

  off(): this {
    return this
  }

  ref(): void {}

  unref(): void {}
}

/** The context of one retrieval over such a socket, as far as a fetcher needs it. */
export function contextOver(socket: FakeSocket, url: string, request: RequestOptions = {}): RetrievalContext {
  const context = {
    url,
    request,
    deadline: {
      signal: new AbortController().signal,
      within: (phase: string, operation: () => Promise<unknown>) =>
        phase === 'connect' ? Promise.resolve(socket as unknown as Socket) : operation(),
      throwIfAborted: () => {},
      look: () => {},
      onAbort: () => () => {},
      onTimeUp: () => () => {},
    },
    limits: {
      ...{ maxReply: 65_536, maxLine: 65_536, maxListing: Number.POSITIVE_INFINITY, maxCollected: 100 },
      idleTimeout: 60_000,
    },
    tls: {},
    proxy: null,
    hasListener: false,
    credentials: async () => null,
    emit: () => {},
    error: (code: 'partial', message: string, extras = {}) =>
      new RetrievalError(code, message, { phase: 'body', ...extras }),
  }
  return context as unknown as RetrievalContext
}

/** All that comes of a retrieval: the octets of its body, one a character, and the error at its end. */
export interface Told {
  readonly body: string
  readonly error: string | null
}

/** The code of a RetrievalError; any other error is thrown. */
export function codeOf(error: unknown): string {
  if (RetrievalError.is(error)) return `${error.code}: ${error.message}`
  throw error
}
