import { readdirSync, readFileSync } from 'node:fs'

interface Sample {
  /** Octets of the heap that are in use after a collection, if this process is measured. */
  readonly heap: number
  /** Octets of the resident set. */
  readonly rss: number
  readonly files: number
}

/** Samples of a process that does the same for a long time: this one, or another one by its number. */
export class Growth {
  readonly #pid: number | undefined
  readonly #samples: Sample[] = []

  constructor(pid?: number) {
    this.#pid = pid
  }

  sample(): Sample {
    const folder = `/proc/${this.#pid ?? 'self'}`
    if (this.#pid === undefined) globalThis.gc?.()
    const heap = this.#pid === undefined ? process.memoryUsage().heapUsed : 0
    const rss = 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1])
    const sample = { heap, rss, files: readdirSync(`${folder}/fd`).length }
    this.#samples.push(sample)
    return sample
  }

  /** Names the values whose median in the last third is above that in the second one. The first third warms up. */
  grown(): string[] {
    return this.#thirds().flatMap(([name, , was, is]) => {
      const most = name === 'files' ? was + 10 : was * 1.1 + 4e6
      return is <= most ? [] : [`${name} has grown from ${was} to ${is}`]
    })
  }

  /** The medians of the three thirds, for people: `heap 20, 21, 21 MB; ...`. */
  summary(): string {
    const texts = this.#thirds().map(([name, ...medians]) => {
      return name === 'files' ? `${medians.join(', ')} files` : `${name} ${medians.map(mega).join(', ')} MB`
    })
    return `medians of the thirds: ${texts.join('; ')}`
  }

  #thirds(): (readonly [name: 'heap' | 'rss' | 'files', first: number, second: number, last: number])[] {
    const third = Math.floor(this.#samples.length / 3)
    const parts = [this.#samples.slice(0, third), this.#samples.slice(third, 2 * third), this.#samples.slice(-third)]
    return (['heap', 'rss', 'files'] as const).map((name) => {
      const [first = 0, second = 0, last = 0] = parts.map((part) => median(part.map((sample) => sample[name])))
      return [name, first, second, last]
    })
  }
}

export function mega(octets: number): string {
  return (octets / 1e6).toFixed(0)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
