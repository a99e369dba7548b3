import { expect, test } from 'vitest'
import { formatBody as formatProgress } from '../../../packages/cli/src/terminal/progress-line.ts'

const MiB = 2 ** 20

test.each([
  [{ received: 0, size: 100 * MiB, rate: 0 }, 60, '  0% [                               ] 0 B of 100 MiB, 0 B/s'],
  [
    { received: 45 * MiB, size: 100 * MiB, rate: 11 * MiB },
    60,
    ' 45% [=====>        ] 45 MiB of 100 MiB, 11 MiB/s, 0:05 left',
  ],
  [{ received: 100, size: 100, rate: 1 }, 50, '100% [=========>] 100 B of 100 B, 1 B/s, 0:00 left'],
  [{ received: 1, size: 100 * MiB, rate: 1 }, 200, `  0% [${' '.repeat(40)}] 1 B of 100 MiB, 1 B/s, 99:59:59 left`],
  [{ received: 1.5 * MiB, size: null, rate: 2048 }, 80, '1.5 MiB, 2.0 KiB/s'],
  // Servers lie.
  [{ received: 200, size: 100, rate: 100 }, 60, '100% [=================>] 200 B of 100 B, 100 B/s, 0:00 left'],
])('%j in %i columns', (state, width, line) => {
  expect(formatProgress(state, width)).toBe(line)
})

test.each([5, 10, 20, 30, 40, 79, 200])('never wider than %i columns', (width) => {
  for (const size of [null, 0, 1, 10 ** 15]) {
    expect(formatProgress({ received: 123_456_789, size, rate: 98_765 }, width).length).toBeLessThanOrEqual(width)
  }
})
