// node build.mjs [DIR]: makes page.js of page.mjs, in one file for browsers.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const [folder = here] = process.argv.slice(2)
await build({
  entryPoints: [`${here}page.mjs`],
  outfile: `${folder}/page.js`,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
})
