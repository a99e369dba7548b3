import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { alias, retry } from '../../vitest.config.ts'
import { LongestFirst } from '../support/longest-first.ts'
import { RetriedReporter } from '../support/retried-reporter.ts'
import { InteropReporter } from './reporter.ts'
import { maxWorkers } from './workers.ts'

/** The tests against real servers: the library as it stands in the sources, the command as it was built. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  resolve: { alias },
  test: {
    include: ['test/interop/*.test.ts', 'test/differential/*.test.ts'],
    globalSetup: 'test/interop/setup.ts',
    // Reporters given on the command line replace these; .ci/run names a second one there.
    reporters: ['default', new InteropReporter(), new RetriedReporter()],
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/loopback-only.ts'],
    // No test asserts against it: it ends what hangs.
    testTimeout: 120_000,
    retry,
    hookTimeout: 60_000,
  },
})
