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
    const third = Math.floor(this.#samples.length / 3)
    const [before, after] = [this.#samples.slice(third, 2 * third), this.#samples.slice(-third)]
    return (['heap', 'rss', 'files'] as const).flatMap((name) => {
      const [was, is] = [before, after].map((part) => median(part.map((sample) => sample[name])))
      if (was === undefined || is === undefined) return []
      const most = name === 'files' ? was + 10 : was * 1.1 + 4e6
      return is <= most ? [] : [`${name} has grown from ${was} to ${is}`]
    })
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
