import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { RetriedReporter } from './test/support/retried-reporter.ts'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Package names mean their sources: tests need no build. The command's tests do: they run packages/cli/dist. */
export const alias = [
  { find: '@retriever/core/internal', replacement: path('packages/core/src/internal.ts') },
  { find: '@retriever/core', replacement: path('packages/core/src/index.ts') },
  { find: '@retriever/fetchers/client', replacement: path('packages/fetchers/src/client.ts') },
  { find: '@retriever/fetchers/batches', replacement: path('packages/fetchers/src/batches.ts') },
  { find: '@retriever/fetchers/trees', replacement: path('packages/fetchers/src/trees.ts') },
  { find: '@retriever/fetchers/internal', replacement: path('packages/fetchers/src/internal.ts') },
  { find: '@retriever/fetchers/plugin', replacement: path('packages/fetchers/src/plugin.ts') },
  { find: '@retriever/fetchers/mime', replacement: path('packages/fetchers/src/mime/index.ts') },
  { find: '@retriever/fetchers/pages', replacement: path('packages/fetchers/src/pages/index.ts') },
  { find: /^@retriever\/fetchers\/(\w+)$/, replacement: path('packages/fetchers/src/protocols/$1/index.ts') },
  { find: '@retriever/fetchers', replacement: path('packages/fetchers/src/index.ts') },
  { find: '@retriever/queue', replacement: path('packages/queue/src/index.ts') },
  { find: '@retriever/gateway', replacement: path('packages/gateway/src/index.ts') },
  { find: '@retriever/servers/audit', replacement: path('test/servers/src/audit/index.ts') },
  { find: '@retriever/servers/contract', replacement: path('test/servers/src/contract/index.ts') },
  { find: '@retriever/servers/record', replacement: path('test/servers/src/record/index.ts') },
  { find: '@retriever/servers', replacement: path('test/servers/src/index.ts') },
]

/** The files that need a process of their own: they mock a module of Node, or load our modules anew. */
const isolated = [
  'test/client/addresses.test.ts',
  'test/client/guards.test.ts',
  'test/client/retry.test.ts',
  // They collect garbage again and again: a heap that holds the modules of all files makes that slow.
  'test/body/forgotten.test.ts',
  'test/gateway/crowd.test.ts',
  'test/wire/socks.test.ts',
  'test/wire/socks4.test.ts',
]

/** What `npm test` leaves to `npm run test:all`: exhaustive, and rarely the first to fail. */
const slow = [
  'test/cli/commands/audit-all.test.ts',
  'test/cli/commands/completions.test.ts',
  'test/cli/jail.test.ts',
  'test/cli/many/journal-killed.test.ts',
  'test/cli/many/journal-torn.test.ts',
  'test/client/idle-connections.test.ts',
  'test/docs/coming-from.test.ts',
  'test/cli/commands/readme.test.ts',
  'test/docs/cookbook.test.ts',
  'test/docs/lost-protocols.test.ts',
  'test/docs/programs.test.ts',
  'test/examples.test.ts',
  'test/house/new-scheme.test.ts',
  'test/package/**/*.test.ts',
  'test/regexps.test.ts',
  'test/servers/test/audit/audit.test.ts',
  'test/servers/test/readme.test.ts',
  'test/setup.test.ts',
]

/** What `npm test` does a share of (test/support/runs.ts), and `npm run test:all` all: drawn inputs, kills, starts. */
const counted = [
  'test/cli/commands/check.test.ts',
  'test/gateway/address.test.ts',
  'test/gateway/crowd.test.ts',
  'test/cli/options/any-line.test.ts',
  'test/cli/options/help.test.ts',
  'test/cli/options/protocols/like-curl.test.ts',
  'test/cli/saving/go-on.test.ts',
  'test/cli/start.test.ts',
  'test/cli/terminal/wrap.test.ts',
  'test/client/batch-random.test.ts',
  'test/client/handoff-of.test.ts',
  'test/core/abbreviation.test.ts',
  'test/core/extract.test.ts',
  'test/core/properties.test.ts',
  'test/core/url/normalize.test.ts',
  'test/protocols/ftp/attacks.test.ts',
  'test/protocols/ftp/faults.test.ts',
  'test/protocols/ftp/control/desync.test.ts',
  'test/protocols/ftp/limits.test.ts',
  'test/protocols/ftp/review.test.ts',
  'test/protocols/ftp/listing/lines.test.ts',
  'test/protocols/ftp/listing/listing.test.ts',
  'test/protocols/ftp/transfer/resume.test.ts',
  'test/protocols/ftp/transfer/segments.test.ts',
  'test/protocols/gopher/limits.test.ts',
  'test/protocols/http/coding/coding.test.ts',
  'test/protocols/http/faults.test.ts',
  'test/protocols/http/index-page/index-page.test.ts',
  'test/mime/files.test.ts',
  'test/mime/mime.test.ts',
  'test/protocols/nntp/connection/sessions.test.ts',
  'test/protocols/nntp/faults.test.ts',
  'test/saving/file-name.test.ts',
  'test/mirror/killed.test.ts',
  'test/wire/resuming-source.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/fuzz/url-rows.test.ts',
  'test/simulation/simulation.test.ts',
]

/**
 * In CI, a test that fails runs once more: one that passes then is known as unsteady, and fails the run all the same,
 * unless test/support/may-retry.ts has a reason for it. Everywhere else, a test runs once.
 */
export const retry: number = process.env.CI === undefined ? 0 : 1

const exclude = [...configDefaults.exclude, 'test/interop/**', 'test/differential/**']

export default defineConfig({
  resolve: { alias },
  test: {
    setupFiles: ['test/support/loopback-only.ts', 'test/support/fixed-seed.ts'],
    // No test asserts against these limits: they end what hangs, and a busy machine is slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    retry,
    reporters: ['default', new RetriedReporter()],
    // Most tests wait for sockets, timers and processes more than they compute.
    maxWorkers: 3 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // New objects get more room and one thread collects them: several processes share the processors as it is.
    execArgv: ['--min-semi-space-size=16', '--single-threaded-gc'],
    // At the start, all workers wait for the one process that strips types: what it made is kept in node_modules.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...isolated, ...slow],
          // The files of a process share its modules, which are then loaded once: a test undoes what it changes.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
      {
        extends: true,
        test: { name: 'slow', include: [...slow, ...counted], exclude, env: { RETRIEVER_TEST_RUNS: 'full' } },
      },
    ],
  },
})
