/** The tests of one area (areas.mjs), as Stryker runs them: without retries, each file in the same process. */
import { defineConfig } from 'vitest/config'
import { alias } from '../../vitest.config.ts'

export default defineConfig({
  resolve: { alias },
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split('\n'),
    setupFiles: ['test/support/loopback-only.ts', 'test/support/fixed-seed.ts', 'test/mutation/load.ts'],
    isolate: false,
    // Generated inputs find what nobody thought of, which a change of the code is not: a few of them are enough.
    env: { RETRIEVER_TEST_RUNS: 'few' },
    // A change may make a test wait for ever; without one, the longest takes some seconds on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
