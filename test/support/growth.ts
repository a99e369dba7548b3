/** What takes time that grows faster than its input is found without a clock: by how much a longer input costs. */
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'

/** Milliseconds that are noise: a collection of garbage, a compilation. */
const noise = 10

/**
 * Runs something with an input of this length, and of a quarter of it: the longer one may take 8 times as long. What is
 * linear takes 4 times, what is quadratic 16 times. Only what is slow each time fails: V8 compiles and collects garbage
 * in threads whose time counts too, and four attempts at once may all meet one compilation. So there are twenty, each
 * in a turn of the event loop of its own, in which V8 takes over what it has compiled.
 */
export async function expectLinear(length: number, run: (length: number) => unknown): Promise<void> {
  const costs: (readonly [quarter: number, whole: number])[] = []
  for (let attempt = 0; attempt < 20; attempt++) {
    const quarter = await costOf(() => run(length / 4))
    const whole = await costOf(() => run(length))
    if (whole < 8 * quarter + noise) return
    costs.push([quarter, whole])
    await setImmediate()
  }
  expect.fail(`For a quarter and for all of ${length} it takes, in milliseconds: ${JSON.stringify(costs)}.`)
}

/** Milliseconds of the processor: what else the machine does counts for little. */
export async function costOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** A text repeated up to a length. */
export function filled(pump: string, length: number): string {
  return pump.repeat(Math.ceil(length / pump.length)).slice(0, length)
}
