import type { Representation } from '@retriever/fetchers'
import type { Retrieval } from '../retrieval.ts'
import type { Destination, Target } from '../saving/destination.ts'
import { KeptOctets } from '../saving/kept-octets.ts'
import { type Task, taskFor } from '../saving/task.ts'
import type { Session } from '../session.ts'
import { Facts } from '../write-out/facts.ts'

/** One URL of `get`, from the text that was typed to its line of -w. */
export class Job {
  readonly operand: string
  readonly index: number
  readonly #destination: Destination
  readonly #session: Session
  readonly #kept: KeptOctets
  #retrieval: Retrieval | null = null
  #task: Task | null = null

  constructor({ operand, destination }: Target, index: number, session: Session) {
    const { config, report } = session.run
    this.operand = operand
    this.index = index
    this.#session = session
    this.#destination = destination
    this.#kept = new KeptOctets(report, config.continueAt !== null)
  }

  /** Whether the body goes to standard output. */
  get toStdout(): boolean {
    return this.#destination.to === 'stdout' && !this.#session.run.config.parts?.attachmentsTo
  }

  /** Prepares the retrieval, and contacts no server. Rejects if the URL or its destination makes no sense. */
  async prepare(): Promise<{ readonly retrieval: Retrieval; readonly task: Task }> {
    const { run } = this.#session
    const retrieval = this.#session.open(this.operand)
    this.#retrieval = retrieval
    const task = await taskFor(this.#destination, { retrieval, run, kept: this.#kept })
    this.#task = task
    return { retrieval, task }
  }

  /** Retrieves the URL, and gives its body to the destination. */
  async run(): Promise<void> {
    const { retrieval, task } = await this.prepare()
    await using representation = await retrieval.begin(task)
    await task.use(representation)
  }

  /** Gives the body to the destination, once the client has the representation. */
  async use(representation: Representation): Promise<void> {
    await this.#retrieval?.opened(representation, this.#task?.check)
    await this.#task?.use(representation)
  }

  /** Reports how it ended: with -w, and an error in a sentence. Returns the exit code. */
  async end(error: unknown): Promise<number> {
    await this.#retrieval?.failed()
    const explained = error === null ? null : ((await this.#task?.explain?.(error)) ?? error)
    await this.#writeOut(explained)
    if (explained === null) return 0
    const code = this.#session.run.report.error(explained)
    await this.tellKept()
    return code
  }

  /** Reports what a retrieval that was broken off has left of its file. */
  async tellKept(): Promise<void> {
    await this.#kept.tell(this.operand)
  }

  async #writeOut(error: unknown): Promise<void> {
    const { run, servers } = this.#session
    const { writeOut } = run.config
    if (writeOut === null || run.signal.aborted) return
    const { writeOutcome } = await import('../write-out/index.ts')
    const facts = this.#retrieval?.facts ?? new Facts(servers)
    await writeOutcome(writeOut, { operand: this.operand, index: this.index, facts, error }, run)
  }
}
