import { relative, sep } from 'node:path'
import type { Representation } from '@retriever/fetchers'
import { Account, type LeftOut } from '../journal/ledger.ts'
import type { Retrieval } from '../retrieval.ts'
import { KeptOctets } from '../saving/kept-octets.ts'
import { type Task, taskFor } from '../saving/task.ts'
import { isOpenable } from '../service/kind.ts'
import type { Session } from '../session.ts'
import { Facts } from '../write-out/facts.ts'
import type { Entry } from './entries.ts'
import { isOwnFile } from './own-file.ts'
import { endsInIndex, placeOf } from './place.ts'
import { hostOf, isIn } from './shard.ts'
import type { Tally } from './tally.ts'

/** A job that is ready to begin. */
export interface Prepared {
  readonly retrieval: Retrieval
  readonly task: Task
}

/** One URL of `get`, from the typed text to its line of -w. */
export class Job {
  readonly #entry: Entry
  readonly #session: Session
  readonly #kept: KeptOctets
  #retrieval: Retrieval | null = null
  #task: Task | null = null
  #account: Account | null = null
  /** Why the URL is not asked for; null if it is, or if its file exists. */
  leftOut: LeftOut | null = null

  constructor(entry: Entry, session: Session) {
    const { config, report } = session.run
    this.#entry = entry
    this.#session = session
    this.#kept = new KeptOctets(report, config)
  }

  /** The number of the URL among all URLs of the command, from 0. */
  get index(): number {
    return this.#entry.index
  }

  /** The full URL, or the typed text if it is malformed. */
  get url(): string {
    return this.#retrieval?.resolution.url ?? this.#entry.operand
  }

  /** The host of the URL; "" if it names none. */
  get host(): string {
    return this.#retrieval === null ? '' : hostOf(this.#retrieval.resolution)
  }

  /** The file to which the body is saved; null for standard output, or if it is not yet known. */
  get path(): string | null {
    return this.#retrieval?.facts.file ?? null
  }

  /** The name of the file, if that does not follow from the URL. */
  get ownName(): string | null {
    const { destination, name } = this.#entry
    if (this.path === null || this.#retrieval === null || destination.to !== 'remote-name') return name
    const own = relative(destination.directory, this.path).replaceAll(sep, '/')
    const usual = placeOf(this.#session.run.config.places.layout, this.#retrieval.resolution)
    return own === usual || destination.byServer ? null : own
  }

  /** How many octets of the body have come. */
  get received(): number {
    return this.#retrieval?.facts.received ?? 0
  }

  /** Whether the body goes to standard output. */
  get toStdout(): boolean {
    return this.#entry.destination.to === 'stdout' && !this.#session.run.config.parts?.attachmentsTo
  }

  /**
   * Prepares the retrieval without contacting a server. Null if the URL is left out, or if its file exists and must
   * stay. Rejects if the URL or its destination makes no sense.
   */
  async prepare(): Promise<Prepared | null> {
    const { destination, name, operand, index } = this.#entry
    const session = this.#session
    const retrieval = this.#open(operand, index)
    if (!(await this.#isAdmitted(retrieval))) return null
    const account = this.#account
    this.#task = await taskFor(destination, { name, retrieval, session, kept: this.#kept, account })
    if (account !== null) retrieval.onBegun = () => account.begun(this.path)
    return this.#task === null ? null : { retrieval, task: this.#task }
  }

  #open(operand: string, index: number): Retrieval {
    const { ledger } = this.#session
    try {
      this.#retrieval = this.#session.open(operand, index)
      return this.#retrieval
    } catch (error) {
      this.#account = ledger?.accountOf(operand, this.#givenName) ?? null
      throw error
    }
  }

  async #isAdmitted({ resolution }: Retrieval): Promise<boolean> {
    const { ledger, run } = this.#session
    const { shard } = run.config.places
    if (shard !== null && !isIn(shard, resolution)) {
      this.leftOut = { why: 'elsewhere' }
      return false
    }
    if (ledger === null || this.toStdout) return true
    const { destination, name } = this.#entry
    const { layout } = run.config.places
    const isIndex = name === null && endsInIndex(layout, resolution)
    const isOwn = (file: string): boolean =>
      isOwnFile(file, destination, () => name ?? placeOf(layout, resolution), isIndex)
    const admitted = await ledger.admit(resolution.url, this.#givenName, isOwn)
    if (admitted instanceof Account) this.#account = admitted
    else this.leftOut = admitted
    return this.leftOut === null
  }

  /** The name that the command line or the list gives to the file; null if neither does. */
  get #givenName(): string | null {
    const { destination, name } = this.#entry
    return destination.to === 'file' ? destination.path : name
  }

  /** Retrieves the URL, and gives its body to the destination. */
  async run({ retrieval, task }: Prepared): Promise<void> {
    if (this.#opensService(retrieval)) {
      const { useService } = await import('../service/index.ts')
      return useService(retrieval, this.#session, this.#entry.destination)
    }
    await using representation = await retrieval.begin(task)
    await task.use(representation)
  }

  /** Whether standard input and output become a session. If not, the program to run is named. */
  #opensService({ resolution }: Retrieval): boolean {
    const { config } = this.#session.run
    const isPlain = this.toStdout && !config.json && config.request.head !== true && config.many.from.length === 0
    return isPlain && isOpenable(resolution)
  }

  /** Gives the body to the destination, once the client has the representation. */
  async use(representation: Representation): Promise<void> {
    await this.#retrieval?.opened(representation, this.#task ?? {})
    await this.#task?.use(representation)
  }

  /** Reports the outcome with -w and in the tally. Returns the exit code. */
  async end(error: unknown, tally: Tally): Promise<number> {
    await this.#retrieval?.failed()
    const explained = error === null ? null : ((await this.#task?.explain?.(error)) ?? error)
    await this.#task?.end?.()
    const count = (): number => {
      if (explained !== null) return tally.failedWith(this, explained)
      tally.retrieved(this)
      return 0
    }
    try {
      await this.#writeOut(explained)
      await this.#writeResult(explained)
    } catch (failure) {
      // The outcome counts all the same, so that a reader of standard output that has gone hides no failure.
      count()
      throw failure
    }
    if (explained === null) {
      await this.#account?.ended(null, 0, this.path)
      return count()
    }
    const code = count()
    await this.#account?.ended(explained, code, this.path)
    await this.tellKept()
    return code
  }

  /** Reports what a retrieval that was broken off left of its file. */
  async tellKept(): Promise<void> {
    await this.#kept.tell(this.#entry.operand)
  }

  async #writeResult(error: unknown): Promise<void> {
    const { run } = this.#session
    const { json, hashes } = run.config
    if (!(json || hashes?.sha256) || run.signal.aborted) return
    const { writeResult } = await import('../results/write-result.ts')
    const facts = this.#retrieval?.facts ?? new Facts(run.servers)
    await writeResult({ operand: this.#entry.operand, facts, error }, this.toStdout, run)
  }

  async #writeOut(error: unknown): Promise<void> {
    const { run } = this.#session
    const { writeOut } = run.config
    if (writeOut === null || run.signal.aborted) return
    const { writeOutcome } = await import('../write-out/index.ts')
    const { operand, index } = this.#entry
    const facts = this.#retrieval?.facts ?? new Facts(run.servers)
    await writeOutcome(writeOut, { operand, index, facts, error }, run)
  }
}
