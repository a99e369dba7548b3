import type { ByteSource } from '../../contract/byte-source.ts'
import type { Answer } from './answers.ts'
import type { Result } from './dialogue.ts'
import { ldifRecord, ldifReferences, ldifVersion } from './ldif.ts'
import { endedError, resultCodes, shownUrls } from './result-errors.ts'
import type { Search } from './search.ts'

/** Answers that have already arrived are put into one chunk, up to about this many octets. */
const chunkSize = 64 * 1024

/**
 * The entries of a search as LDIF, each as it arrives. References to other servers become comments, and are not
 * followed. If the server stops a search, it is `partial`, after what has arrived.
 */
export class LdifBody implements ByteSource {
  readonly #search: Search
  #head = ldifVersion
  #end: { readonly error: Error | null } | null = null

  constructor(search: Search) {
    this.#search = search
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#head !== '') {
      const head = this.#head
      this.#head = ''
      return Buffer.from(head)
    }
    let text = ''
    const { dialogue } = this.#search
    try {
      while (this.#end === null && (text === '' || (text.length < chunkSize && dialogue.holdsAnswer))) {
        const answer = await this.#search.next('body')
        if (answer !== null) text += this.#textOf(answer)
      }
    } catch (error) {
      this.#end = { error: error instanceof Error ? error : new Error(String(error)) }
    }
    if (text !== '') return Buffer.from(text, 'latin1')
    if (this.#end?.error) throw this.#end.error
    return null
  }

  /** When the session is given back, it ends a search that still runs. */
  async cancel(): Promise<void> {}

  #textOf(answer: Answer): string {
    switch (answer.kind) {
      case 'entry':
        return ldifRecord(answer.dn, answer.attributes)
      case 'reference':
        return ldifReferences(answer.urls)
      case 'result':
        this.#end = { error: this.#errorOf(answer) }
        return ''
    }
  }

  #errorOf({ result }: Result): Error | null {
    const { dialogue, limit, entries } = this.#search
    const { context } = dialogue
    if (result.code === resultCodes.success) return null
    if (result.code === resultCodes.sizeLimit && limit > 0 && entries >= limit) return null
    if (result.code === resultCodes.referral) {
      const message = `The server refers to ${shownUrls(result.referrals)} for the rest. That reference was not followed.`
      context.emit({ type: 'remark', url: context.url, message })
      return null
    }
    return endedError(context, result, entries)
  }
}
