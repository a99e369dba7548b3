import type { BatchItem } from '@retriever/fetchers'
import type { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'
import { type Turn, Turns } from '../turns.ts'
import type { Entries } from './entries.ts'
import { Job } from './job.ts'
import type { Tally } from './tally.ts'

/** How many URLs are read ahead of those that are done, since a list may have a host whose URLs must wait. */
const maxAhead = 1000

/**
 * Retrieves several URLs at a time, as the client's batches do. Standard output gets the bodies in the order of the
 * list, and so the same octets as without -Z: a body waits, unread, until all bodies before it are written. A line of
 * -w is written when its URL is done, but never within a body.
 */
export async function retrieveInParallel(
  entries: (signal: AbortSignal) => Entries,
  session: Session,
  tally: Tally,
): Promise<void> {
  await using work = new ParallelWork(session, tally)
  await work.run(entries)
}

/** A URL that is being retrieved, and its turn at standard output; null if its body goes elsewhere. */
interface Begun {
  readonly job: Job
  readonly turn: Turn | null
}

class ParallelWork implements AsyncDisposable {
  readonly #session: Session
  readonly #tally: Tally
  readonly #stop = new AbortController()
  /** The turns of the bodies at standard output, in the order of the list. */
  readonly #order = new Turns()
  /** The turns of everything that writes to standard output, so that no line of -w stands within a body. */
  readonly #stdout = new Turns()
  readonly #ending = new Set<Promise<void>>()
  #open = 0
  #hasRoom = (): void => {}
  /** Why the whole command ends; null while it goes on. */
  #end: { readonly error: unknown } | null = null

  constructor(session: Session, tally: Tally) {
    this.#session = session
    this.#tally = tally
    session.run.signal.addEventListener('abort', this.#interrupt, { once: true })
    if (session.run.signal.aborted) this.#interrupt()
  }

  async run(entries: (signal: AbortSignal) => Entries): Promise<void> {
    const { client, run } = this.#session
    const { concurrency, perHost, pace } = run.config.many
    const rate = pace > 0 ? { interval: pace } : {}
    const options = { concurrency, perHost, ...rate, signal: this.#stop.signal }
    const batch = client.mapAll(
      this.#items(entries(this.#stop.signal)),
      (representation, { key }) => key && this.#use(key, representation),
      options,
    )
    try {
      for await (const { key, error } of batch) if (key !== undefined) this.#settle(key, error)
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error
    }
    await Promise.all(this.#ending)
    if (this.#end !== null) throw this.#end.error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.run.signal.removeEventListener('abort', this.#interrupt)
    await Promise.all(this.#ending)
  }

  readonly #interrupt = (): void => this.#endWith(this.#session.run.signal.reason)

  #endWith(error: unknown): void {
    this.#end ??= { error }
    this.#stop.abort(error)
  }

  async *#items(entries: Entries): AsyncGenerator<BatchItem<Begun>> {
    try {
      for await (const entry of entries) {
        while (this.#open >= maxAhead) await new Promise<void>((resolve) => (this.#hasRoom = resolve))
        if (this.#stop.signal.aborted) return
        const item = await this.#prepare(new Job(entry, this.#session))
        if (item !== null) yield item
      }
    } catch (error) {
      // If a list cannot be read further, the command ends after the URLs that the list gave.
      if (!this.#stop.signal.aborted) this.#end ??= { error }
    }
  }

  /** Prepares a job. Null if its URL failed, or is left out. */
  async #prepare(job: Job): Promise<BatchItem<Begun> | null> {
    this.#open++
    const turn = job.toStdout ? this.#order.take() : null
    try {
      const prepared = await job.prepare()
      if (prepared === null) {
        this.#tally.skipped(job)
        this.#close(turn)
        return null
      }
      const { retrieval, task } = prepared
      const { onBegun } = retrieval
      // An end of the command begins with all URLs that wait, so that they fail.
      retrieval.onBegun = () => this.#stop.signal.aborted || onBegun?.()
      // Bodies for standard output go in the order of the list, so that none waits for a URL that has not begun.
      const priority = turn === null ? 0 : -job.index
      return { url: retrieval.entered, key: { job, turn }, options: retrieval.request(task), priority }
    } catch (error) {
      this.#settle({ job, turn }, error)
      return null
    }
  }

  async #use({ job, turn }: Begun, representation: Parameters<Job['use']>[0]): Promise<void> {
    if (turn === null) return job.use(representation)
    await turn.comes
    await this.#writing(() => job.use(representation))
  }

  #settle(begun: Begun, error: unknown): void {
    const ending = this.#finish(begun, error).finally(() => {
      this.#ending.delete(ending)
      this.#close(begun.turn)
    })
    this.#ending.add(ending)
  }

  #close(turn: Turn | null): void {
    turn?.end()
    this.#open--
    this.#hasRoom()
  }

  async #finish({ job, turn }: Begun, error: unknown): Promise<void> {
    await turn?.comes
    if (error instanceof StdoutClosed) this.#endWith(error)
    if (error !== null && this.#stop.signal.aborted) {
      this.#tally.brokenOff(job, error)
      return job.tellKept()
    }
    try {
      const code = await this.#writing(() => job.end(error, this.#tally))
      if (code !== 0 && this.#session.run.config.many.failEarly) this.#stop.abort()
    } catch (failure) {
      this.#endWith(failure)
    }
  }

  async #writing<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#stdout.take()
    try {
      await turn.comes
      return await write()
    } finally {
      turn.end()
    }
  }
}
