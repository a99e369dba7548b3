// Bundles the command into dist/: one small entry, and a chunk for each command and mechanism that is loaded on first
// use.
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const { version } = JSON.parse(readFileSync(`${here}package.json`, 'utf8'))
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
  define: { RETRIEVE_VERSION: JSON.stringify(version) },
  // The packages' sources, as in the tests: the bundle cannot be older than what it is made from.
  alias: {
    '@retriever/core': `${here}../core/src/index.ts`,
    '@retriever/fetchers/ftp': `${here}../fetchers/src/ftp/index.ts`,
    '@retriever/fetchers/http': `${here}../fetchers/src/http/index.ts`,
    '@retriever/fetchers/mime': `${here}../fetchers/src/mime/index.ts`,
    '@retriever/fetchers': `${here}../fetchers/src/index.ts`,
    '@retriever/servers': `${here}../../test/servers/src/index.ts`,
  },
  // CommonJS dependencies call require() for Node's own modules; an ES module has none.
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
})
// For a link to the file, such as npm install -g ./packages/cli makes; npm sets the right once only.
chmodSync(`${here}dist/bin.js`, 0o755)
