import { RetrievalError } from '@retriever/core'
import type { Shard } from '../redis/shard.ts'
import { holdTurn } from '../scripts/frontier.ts'
import type { Script } from '../scripts/script.ts'

/**
 * For this share of its duration, a lock is surely ours: clocks differ, and a request takes its time to the host. With
 * a look at every quarter, the turn of a worker without Redis ends before others can take it.
 */
const sure = 0.7

/**
 * A turn's lock as its owner knows it. Each script that finds the lock lengthens it. A process that was stopped learns
 * by its own clock that the lock may be another one's by now, before it asks Redis, and so does one without Redis.
 */
export class Lease {
  readonly turn: string
  readonly signal: AbortSignal
  readonly #shard: Shard
  readonly #token: string
  readonly #duration: number
  readonly #abort = new AbortController()
  readonly #timer: NodeJS.Timeout
  /** Until when the lock is surely ours, by performance.now(). */
  #until: number

  /** `duration`: of the lock, in milliseconds. */
  constructor(shard: Shard, turn: string, token: string, duration: number) {
    this.turn = turn
    this.#shard = shard
    this.#token = token
    this.#duration = duration
    // The first script tells more: until then nothing is retrieved.
    this.#until = performance.now() + sure * duration
    this.signal = this.#abort.signal
    this.#timer = setInterval(() => {
      this.look()
      void this.run(holdTurn).catch(() => {})
    }, duration / 4)
  }

  get isLost(): boolean {
    return this.signal.aborted
  }

  /** Runs a fenced script. Null: the lock is lost, and the turn is aborted. */
  async run(script: Script, ...args: readonly (string | number | Buffer)[]): Promise<unknown> {
    if (this.isLost) return null
    const { keys } = this.#shard
    const asked = performance.now()
    const own = [this.#token, this.#duration, this.turn]
    const answer = await this.#shard.runWith(script, [keys.lock(this.turn), keys.base], ...own, ...args)
    if (answer === -1) this.lose()
    else this.#until = Math.max(this.#until, asked + sure * this.#duration)
    return this.isLost ? null : answer
  }

  /** Aborts the turn if the lock may be another one's. Called before each request to the host. */
  look(): void {
    if (performance.now() >= this.#until) this.lose()
  }

  lose(): void {
    if (!this.isLost) this.#abort.abort(lost(this.turn))
    this.end()
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

function lost(turn: string): RetrievalError {
  return new RetrievalError('aborted', `The turn of ${turn} was lost: another worker may have it.`, {
    phase: 'request',
    transient: true,
  })
}
