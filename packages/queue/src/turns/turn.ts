import { RetrievalError, redact } from '@retriever/core'
import type { BatchItem, BatchOptions, Client, Representation } from '@retriever/fetchers'
import { isTrouble } from '@retriever/fetchers/internal'
import { sumOf } from '../frontier/host.ts'
import type { Shard } from '../redis/shard.ts'
import { leaveTurn, openTurn, takeBlock } from '../scripts/frontier.ts'
import { giveUpHost } from '../scripts/outcomes.ts'
import type { StoredUrl } from '../stores/store.ts'
import { Gate } from './gate.ts'
import type { Lease } from './lease.ts'
import { Pace } from './pace.ts'
import { failureOf, Recorder } from './recorder.ts'
import { type TakenBlock, type TurnUrl, takenBlock } from './taken.ts'
import type { KnownWorkOptions, WorkOutcome } from './work-options.ts'

/** What a turn needs of its worker. */
export interface TurnPlace {
  readonly shard: Shard
  readonly client: Pick<Client, 'mapAll'>
  readonly options: KnownWorkOptions
  /** Aborts when the worker ends. */
  readonly signal: AbortSignal
  /** Counts an outcome. */
  onOutcome(outcome: WorkOutcome): void
  /** The store or the client has failed: the worker cannot go on. */
  onFailed(error: unknown): void
}

/** How a turn ends. */
export interface TurnEnd {
  /** When the host gets its next turn, by Date.now(); null: it has no URLs. */
  readonly next: number | null
}

/** A URL on its way, as a key of the batch. */
interface Asked {
  readonly url: TurnUrl
  readonly stored: StoredUrl
  /** How many answers had come from the host before. */
  readonly answers: number
}

/** One turn of one host: its URLs are retrieved until its time is over, the host is in trouble, or none is left. */
export class Turn {
  readonly #place: TurnPlace
  readonly #lease: Lease
  readonly #recorder: Recorder
  /** How many URLs may be under way: one that waited in the batch would begin although the host is in trouble. */
  readonly #gate: Gate
  readonly #begun = performance.now()
  readonly #taken: TakenBlock[] = []
  /** The URLs that have an outcome. */
  readonly #ended = new Set<TurnUrl>()
  #pace: Pace
  #lastRequest = 0

  constructor(place: TurnPlace, lease: Lease) {
    this.#place = place
    this.#lease = lease
    this.#recorder = new Recorder(lease)
    this.#gate = new Gate(place.options.perHost)
    this.#pace = new Pace(0, place.options)
  }

  /** Null: the turn was lost. Rejects if Redis fails. */
  async run(): Promise<TurnEnd | null> {
    const opened = (await this.#lease.run(openTurn)) as Buffer[] | null
    if (opened === null) return null
    const [next, troubles, ...blocks] = opened
    this.#pace = new Pace(Number(troubles), this.#place.options)
    if (Number(next) > Date.now()) return { next: Number(next) }
    for (let at = 0; at + 2 < blocks.length; at += 3) {
      const [number, block, bits] = blocks.slice(at, at + 3)
      if (number && block && bits) this.#taken.push(takenBlock(number.toString(), block, bits))
    }
    await this.#retrieve()
    await this.#recorder.flush()
    return await this.#leave()
  }

  async #retrieve(): Promise<void> {
    const { client, options, signal } = this.#place
    const batch = client.mapAll(this.#urls(), (representation, { key }) => this.#keep(representation, key), {
      ...options.request,
      perHost: options.perHost,
      ...(options.interval > 0 && { interval: options.interval }),
      signal: AbortSignal.any([signal, this.#lease.signal]),
      use: [
        ...(options.request.use ?? []),
        (request, next) => {
          this.#lease.check()
          this.#lastRequest = Date.now()
          return next(request)
        },
      ],
    } satisfies BatchOptions)
    try {
      for await (const { key, error, value } of batch) {
        if (key !== undefined) this.#note(key, error, value === true)
        this.#gate.leave()
      }
    } catch (error) {
      // Outcomes have the errors of URLs: this one is of the client's options, or the client is closed.
      if (!this.#isOver) this.#place.onFailed(error)
    }
  }

  get #isOver(): boolean {
    return this.#lease.isLost || this.#place.signal.aborted
  }

  /** Whether a further URL may begin. */
  get #goesOn(): boolean {
    return this.#pace.trouble === null && !this.#isOver
  }

  async *#urls(): AsyncGenerator<BatchItem<Asked>> {
    for (const block of this.#taken) yield* this.#urlsOf(block)
    let others = 0
    while (this.#goesOn && (others === 0 || performance.now() - this.#begun < this.#place.options.turnTime)) {
      const { keys } = this.#place.shard
      const [number, packed, waiting] = ((await this.#lease.run(takeBlock, keys.queue, Date.now())) ?? []) as [
        Buffer,
        Buffer,
        number,
      ]
      if (number === undefined) return
      others = waiting
      const block = takenBlock(number.toString(), packed, Buffer.alloc(0))
      this.#taken.push(block)
      yield* this.#urlsOf(block)
    }
  }

  async *#urlsOf({ left }: TakenBlock): AsyncGenerator<BatchItem<Asked>> {
    for (const url of left) {
      await this.#gate.enter()
      if (!this.#goesOn) return
      const stored = { url: url.url, id: sumOf(url.url).toString('hex') }
      const item = await this.#itemOf(url, stored)
      if (item === null) this.#gate.leave()
      else yield item
    }
  }

  /** Null: the URL needs no retrieval, or there can be none. */
  async #itemOf(url: TurnUrl, stored: StoredUrl): Promise<BatchItem<Asked> | null> {
    const { options } = this.#place
    if (await this.#isStored(stored)) {
      this.#end({ url: url.url, state: 'there', error: null }, url)
      return null
    }
    const key = { url, stored, answers: this.#pace.answers }
    if (url.login === undefined) return { url: url.url, key }
    const login = await options.logins(url.login)
    if (login !== null) return { url: url.url, key, options: { login } }
    const message = `${redact(url.url)}: The worker does not know the login @${url.login}. Give it in \`logins\`.`
    const error = new RetrievalError('auth-required', message, { phase: 'policy', url: url.url })
    this.#end({ url: url.url, state: 'failed', error }, url)
    return null
  }

  async #isStored(stored: StoredUrl): Promise<boolean> {
    try {
      return await this.#place.options.store.has(stored)
    } catch (error) {
      this.#place.onFailed(error)
      return false
    }
  }

  async #keep(representation: Representation, asked: Asked | undefined): Promise<boolean> {
    if (asked === undefined) return false
    this.#pace.answered()
    return await this.#place.options.store.put(asked.stored, representation)
  }

  #note({ url, answers }: Asked, error: Error | null, isNew: boolean): void {
    if (error === null) this.#end({ url: url.url, state: isNew ? 'stored' : 'there', error: null }, url)
    // What was aborted has no outcome: the next owner retrieves it.
    else if (this.#isOver) return
    else if (!RetrievalError.is(error) || error.code === 'write-failed') this.#place.onFailed(error)
    else {
      this.#pace.failed(error, answers)
      const mayPass = error.transient || isTrouble(error)
      const isAgain = mayPass && url.block.tries + 1 < this.#place.options.tries
      this.#end({ url: url.url, state: isAgain ? 'again' : 'failed', error }, url)
    }
  }

  #end(outcome: WorkOutcome, url: TurnUrl): void {
    this.#ended.add(url)
    if (outcome.state === 'again') this.#recorder.again(url)
    else if (outcome.error !== null) this.#recorder.failed(url, outcome.error)
    else this.#recorder.done(url)
    this.#place.onOutcome(outcome)
  }

  async #leave(): Promise<TurnEnd | null> {
    const { interval } = this.#place.options
    const { isHopeless, trouble, troubles } = this.#pace
    if (isHopeless && trouble !== null) {
      const left = this.#taken.flatMap((block) => block.left.filter((url) => !this.#ended.has(url)))
      for (const url of left) this.#end({ url: url.url, state: 'failed', error: trouble }, url)
      await this.#recorder.flush()
      await this.#lease.run(giveUpHost, JSON.stringify(failureOf(null, trouble, troubles)))
    }
    const next = Math.max(this.#pace.next, this.#lastRequest + interval)
    const rest = isHopeless ? 0 : troubles
    const left = await this.#lease.run(leaveTurn, next > Date.now() ? next : 0, rest)
    if (left === null) return null
    return { next: left === 0 ? null : next }
  }
}
