import type { Representation, RetrievalEvent } from '@retriever/fetchers'
import { headOf } from './head.ts'

/** The header sections of one retrieval as they came, for -i, -I and -D; of FTP the replies, for -D. */
export class Heads {
  /** A status whose section gives way to that of the answer with the login. */
  readonly #hidden: RegExp
  readonly #sections: string[] = []
  /** The number of sections when the last redirect was followed. */
  #followed = 0
  #isOver = false
  /** Gets the replies of FTP that come after end(). */
  onLate: ((octets: Buffer) => void) | undefined

  /** `asksFirst`: whether curl, too, sends the login only after a server has asked for it (--digest, --anyauth). */
  constructor(asksFirst: boolean) {
    this.#hidden = asksFirst ? /^\S+ 407 / : /^\S+ 40[17] /
  }

  /** Adds a section of HTTP. It replaces one that asked for a login that curl sends at once. */
  add(octets: string): void {
    if (this.#isOver) return
    const last = this.#sections.at(-1)
    if (last !== undefined && this.#sections.length > this.#followed && this.#hidden.test(last)) this.#sections.pop()
    this.#sections.push(octets)
  }

  event(event: RetrievalEvent): void {
    if (event.type === 'redirected') this.#followed = this.#sections.length
    // The heads of a failed try are not part of the answer.
    else if (event.type === 'retried') this.#sections.length = this.#followed
    else if (event.type === 'received' && event.url.startsWith('ftp')) this.#reply(event.octets)
  }

  /** A reply of FTP. Those behind the body are for -D only. */
  #reply(octets: string): void {
    if (this.#isOver) this.onLate?.(Buffer.from(octets, 'latin1'))
    else this.#sections.push(octets)
  }

  /** Ends the header sections: the body follows, and requests for its rest bring others. False: they had ended. */
  end(): boolean {
    const ends = !this.#isOver
    this.#isOver = true
    return ends
  }

  /** All sections and replies, in order. */
  get octets(): Buffer {
    return Buffer.from(this.#sections.join(''), 'latin1')
  }

  /** The sections of HTTP alone. */
  get http(): Buffer {
    return Buffer.from(this.#sections.filter((octets) => octets.startsWith('HTTP/')).join(''), 'latin1')
  }

  /** The sections of HTTP; if it was not HTTP, or came out of a cache, what is known, in the same form. */
  of(representation: Representation): Buffer {
    const hasCome = representation.mechanism === 'http' && representation.metadata.cache?.hit !== true
    return hasCome && this.http.length > 0 ? this.http : headOf(representation)
  }
}
