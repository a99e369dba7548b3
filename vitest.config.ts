import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Package names mean their sources: tests need no build. The command's tests do: they run packages/cli/dist. */
export const alias = [
  { find: '@retriever/core', replacement: path('packages/core/src/index.ts') },
  { find: /^@retriever\/fetchers\/(\w+)$/, replacement: path('packages/fetchers/src/$1/index.ts') },
  { find: '@retriever/fetchers', replacement: path('packages/fetchers/src/index.ts') },
  { find: '@retriever/servers', replacement: path('test/servers/src/index.ts') },
]

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/interop/**', '**/node_modules/**'],
    setupFiles: ['test/support/loopback-only.ts'],
    testTimeout: 20_000,
  },
})
