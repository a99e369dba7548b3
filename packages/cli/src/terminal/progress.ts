import { formatSize, type Output } from './output.ts'

/** The time between two drawings in milliseconds: an eye can follow ten a second. */
const redrawEvery = 100
/** The time in milliseconds over which the rate is measured. */
const rateWindow = 5000

export interface ProgressState {
  readonly received: number
  readonly size: number | null
  /** The rate in octets a second. */
  readonly rate: number
}

/** Shows one line on the terminal while a body is received. */
export class Progress {
  readonly #output: Output
  #received = 0
  #size: number | null = null
  #samples: (readonly [at: number, received: number])[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(output: Output) {
    this.#output = output
  }

  update(received: number, size: number | null): void {
    this.#received = received
    this.#size = size
    if (this.#timer !== undefined) return
    this.#samples = [[performance.now(), 0]]
    this.#timer = setInterval(() => this.#draw(), redrawEvery)
    this.#timer.unref()
  }

  /** Removes the line. */
  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#output.status('')
  }

  #draw(): void {
    const now = performance.now()
    this.#samples.push([now, this.#received])
    this.#samples = this.#samples.filter(([at]) => now - at <= rateWindow)
    const [since, before] = this.#samples[0] ?? [now, this.#received]
    const rate = now > since ? ((this.#received - before) * 1000) / (now - since) : 0
    const state = { received: this.#received, size: this.#size, rate }
    // Leaves room for the `^C` of the terminal, which would wrap to the next line and leave this one behind.
    this.#output.status(formatProgress(state, this.#output.stderrColumns - 3))
  }
}

/**
 * The line of a state, at most `width` columns: ` 45% [====>     ] 12 MiB of 27 MiB, 4.1 MiB/s, 0:04 left`, or `12 MiB,
 * 4.1 MiB/s`.
 */
export function formatProgress({ received, size, rate }: ProgressState, width: number): string {
  const speed = `${formatSize(rate)}/s`
  if (size === null || size === 0) return `${formatSize(received)}, ${speed}`.slice(0, width)
  const share = Math.min(received / size, 1)
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  const left = rate > 0 ? `, ${formatDuration((size - received) / rate)} left` : ''
  const figures = `${formatSize(received)} of ${formatSize(size)}, ${speed}${left}`
  const room = Math.min(width - percent.length - figures.length - 4, 40)
  // A bar of fewer than five columns is useless.
  return room < 5 ? `${percent} ${figures}`.slice(0, width) : `${percent} [${bar(share, room)}] ${figures}`
}

function bar(share: number, width: number): string {
  const done = Math.round(share * width)
  return `${'='.repeat(Math.max(done - 1, 0))}${done > 0 ? '>' : ''}`.padEnd(width)
}

/** Formats seconds: `0:05`, `12:00`, `1:00:00`. */
function formatDuration(seconds: number): string {
  const whole = Math.min(Math.max(Math.ceil(seconds), 0), 359_999)
  const two = (number: number): string => String(number).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`
}
