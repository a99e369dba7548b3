import type { Stopwatch, Timings } from '../contract/timings.ts'

type Step = Exclude<keyof Timings, 'startTime'>

export class StepStopwatch implements Stopwatch {
  readonly startTime: number = performance.now()
  #times: Partial<Record<Step, number>> = {}

  again(step: 'redirected' | 'retried'): void {
    const { redirected } = this.#times
    this.#times = { ...(redirected !== undefined && { redirected }), [step]: this.#now() }
  }

  mark(step: Parameters<Stopwatch['mark']>[0]): void {
    this.#times[step] ??= this.#now()
  }

  requested(): void {
    if (this.#times.responded === undefined) this.#times.requested = this.#now()
  }

  responded(): void {
    this.#times.responded = this.#now()
  }

  ended(): void {
    this.#times.ended ??= this.#now()
  }

  get timings(): Timings {
    const { redirected, retried, waited, lookedUp, connected, secured, requested, responded, ended } = this.#times
    return {
      startTime: this.startTime,
      redirected: redirected ?? null,
      retried: retried ?? null,
      waited: waited ?? null,
      lookedUp: lookedUp ?? null,
      connected: connected ?? null,
      secured: secured ?? null,
      requested: requested ?? null,
      responded: responded ?? null,
      ended: ended ?? null,
    }
  }

  #now(): number {
    return performance.now() - this.startTime
  }
}
