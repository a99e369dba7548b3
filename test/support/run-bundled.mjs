import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const source = (path) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url))

/** Bundles a program of TypeScript with the packages' sources as they are, and runs it in this process. */
export async function runBundled(entry, plugins = []) {
  const folder = await mkdtemp(join(tmpdir(), 'bundled-'))
  try {
    const outfile = join(folder, 'program.mjs')
    await build({
      entryPoints: [fileURLToPath(entry)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.18',
      format: 'esm',
      alias: {
        '@retriever/core/internal': source('core/src/internal.ts'),
        '@retriever/core': source('core/src/index.ts'),
        '@retriever/fetchers/internal': source('fetchers/src/internal.ts'),
        '@retriever/fetchers/plugin': source('fetchers/src/plugin.ts'),
        '@retriever/fetchers': source('fetchers/src/index.ts'),
      },
      external: ['ssh2'],
      // A program may read files beside its entry.
      define: { 'import.meta.url': JSON.stringify(entry.href) },
      // undici is CommonJS, and requires modules of Node.
      banner: { js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)" },
      plugins,
    })
    await import(pathToFileURL(outfile))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
