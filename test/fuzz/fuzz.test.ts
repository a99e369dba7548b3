import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { fuzz } from './fuzz.ts'
import { Random } from './random.ts'
import type { Target } from './target.ts'
import { targets } from './targets.ts'

/**
 * A few of the runs that `pnpm fuzz` makes by the million, from one seed, so that the suite says the same each time.
 */
const most: Readonly<Record<string, number>> = { time: 40, answers: 500, directory: 800, kept: 800 }

test.each(Object.entries(targets).map(([name, { about }]) => [name, about] as const))(
  '%s: %s',
  { timeout: 60_000 },
  async (name) => {
    expect(await fuzz(targets[name] as Target, runs(most[name] ?? 3000), 20_260)).toBeNull()
  },
)

test('a failure is found again by its seed, and made smaller', async () => {
  const target: Target = {
    about: 'no text holds an x behind a y',
    generate: (random) => [random.several(20, () => random.pick([...'abxy']))],
    check(text = '') {
      if (/y.*x/.test(text)) throw new Error('it does')
    },
  }
  const failure = await fuzz(target, 1000, 1)
  expect(failure).toEqual({ input: ['yx'], message: 'it does' })
  expect(await fuzz(target, 1000, 1)).toEqual(failure)
  expect(await fuzz({ ...target, check: () => {} }, 10, 1)).toBeNull()
})

test('pnpm fuzz tries a target', async () => {
  const args = [fileURLToPath(new URL('run.mjs', import.meta.url)), 'mqtt-topic', '10', '1']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toMatch(/^mqtt-topic: 10 runs, seed 1, [\d.]+ s: nothing found\n$/)
})

test('the same seed gives the same numbers, and all of them', () => {
  const [one, two] = [new Random(7), new Random(7)]
  const drawn = Array.from({ length: 1000 }, () => one.below(10))
  expect(Array.from({ length: 1000 }, () => two.below(10))).toEqual(drawn)
  expect(new Set(drawn).size).toBe(10)
})
