import { RetrievalError } from '@retriever/core'
import type { MirrorOptions, MirrorResult } from '@retriever/fetchers'
import type { MirrorFile, WholePart } from '@retriever/fetchers/internal'
import { exitCodeOf } from '../exit-codes.ts'
import type { Journal } from '../journal/journal.ts'
import { Account, Ledger } from '../journal/ledger.ts'
import { openJournal } from '../journal/open.ts'
import type { Run } from '../run.ts'

/** Opens the journal of a mirror. Rejects as Journal.open() does. */
export async function openMirrorJournal(run: Run): Promise<MirrorJournal | null> {
  const journal = await openJournal(run, { hasRounds: true })
  return journal === null ? null : new MirrorJournal(journal)
}

/**
 * The journal of a mirror. A run that ended begins a new round, which asks for what has changed since; one that was
 * broken off goes on, and asks for nothing that its journal has.
 */
export class MirrorJournal implements AsyncDisposable {
  readonly #journal: Journal
  readonly #ledger: Ledger
  /** The files that are under way, by their paths in the tree. */
  readonly #accounts = new Map<string, Account>()

  constructor(journal: Journal) {
    this.#journal = journal
    this.#ledger = new Ledger(journal)
  }

  /** What the mirror asks and tells about each file. */
  get options(): Pick<MirrorOptions, 'beforeFile' | 'beforeName'> {
    return {
      beforeFile: (file) => this.#before(file),
      beforeName: ({ path }, whole: WholePart) => this.#accounts.get(path)?.beforeName(whole, whole.sha256 ?? null),
    }
  }

  async #before({ path, url, file }: MirrorFile): Promise<'unchanged' | RetrievalError | null> {
    const admitted = await this.#ledger.admit(url, null, (known) => known === file)
    if (admitted instanceof Account) {
      this.#accounts.set(path, admitted)
      admitted.begun(file)
      return null
    }
    if (admitted.why !== 'failed') return 'unchanged'
    const { code, message, status } = admitted.line
    const details = { phase: 'request', url, ...(status !== null && { status }) } as const
    return new RetrievalError(code, `${message} It failed so before; --retry-failed asks again.`, details)
  }

  add(result: MirrorResult): void {
    const account = this.#accounts.get(result.path)
    if (account === undefined) return
    this.#accounts.delete(result.path)
    // Only a file waits until its line is on the disk. If the journal cannot be written, closing it says so.
    if (result.outcome === 'failed') void account.ended(result.error, exitCodeOf(result.error), null)
    else void account.ended(null, 0, result.outcome === 'saved' ? result.file : null).catch(() => {})
  }

  /** The tree is complete. */
  whole(): void {
    this.#journal.whole(this.#ledger.size)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#journal[Symbol.asyncDispose]()
  }
}
