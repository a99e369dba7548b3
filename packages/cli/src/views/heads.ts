import type { Representation, RetrievalEvent } from '@retriever/fetchers'
import { headOf } from './head.ts'

/** The header sections of one retrieval as they came, for -i, -I and -D. For -D it also has the replies of FTP. */
export class Heads {
  /** Matches a status whose section is replaced by that of the answer with the login. */
  readonly #hidden: RegExp
  readonly #sections: string[] = []
  /** How many sections there were when the last redirect was followed. */
  #followed = 0
  #isOver = false
  /** Called with the replies of FTP that come after end(). */
  onLate: ((octets: Buffer) => void) | undefined

  /** `asksFirst` tells whether curl, too, would send the login only after the server asks (--digest, --anyauth). */
  constructor(asksFirst: boolean) {
    this.#hidden = asksFirst ? /^\S+ 407 / : /^\S+ 40[17] /
  }

  /** Adds a section of HTTP. It replaces one that asked for a login, if curl sends that login at once. */
  add(octets: string): void {
    if (this.#isOver) return
    const last = this.#sections.at(-1)
    if (last !== undefined && this.#sections.length > this.#followed && this.#hidden.test(last)) this.#sections.pop()
    this.#sections.push(octets)
  }

  event(event: RetrievalEvent): void {
    if (event.type === 'redirected') this.#followed = this.#sections.length
    // The heads of a failed try are no part of the answer, so they are removed.
    else if (event.type === 'retried') this.#sections.length = this.#followed
    else if (event.type === 'received' && event.url.startsWith('ftp')) this.#reply(event.octets)
  }

  /** Adds a reply of FTP. Replies behind the body are only for -D. */
  #reply(octets: string): void {
    if (this.#isOver) this.onLate?.(Buffer.from(octets, 'latin1'))
    else this.#sections.push(octets)
  }

  /**
   * Ends the header sections, since the body follows, and requests for its rest bring more of them. Returns false if
   * they had already ended.
   */
  end(): boolean {
    const ends = !this.#isOver
    this.#isOver = true
    return ends
  }

  /** All sections and replies, in order. */
  get octets(): Buffer {
    return Buffer.from(this.#sections.join(''), 'latin1')
  }

  /** Only the sections of HTTP. */
  get http(): Buffer {
    return Buffer.from(this.#sections.filter((octets) => octets.startsWith('HTTP/')).join(''), 'latin1')
  }

  /**
   * The sections of HTTP. If there are none, since it was another protocol or a cache answered, the known facts in the
   * same form.
   */
  of(representation: Representation): Buffer {
    const hasCome = representation.mechanism === 'http' && representation.metadata.cache?.hit !== true
    return hasCome && this.http.length > 0 ? this.http : headOf(representation)
  }
}
