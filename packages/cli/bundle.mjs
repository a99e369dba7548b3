// Bundles the command into dist/: one small entry, and a chunk for each mechanism that is loaded on first use.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
rmSync(`${here}dist`, { recursive: true, force: true })
await build({
  absWorkingDir: here,
  entryPoints: ['src/bin.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  legalComments: 'linked',
  chunkNames: 'chunks/[name]-[hash]',
  // CommonJS dependencies call require() for Node's own modules; an ES module has none.
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
})
