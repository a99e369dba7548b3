import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Package names mean their sources: tests need no build. The command's tests do: they run packages/cli/dist. */
export const alias = [
  { find: '@retriever/core', replacement: path('packages/core/src/index.ts') },
  { find: '@retriever/fetchers/plugin', replacement: path('packages/fetchers/src/plugin.ts') },
  { find: /^@retriever\/fetchers\/(\w+)$/, replacement: path('packages/fetchers/src/$1/index.ts') },
  { find: '@retriever/fetchers', replacement: path('packages/fetchers/src/index.ts') },
  { find: '@retriever/servers/contract', replacement: path('test/servers/src/contract/index.ts') },
  { find: '@retriever/servers', replacement: path('test/servers/src/index.ts') },
]

/**
 * A busy CI machine can miss a moment that a test waits for: a test that fails there runs once more, and vitest prints
 * "(retry x1)" beside it. Everywhere else the first failure counts.
 */
export const retry: number = process.env.CI === undefined ? 0 : 1

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/interop/**', 'test/differential/**', '**/node_modules/**'],
    setupFiles: ['test/support/loopback-only.ts'],
    testTimeout: 20_000,
    retry,
  },
})
