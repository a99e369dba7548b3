import { exitCodeOf } from '../exit-codes.ts'
import { itemOf } from '../journal/item.ts'
import type { Journal } from '../journal/journal.ts'
import { openJournal } from '../journal/open.ts'
import type { Result } from '../results/result.ts'
import type { Run } from '../run.ts'
import type { Link } from './sources.ts'

/** Opens the journal of a check; null if there is none. Rejects as Journal.open() does. */
export async function openCheckJournal(run: Run): Promise<CheckJournal | null> {
  const journal = await openJournal(run, { hasRounds: true })
  return journal === null ? null : new CheckJournal(journal)
}

/**
 * The journal of a check: it has the results. A run that ended begins a new round; one that was broken off goes on, and
 * tells again what it knows.
 */
export class CheckJournal implements AsyncDisposable {
  readonly #journal: Journal

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** The results that need no request. */
  async known(links: readonly Link[]): Promise<Map<Link, Result>> {
    this.#journal.listed(links.length)
    const results = new Map<Link, Result>()
    for (const link of links) {
      const known = await this.#journal.known(itemOf(link.url, null), () => false)
      if (known.is === 'open') continue
      const line = known.is === 'done' ? this.#journal.lineAt(known.at) : known.line
      if (line !== null && 'result' in line && line.result !== undefined) results.set(link, line.result)
    }
    return results
  }

  /** Keeps what a request found out. `result` has no secrets. */
  add(link: Link, result: Result, error: unknown): void {
    const item = itemOf(link.url, null)
    if (result.outcome === 'failed') this.#journal.failed(item, error, exitCodeOf(error), { file: null, result })
    else {
      const none = { file: null, size: null, sha256: null, etag: null, modified: null }
      // If the journal cannot be written, closing it says so.
      void this.#journal.done(item, { ...none, result }).catch(() => {})
    }
  }

  whole(links: number): void {
    this.#journal.whole(links)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#journal[Symbol.asyncDispose]()
  }
}
