import { Texts, type WholePart } from '@retriever/fetchers/internal'
import { type Item, itemOf, textOfItem } from './item.ts'
import type { Journal, Known } from './journal.ts'
import type { Failed } from './line.ts'

/** Why a URL is not asked for. */
export type LeftOut =
  /** It stands in the list already. */
  | { readonly why: 'repeated' }
  /** Another machine asks for it. */
  | { readonly why: 'elsewhere' }
  /** It is done; its line stands at this position. */
  | { readonly why: 'done'; readonly at: number }
  | { readonly why: 'failed'; readonly line: Failed }

/** Decides which URLs of a command are asked for: each once, and none that its journal has. */
export class Ledger {
  readonly #seen = new Texts()
  readonly #journal: Journal | null

  /** Without a journal it only finds what is repeated. */
  constructor(journal: Journal | null) {
    this.#journal = journal
  }

  /** How many URLs there were so far, each counted once. */
  get size(): number {
    return this.#seen.size
  }

  /** The account of a URL that is not asked for, since it is malformed. */
  accountOf(url: string, name: string | null): Account {
    const item = itemOf(url, name)
    this.#seen.add(textOfItem(item))
    return new Account(item, this.#journal, null)
  }

  /**
   * `name` is the name of the file, if the list gives one: a URL may have two files by two names. `isOwn` says whether
   * the URL may have a file.
   */
  async admit(url: string, name: string | null, isOwn: (file: string) => boolean): Promise<LeftOut | Account> {
    const item = itemOf(url, name)
    if (!this.#seen.add(textOfItem(item))) return { why: 'repeated' }
    if (this.#journal === null) return new Account(item, null, null)
    const known = await this.#journal.known(item, isOwn)
    if (known.is === 'open') return new Account(item, this.#journal, known)
    return known.is === 'done' ? { why: 'done', at: known.at } : { why: 'failed', line: known.line }
  }
}

/** What the journal is told about one URL. */
export class Account {
  readonly #item: Item
  readonly #journal: Journal | null
  readonly #known: Extract<Known, { is: 'open' }> | null
  #isBegun = false
  #isDone = false

  constructor(item: Item, journal: Journal | null, known: Extract<Known, { is: 'open' }> | null) {
    this.#item = item
    this.#journal = journal
    this.#known = known
  }

  /** Whether there is a journal. */
  get isKept(): boolean {
    return this.#journal !== null
  }

  /** The file that an earlier run gave to the URL; null if none did. */
  get file(): string | null {
    return this.#known?.file ?? null
  }

  /** Whether this file may be replaced, since an earlier run wrote it. */
  get isOurs(): boolean {
    return this.#known?.isOurs ?? false
  }

  /** The URL is asked for. */
  begun(file: string | null): void {
    if (this.#isBegun) return
    this.#isBegun = true
    this.#journal?.begun(this.#item, file)
  }

  /** Resolves when the journal has the file, whose name may then follow. */
  async beforeName({ path, size, etag, modified }: WholePart, sha256: string | null): Promise<void> {
    this.#isDone = true
    const validator = { etag, modified: modified?.toISOString() ?? null }
    await this.#journal?.done(this.#item, { file: path, size, sha256, ...validator })
  }

  /** The retrieval has ended, with a file or without one. `error` is null if it succeeded. */
  async ended(error: unknown, exit: number, file: string | null): Promise<void> {
    if (exit !== 0) this.#journal?.failed(this.#item, error, exit, { file })
    else if (!this.#isDone) {
      await this.#journal?.done(this.#item, { file, size: null, sha256: null, etag: null, modified: null })
    }
  }
}
