import { formatSize, type Output } from './output.ts'
import { type BodyState, formatBody, formatDuration, formatList, formatNamed } from './progress-line.ts'

/** The milliseconds between two drawings: an eye can follow ten a second. */
const redrawEvery = 100
/** The milliseconds over which the rate is measured. */
const rateWindow = 5000
/** The most lines for bodies, so that earlier text on the terminal stays in sight. */
const maxLines = 10

/** The progress of a command with many URLs. */
export interface Overview {
  /** How many URLs are done, and how many there are; null until the list has been read to its end. */
  readonly done: number
  readonly total: number | null
  readonly failed: number
  /** How many of those that are done were asked for in this run, if not all. */
  readonly asked?: number
  /** The hosts with the most failures, the worst first, as in `9 at www.example.org`. */
  readonly worst?: readonly string[]
  /** `[37/100] ` if 37 URLs are done. */
  label(done: number): string
}

/**
 * Shows at the bottom of the terminal how much of each body has come. A single body gets one line; several get a line
 * each with their names, above a line about all.
 */
export class Progress {
  readonly #output: Output
  readonly #meters = new Set<Meter>()
  #overview: Overview | null = null
  readonly #all = new Rate()
  readonly #each = new Rate()
  /** The octets of the bodies that have ended. */
  #ended = 0
  #begun = 0
  #timer: NodeJS.Timeout | undefined
  readonly #draw = (): void => this.#output.status(this.#lines().join('\n'))

  constructor(output: Output) {
    this.#output = output
  }

  /** Shows several bodies from now on, with a line about all of them. */
  showMany(overview: Overview): void {
    this.#overview = overview
    this.#begun = performance.now()
    if (this.#output.stderrIsTerminal) this.#start()
  }

  /** Adds a body that will come. */
  open(name: string): Meter {
    return new Meter(
      name,
      this.#meters,
      () => this.#start(),
      (meter) => this.#end(meter),
    )
  }

  /** Removes all lines. */
  end(): void {
    clearInterval(this.#timer)
    if (this.#timer !== undefined) this.#output.streams.stderr.off('resize', this.#draw)
    this.#timer = undefined
    this.#output.status('')
  }

  #start(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(this.#draw, redrawEvery)
    this.#timer.unref()
    this.#output.streams.stderr.on('resize', this.#draw)
  }

  #end(meter: Meter): void {
    this.#ended += meter.received
    if (this.#overview === null && this.#meters.size === 0) this.end()
  }

  #lines(): string[] {
    // Leaves room for the `^C` of the terminal. It would otherwise wrap to the next line, and this line would stay
    // behind.
    const width = this.#output.stderrColumns - 3
    const meters = [...this.#meters]
    if (this.#overview === null) return meters.slice(0, 1).map((meter) => formatBody(meter.state(), width))
    const room = Math.min(maxLines, Math.floor(this.#output.stderrRows / 2) - 1)
    const lines = meters.slice(0, room).map((meter) => formatNamed(meter.name, meter.state(), width))
    const { worst = [] } = this.#overview
    return [...lines, this.#onAll(width), ...(worst.length === 0 ? [] : [formatList('failed: ', worst, width)])]
  }

  /** `[37/100] 5 failed, 0:40 left, 12 URLs/s, 4.1 MiB/s, 12 MiB`, as far as it fits. */
  #onAll(width: number): string {
    const { done = 0, total = null, failed = 0, asked = done } = this.#overview ?? {}
    let received = this.#ended
    let share = 0
    for (const meter of this.#meters) {
      received += meter.received
      share += meter.share
    }
    const rate = this.#all.at(received)
    // The sizes of bodies that have not begun are unknown, so this estimates by the number of URLs.
    const seconds = (performance.now() - this.#begun) / 1000
    const come = asked + share
    const left = total === null || come === 0 ? null : (seconds / come) * (total - done - share)
    const each = this.#each.at(asked)
    const parts = [
      ...(failed === 0 ? [] : [`${failed} failed`]),
      ...(left === null ? [] : [`${formatDuration(left)} left`]),
      ...(each === 0 ? [] : [`${each < 10 ? each.toFixed(1) : Math.round(each)} URLs/s`]),
      `${formatSize(rate)}/s`,
      formatSize(received),
    ]
    const label = this.#overview?.label(done).trimEnd() ?? ''
    let line = label
    for (const [index, part] of parts.entries()) {
      const longer = `${line}${index === 0 ? ' ' : ', '}${part}`
      if (longer.length <= width) line = longer
    }
    return line
  }
}

/** The progress of one body. */
export class Meter {
  readonly name: string
  received = 0
  #size: number | null = null
  #rate = new Rate()
  readonly #meters: Set<Meter>
  readonly #onShown: () => void
  readonly #onEnd: (meter: Meter) => void

  constructor(name: string, meters: Set<Meter>, onShown: () => void, onEnd: (meter: Meter) => void) {
    this.name = name
    this.#meters = meters
    this.#onShown = onShown
    this.#onEnd = onEnd
  }

  /** Shows the body, now that octets of it have come. */
  update(received: number, size: number | null): void {
    this.received = received
    this.#size = size
    if (!this.#meters.has(this)) {
      this.#rate = new Rate()
      this.#meters.add(this)
      this.#onShown()
    }
  }

  end(): void {
    if (this.#meters.delete(this)) this.#onEnd(this)
  }

  /** How much of the body has come, from 0 to 1. */
  get share(): number {
    return this.#size === null || this.#size === 0 ? 0 : Math.min(this.received / this.#size, 1)
  }

  state(): BodyState {
    return { received: this.received, size: this.#size, rate: this.#rate.at(this.received) }
  }
}

/** A rate over the last seconds: of octets, or of URLs. */
class Rate {
  #samples: (readonly [at: number, received: number])[] = [[performance.now(), 0]]

  /** So many a second, now that `received` have come. */
  at(received: number): number {
    const now = performance.now()
    this.#samples.push([now, received])
    this.#samples = this.#samples.filter(([at]) => now - at <= rateWindow)
    const [since, before] = this.#samples[0] ?? [now, received]
    return now > since ? ((received - before) * 1000) / (now - since) : 0
  }
}
