import type { ByteSource } from '../plugin/byte-source.ts'
import type { Answer } from './answers.ts'
import { ldifRecord, ldifReferences, ldifVersion } from './ldif.ts'
import { endedError, resultCodes, shownUrls } from './result-errors.ts'
import type { LdapSession } from './session.ts'

/** Answers that have come already go into one chunk, up to about this many octets. */
const chunkSize = 64 * 1024

/**
 * The entries of a search as LDIF, each as it comes. References to other servers become comments, and are not followed.
 * A search that the server stops is `partial`, after what has come.
 */
export class LdifBody implements ByteSource {
  readonly #session: LdapSession
  /** The most entries that were asked for; 0: all. */
  readonly #limit: number
  #head = ldifVersion
  #entries = 0
  #end: { readonly error: Error | null } | null = null

  constructor(session: LdapSession, limit: number) {
    this.#session = session
    this.#limit = limit
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#head !== '') {
      const head = this.#head
      this.#head = ''
      return Buffer.from(head)
    }
    let text = ''
    try {
      while (this.#end === null && (text === '' || (text.length < chunkSize && this.#session.holdsAnswer))) {
        text += this.#textOf(await this.#session.next('body'))
      }
    } catch (error) {
      this.#finish(error instanceof Error ? error : new Error(String(error)))
    }
    if (text !== '') return Buffer.from(text, 'latin1')
    if (this.#end?.error) throw this.#end.error
    await this.#session.end()
    return null
  }

  async cancel(): Promise<void> {
    this.#session.close()
  }

  #textOf(answer: Answer): string {
    switch (answer.kind) {
      case 'entry':
        this.#entries++
        return ldifRecord(answer.dn, answer.attributes)
      case 'reference':
        return ldifReferences(answer.urls)
      case 'result':
        this.#finish(this.#errorOf(answer))
        return ''
    }
  }

  #finish(error: Error | null): void {
    this.#end = { error }
    if (error !== null) this.#session.close()
  }

  #errorOf({ of, result }: Extract<Answer, { readonly kind: 'result' }>): Error | null {
    const { context } = this.#session
    if (of !== 'search') return context.error('protocol-violation', 'The server did not answer the search.')
    if (result.code === resultCodes.success) return null
    if (result.code === resultCodes.sizeLimit && this.#limit > 0 && this.#entries >= this.#limit) return null
    if (result.code === resultCodes.referral) {
      const message = `The server refers to ${shownUrls(result.referrals)} for the rest, which was not followed.`
      context.emit({ type: 'remark', url: context.url, message })
      return null
    }
    return endedError(context, result, this.#entries)
  }
}
