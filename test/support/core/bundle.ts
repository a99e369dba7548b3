import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The core as a page would load it, all of it or the exports named: one ES module for browsers, minified. */
export async function bundleCore(exported = '*'): Promise<Uint8Array> {
  const folder = fileURLToPath(new URL('../../../packages/core/src/', import.meta.url))
  const { outputFiles } = await build({
    stdin: { contents: `export ${exported} from './index.ts'`, resolveDir: folder },
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
