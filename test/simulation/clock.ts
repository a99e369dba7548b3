/** A timer as Node gives one. */
class Timer {
  readonly #clock: VirtualClock
  readonly run: () => void
  readonly milliseconds: number
  due = 0
  /** The network's own timers are no client's. */
  readonly isOfNetwork: boolean

  constructor(clock: VirtualClock, run: () => void, milliseconds: number, isOfNetwork: boolean) {
    this.#clock = clock
    this.run = run
    this.milliseconds = milliseconds
    this.isOfNetwork = isOfNetwork
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  refresh(): this {
    this.#clock.add(this)
    return this
  }
}

const real = { setImmediate, clearImmediate }

/** The time of a simulation: it stands still while anything is left to do, and then goes on to the next timer. */
export class VirtualClock {
  now = 0
  /** By time; the next one is last. */
  readonly #timers: Timer[] = []
  #immediates = 0

  /** Puts itself in the place of the timers and clocks of this process. */
  install(): void {
    const immediates = new Set<object>()
    Object.assign(globalThis, {
      setTimeout: (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
        this.add(new Timer(this, () => run(...args), Math.max(1, milliseconds), false)),
      clearTimeout: (timer: unknown) => this.remove(timer),
      setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => {
        this.#immediates++
        const immediate = real.setImmediate(() => {
          immediates.delete(immediate)
          this.#immediates--
          run(...args)
        })
        immediates.add(immediate)
        return immediate
      },
      clearImmediate: (immediate: NodeJS.Immediate) => {
        if (immediates.delete(immediate)) this.#immediates--
        real.clearImmediate(immediate)
      },
    })
    performance.now = () => this.now
    Date.now = () => Date.UTC(2026, 0, 1) + this.now
  }

  /** Calls the function later, for the network. */
  after(milliseconds: number, run: () => void): void {
    this.add(new Timer(this, run, milliseconds, true))
  }

  add(timer: Timer): Timer {
    this.remove(timer)
    timer.due = this.now + timer.milliseconds
    const timers = this.#timers
    let at = timers.length
    // Of two that are due together, the one that was set first comes first.
    while (at > 0 && (timers[at - 1] as Timer).due <= timer.due) at--
    timers.splice(at, 0, timer)
    return timer
  }

  remove(timer: unknown): void {
    const at = this.#timers.lastIndexOf(timer as Timer)
    if (at >= 0) this.#timers.splice(at, 1)
  }

  /** How many timers clients have set. */
  get clientTimers(): number {
    return this.#timers.filter(({ isOfNetwork }) => !isOfNetwork).length
  }

  /** Goes on to the next timer. Returns false if there is none. */
  step(): boolean {
    const next = this.#timers.pop()
    if (next === undefined) return false
    this.now = next.due
    next.run()
    return true
  }

  /** Resolves when nothing is left to do but to wait for a timer. */
  async settle(): Promise<void> {
    do await new Promise((resolve) => real.setImmediate(resolve))
    while (this.#immediates > 0)
  }

  /** Forgets all timers, and begins anew. */
  reset(): void {
    this.now = 0
    this.#timers.length = 0
  }
}
