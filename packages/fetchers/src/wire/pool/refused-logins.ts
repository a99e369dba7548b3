import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { errorAt } from './error-at.ts'

/** How many milliseconds a login is not sent again: servers lock a user, or a client, after some refusals. */
const refusedFor = 10_000

/** The logins that a server has just refused, by the keys of their sessions. */
export class RefusedLogins {
  readonly #refused = new Map<string, { readonly error: RetrievalError; readonly until: number }>()

  /** Notes an error, if it refuses a login for good. */
  note(key: string, error: unknown): void {
    if (!RetrievalError.is(error) || error.code !== 'auth-failed' || error.phase !== 'login') return
    const now = performance.now()
    // This error may be that of check().
    if ((this.#refused.get(key)?.until ?? 0) > now) return
    for (const [other, { until }] of this.#refused) if (until < now) this.#refused.delete(other)
    this.#refused.set(key, { error, until: now + refusedFor })
  }

  /** Throws if the login is not to be sent now. */
  check(key: string, context: RetrievalContext): void {
    const { error, until = 0 } = this.#refused.get(key) ?? {}
    if (error === undefined || until < performance.now()) return
    throw errorAt(context, error, 'Not sent again, since it was just refused: ')
  }
}
