// pnpm fuzz: lists the targets. pnpm fuzz NAME|all [RUNS] [SEED]: tries one, on the sources as they are.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
try {
  const outfile = join(folder, 'fuzz.mjs')
  const alias = {
    '@retriever/core/internal': path('../../packages/core/src/internal.ts'),
    '@retriever/core': path('../../packages/core/src/index.ts'),
  }
  // The targets read files beside them.
  const define = { 'import.meta.url': JSON.stringify(import.meta.url) }
  // undici is CommonJS, and requires modules of Node.
  const banner = { js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)" }
  const options = { outfile, bundle: true, platform: 'node', format: 'esm', alias, define, banner }
  await build({ entryPoints: [path('main.ts')], ...options })
  await import(pathToFileURL(outfile))
} finally {
  await rm(folder, { recursive: true, force: true })
}
