// pnpm simulate [SEED] [RUNS]: retrieves from servers on a virtual network, on the sources as they are.
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

await runBundled(new URL('main.ts', import.meta.url), [virtualTimers])
