import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './stryker.mjs'

/** Runs of so many lines are drawn, since a change that takes several lines must lie in one of them. */
const length = 8

/** Draws a share of the lines of files, as ranges for Stryker. The same seed draws the same lines. */
export function sampled(files, percent, seed) {
  const random = generator(seed)
  return files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length
    const starts = Array.from({ length: Math.ceil(lines / length) }, (_, at) => 1 + at * length)
    return starts.filter(() => random() * 100 < percent).map((at) => `${file}:${at}-${at + length - 1}`)
  })
}

/** Mulberry32, which is enough for a draw. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
