import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Bundles a TypeScript file with the packages' sources into a module that Node 20 runs; gives its path. */
export async function bundleForNode(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, 'bundle.mjs')
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    alias: {
      '@retriever/core/internal': source('packages/core/src/internal.ts'),
      '@retriever/core': source('packages/core/src/index.ts'),
      '@retriever/fetchers/internal': source('packages/fetchers/src/internal.ts'),
      '@retriever/fetchers/plugin': source('packages/fetchers/src/plugin.ts'),
      '@retriever/fetchers': source('packages/fetchers/src/index.ts'),
      '@retriever/servers/contract': source('test/servers/src/contract/index.ts'),
      '@retriever/servers': source('test/servers/src/index.ts'),
    },
    // Each is loaded only when its mechanism is used.
    external: ['ssh2'],
    // CommonJS dependencies call require() for Node's own modules; an ES module has none.
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
  })
  return outfile
}
