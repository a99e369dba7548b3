import { type LdapAsked, type LdapPage, type LdapSearch, ldapAsked } from '@retriever/core/internal'
import { type Answer, operations } from './answers.ts'
import type { LdapDialogue, Result } from './dialogue.ts'
import type { MessagePhase } from './messages.ts'
import { resultCodes } from './result-errors.ts'

/** How many pages in a row may have no entry. A server sends such pages while it looks for matches (RFC 2696 3). */
const maxEmptyPages = 1000

/** How many messages are read and discarded: one entry and its result, and references, which no limit counts. */
const shortAnswer = 100

/**
 * A search. If the server has pages, its entries come page by page (RFC 2696). If the server stops in the first page,
 * at a limit for one search, it asks for smaller pages, and leaves out what has already come.
 */
export class Search {
  readonly dialogue: LdapDialogue
  readonly #sought: LdapSearch
  /** How many entries are wanted. 0: all. */
  readonly limit: number
  /** How many entries the caller has got. */
  entries = 0
  #page: LdapPage | null
  /** The names of what has come in the first page. Null after the page is over. */
  #given: Set<string> | null = new Set()
  /** The names of what has come again since the first page was requested again. */
  #again: Set<string> = new Set()
  /** How many entries of this page have come. References do not count (RFC 4511 4.5.1.4). */
  #came = 0
  /** How many entries and references of this page are new. */
  #new = 0
  #emptyPages = 0
  /** The limit that the server named first. */
  #stopped: Result | null = null

  private constructor({ search, limit, page }: LdapAsked, dialogue: LdapDialogue) {
    this.dialogue = dialogue
    this.#sought = search
    this.limit = limit
    this.#page = page
  }

  static async begin(plan: LdapSearch, dialogue: LdapDialogue): Promise<Search> {
    const search = new Search(ldapAsked(plan, dialogue.context.request), dialogue)
    await search.#send()
    return search
  }

  /**
   * Waits for the first answer. Returns null if it is an entry or a reference, which stays unread. Otherwise nothing
   * comes.
   */
  async result(): Promise<Result | null> {
    while (true) {
      const operation = await this.dialogue.peek()
      if (operation === operations.entry || operation === operations.reference) return null
      const answer = await this.next('request')
      if (answer?.kind === 'result') return answer
    }
  }

  /** Reads the next entry or reference, or the end. Null: the message has nothing new, and another one comes. */
  async next(phase: MessagePhase): Promise<Answer | null> {
    const answer = await this.dialogue.next(phase)
    if (answer.kind === 'result') {
      if (await this.#goOn(answer)) return null
      const isStillFirst = this.#given !== null && answer.result.code !== resultCodes.success
      return (isStillFirst ? this.#stopped : null) ?? answer
    }
    if (answer.kind === 'entry') this.#came++
    // A server that knows no pages sends everything at once.
    if (this.#page !== null && this.#came > this.#page.size) this.#given = null
    if (this.#given !== null || this.#again.size > 0) {
      const name = nameOf(answer)
      if (this.#again.delete(name)) return null
      this.#given?.add(name)
    }
    this.#new++
    if (answer.kind === 'entry') this.entries++
    return answer
  }

  /** Discards the end of a short answer, so that the connection can serve another search. */
  async finish(): Promise<void> {
    for (let read = 0; read < shortAnswer; read++) if ((await this.next('request'))?.kind === 'result') return
  }

  /** Asks for more, if there may be more. */
  async #goOn(answer: Result): Promise<boolean> {
    const page = this.#pageAfter(answer)
    if (page === undefined) return false
    if (page?.cookie) this.#given = null
    else this.#again = new Set(this.#given)
    this.#page = page
    this.#came = 0
    this.#new = 0
    await this.#send()
    return true
  }

  /** Returns the next page, or the first one in a smaller size (null: without pages). Undefined: the search is over. */
  #pageAfter(answer: Result): LdapPage | null | undefined {
    if (this.#page === null || (this.limit > 0 && this.entries >= this.limit)) return undefined
    const { code } = answer.result
    if (code === resultCodes.success) {
      this.#emptyPages = this.#came === 0 ? this.#emptyPages + 1 : 0
      if (answer.cookie === '') return undefined
      if (this.#emptyPages > maxEmptyPages) throw this.#endless()
      const left = this.limit === 0 ? Number.POSITIVE_INFINITY : this.limit - this.entries
      return { size: Math.min(this.#page.size, left), cookie: answer.cookie }
    }
    if (code !== resultCodes.sizeLimit && code !== resultCodes.adminLimit) return undefined
    // If a smaller page brings nothing new, the limit applies to the whole search.
    if (this.#given === null || (this.#stopped !== null && this.#came > 0 && this.#new === 0)) return undefined
    this.#stopped ??= answer
    const { size } = this.#page
    const smaller = this.#came === 0 ? Math.floor(size / 5) : this.#came < size ? this.#came : Math.floor(size / 2)
    return smaller === 0 ? null : { size: smaller, cookie: '' }
  }

  /** The entries so far are not all, so this is no end. */
  #endless(): Error {
    const message = `The server sent over ${maxEmptyPages} pages without an entry, and says that there are more.`
    return this.dialogue.context.error('limit-exceeded', message)
  }

  #send(): Promise<void> {
    return this.dialogue.search(this.#sought, this.limit, this.#page)
  }
}

function nameOf(answer: Exclude<Answer, Result>): string {
  return answer.kind === 'entry' ? Buffer.from(answer.dn).toString('latin1') : answer.urls.join('\n')
}
