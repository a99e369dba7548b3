import { setTimeout } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import type { BatchItem, BatchOptions, RetrieveOptions } from '@retriever/fetchers'
import { forOtherOrigin, isTrouble, lookingFirst } from '@retriever/fetchers/internal'
import { countWaiting, leaveTurn, openTurn, takeBlock } from '../scripts/frontier.ts'
import { giveUpHost } from '../scripts/outcomes.ts'
import { type Asked, Decider, type TurnPlace } from './decide.ts'
import { Gate } from './gate.ts'
import { HostRobots } from './host-robots.ts'
import type { Lease } from './lease.ts'
import { Pace } from './pace.ts'
import { failureOf, Recorder } from './recorder.ts'
import { type TakenBlock, type TurnUrl, takenBlock } from './taken.ts'
import type { WorkOutcome } from './work-options.ts'

/** How a turn ends. */
export interface TurnEnd {
  /** When the host gets its next turn, by Date.now(); null: it has no URLs. */
  readonly next: number | null
}

/** One turn of one host: its URLs are retrieved until its time is over, the host is in trouble, or none is left. */
export class Turn {
  readonly #place: TurnPlace
  readonly #lease: Lease
  readonly #recorder: Recorder
  /** How many URLs may be under way: one that waited in the batch would begin although the host is in trouble. */
  readonly #gate: Gate
  /** When the turn had its time, by performance.now(). */
  #end: number
  /** The least time between two requests, in milliseconds. */
  #interval: number
  readonly #taken: TakenBlock[] = []
  /** The URLs that have an outcome. */
  readonly #ended = new Set<TurnUrl>()
  /** Pages whose links are on their way. */
  readonly #following: Promise<void>[] = []
  #pace: Pace
  #lastRequest = 0
  /** Ends the requests of the turn. AbortSignal.any() with a signal of the worker would keep 1.3 kB of each turn. */
  readonly #abort = new AbortController()

  constructor(place: TurnPlace, lease: Lease) {
    this.#place = place
    this.#lease = lease
    this.#recorder = new Recorder(lease)
    this.#gate = new Gate(place.options.perHost)
    this.#pace = new Pace(0, place.options)
    this.#interval = place.options.interval
    this.#end = performance.now() + place.options.turnTime
  }

  /** Null: the turn was lost. Rejects if Redis fails. */
  async run(): Promise<TurnEnd | null> {
    const { signal } = this.#place
    const abort = (): void => this.#abort.abort(signal.aborted ? signal.reason : this.#lease.signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    this.#lease.signal.addEventListener('abort', abort)
    try {
      return await this.#run()
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #run(): Promise<TurnEnd | null> {
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
    const { client, options } = this.#place
    const request = this.#request()
    const robots = options.robots ? new HostRobots(this.#place.shard, client, request) : null
    await this.#keepDelay(robots)
    const decider = new Decider(this.#place, robots)
    const keep: Parameters<typeof client.mapAll<WorkOutcome['state'], Asked>>[1] = async (representation, { key }) => {
      this.#pace.answered()
      return key === undefined ? 'there' : await decider.keep(representation, key)
    }
    const interval = this.#interval > 0 ? { interval: this.#interval } : {}
    // A server that a page has named gets no login and no secret fields (threats.md case 15).
    const forAll = { ...forOtherOrigin(request), perHost: options.perHost, ...interval }
    const batch = client.mapAll(this.#urls(decider), keep, forAll)
    try {
      for await (const { key, error, value } of batch) {
        if (key !== undefined) this.#note(key, error, value ?? 'there')
        this.#gate.leave()
      }
    } catch (error) {
      // Outcomes have the errors of URLs: this one is of the client's options, or the client is closed.
      if (!this.#isOver) this.#place.onFailed(error)
    }
    await Promise.all(this.#following)
  }

  /** Each request is made by the owner of the turn. */
  #request(): BatchOptions & RetrieveOptions {
    const { options } = this.#place
    return {
      ...options.request,
      signal: lookingFirst(this.#abort.signal, () => this.#lease.look()),
      use: [
        ...(options.request.use ?? []),
        (request, next) => {
          this.#lastRequest = Date.now()
          return next(request)
        },
      ],
    }
  }

  /** Reads the delay that robots.txt wants, and keeps it between robots.txt itself and the first URL. */
  async #keepDelay(robots: HostRobots | null): Promise<void> {
    if (this.#taken.length === 0) await this.#take()
    const first = this.#taken[0]?.left[0]
    if (robots === null || first === undefined) return
    try {
      this.#interval = Math.max(this.#interval, await robots.delayFor(first))
    } catch {
      // The first URL gets the error.
    }
    const wait = this.#lastRequest + this.#interval - Date.now()
    if (this.#lastRequest > 0 && wait > 0) {
      await setTimeout(wait, undefined, { signal: this.#place.stopping }).catch(() => {})
    }
  }

  get #isOver(): boolean {
    return this.#lease.isLost || this.#place.signal.aborted
  }

  /** Whether a further URL may begin. */
  get #goesOn(): boolean {
    return this.#pace.trouble === null && !this.#isOver && !this.#place.options.stop.aborted
  }

  async *#urls(decider: Decider): AsyncGenerator<BatchItem<Asked>> {
    for (let at = 0; this.#goesOn && (at < this.#taken.length || (await this.#take())); at++) {
      for (const url of this.#taken[at]?.left ?? []) {
        await this.#gate.enter()
        if (!this.#goesOn || (await this.#isTimeOver())) return
        const item = await this.#itemOf(url, decider)
        if (item === null) this.#gate.leave()
        else yield item
      }
    }
  }

  /** Takes the next block of the host. False: there is none. */
  async #take(): Promise<boolean> {
    const [number, packed] = ((await this.#lease.run(takeBlock, this.#place.shard.keys.queue)) ?? []) as Buffer[]
    if (number === undefined || packed === undefined) return false
    this.#taken.push(takenBlock(number.toString(), packed, Buffer.alloc(0)))
    return true
  }

  /** Whether the turn had its time, and others wait for theirs. */
  async #isTimeOver(): Promise<boolean> {
    if (performance.now() < this.#end) return false
    const { shard, options } = this.#place
    this.#end = performance.now() + options.turnTime
    return Number(await shard.run(countWaiting, shard.keys.queue, Date.now())) > 0
  }

  /** Null: the URL is not asked for. */
  async #itemOf(url: TurnUrl, decider: Decider): Promise<BatchItem<Asked> | null> {
    const { answers } = this.#pace
    try {
      const decision = await decider.decide(url, answers)
      if ('item' in decision) return decision.item
      this.#finish(decision.outcome, url)
    } catch (error) {
      this.#fail(url, answers, error)
    }
    return null
  }

  #note(asked: Asked, error: Error | null, state: WorkOutcome['state']): void {
    const { url, answers, page } = asked
    const { follower } = this.#place
    const finish = (): void => this.#finish({ url: url.url, state, error: null }, url)
    if (error !== null) this.#fail(url, answers, error)
    else if (page === null || follower === null) finish()
    else {
      // A page is over when its links are in Redis: if a worker is killed before, the next one finds them again.
      const added = follower.add(url, page.url, page.links())
      this.#following.push(added.then(finish, (failure) => this.#place.onFailed(failure)))
    }
  }

  #fail(url: TurnUrl, answers: number, error: unknown): void {
    // What was aborted has no outcome: the next owner retrieves it.
    if (this.#isOver) return
    if (RetrievalError.is(error) && error.code !== 'write-failed') {
      this.#pace.failed(error, answers)
      const mayPass = error.transient || isTrouble(error)
      const isAgain = mayPass && url.block.tries + 1 < this.#place.options.tries
      this.#finish({ url: url.url, state: isAgain ? 'again' : 'failed', error }, url)
    } else this.#place.onFailed(error)
  }

  #finish(outcome: WorkOutcome, url: TurnUrl): void {
    this.#ended.add(url)
    if (outcome.state === 'again') this.#recorder.again(url)
    else if (outcome.error !== null) this.#recorder.failed(url, outcome.error)
    else this.#recorder.done(url)
    this.#place.onOutcome(outcome)
  }

  async #leave(): Promise<TurnEnd | null> {
    const { isHopeless, trouble, troubles } = this.#pace
    if (isHopeless && trouble !== null) {
      const left = this.#taken.flatMap((block) => block.left.filter((url) => !this.#ended.has(url)))
      for (const url of left) this.#finish({ url: url.url, state: 'failed', error: trouble }, url)
      await this.#recorder.flush()
      await this.#lease.run(giveUpHost, JSON.stringify(failureOf(null, trouble, troubles)))
    }
    const next = Math.max(this.#pace.next, this.#lastRequest + this.#interval)
    const rest = isHopeless ? 0 : troubles
    const left = await this.#lease.run(leaveTurn, next > Date.now() ? next : 0, rest)
    if (left === null) return null
    return { next: left === 0 ? null : next }
  }
}
