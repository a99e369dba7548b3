import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The core as a page would load it: one ES module for browsers, minified. */
export async function bundleCore(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../../packages/core/src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('esbuild gave no bundle')
  return file.contents
}
