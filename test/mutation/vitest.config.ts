/** The tests of one area (areas.mjs), as Stryker runs them: without retries, each file in the same process. */
import { defineConfig } from 'vitest/config'
import { alias } from '../../vitest.config.ts'

export default defineConfig({
  resolve: { alias },
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split('\n'),
    setupFiles: ['test/support/loopback-only.ts', 'test/support/fixed-seed.ts', 'test/mutation/load.ts'],
    isolate: false,
    // A change may make a test wait for ever.
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
})
