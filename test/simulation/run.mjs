// pnpm simulate [SEED] [RUNS]: retrieves from servers on a virtual network, on the sources as they are.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runBundled } from '../support/run-bundled.mjs'

/** The timers of node:timers/promises, on the virtual clock. */
const timers = `
export const setTimeout = (delay, value) => new Promise((resolve) => globalThis.setTimeout(resolve, delay, value))
export const setImmediate = (value) => new Promise((resolve) => globalThis.setImmediate(resolve, value))`
const virtualTimers = {
  name: 'virtual timers',
  setup(build) {
    build.onResolve({ filter: /^node:timers\/promises$/ }, () => ({ path: 'timers', namespace: 'virtual' }))
    build.onLoad({ filter: /./, namespace: 'virtual' }, () => ({ contents: timers }))
  },
}

/** The runs of a seed, as simulate.ts makes them. */
const runsPerSeed = 8
/** Below this, a second process takes longer to start than it saves. */
const worthwhile = 4000

const [seed = String(Math.floor(Math.random() * 2 ** 31)), runs = '100000', part] = process.argv.slice(2)
const processes = part === 'part' || Number(runs) < worthwhile ? 1 : availableParallelism()
if (processes === 1) await runBundled(new URL('main.ts', import.meta.url), [virtualTimers])
else await share(Number(seed), Number(runs), processes)

/** Gives each process the same number of seeds: each has a clock of its own. */
async function share(first, count, processes) {
  const begun = performance.now()
  const each = Math.ceil(count / runsPerSeed / processes) * runsPerSeed
  const shares = Array.from({ length: processes }, (_, index) => Math.min(each, count - index * each)).filter(
    (runs) => runs > 0,
  )
  const program = fileURLToPath(import.meta.url)
  const ends = shares.map((runs, index) => {
    const args = [program, String(first + (index * each) / runsPerSeed), String(runs), 'part']
    return promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 }).catch((error) => error)
  })
  const failed = (await Promise.all(ends)).filter(({ code }) => code !== undefined)
  for (const { stdout, stderr } of failed) process.stdout.write(`${stdout}${stderr}`)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const found = failed.length === 0 ? 'nothing found' : 'FAILED'
  process.stdout.write(`${count} runs, seed ${first}, ${seconds} s, ${shares.length} processes: ${found}\n`)
  if (failed.length > 0) process.exitCode = 1
}
