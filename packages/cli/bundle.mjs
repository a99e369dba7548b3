// Bundles the command into dist/: one small entry, and a chunk for each command and mechanism that is loaded on first
// use. esbuild splits ES modules alone, while Node starts CommonJS faster: the chunks are made as ES modules and then
// become CommonJS, each import loaded when it is first used.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as bundle, transform } from 'esbuild'
import { lazyImports } from './lazy-imports.mjs'
import { lightUndici } from './light-undici.mjs'
import { lightWarcio } from './light-warcio.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const { version, optionalDependencies } = JSON.parse(readFileSync(`${here}package.json`, 'utf8'))
const target = 'node20.18'
const settings = {
  absWorkingDir: here,
  outdir: 'dist',
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target,
  legalComments: 'linked',
  chunkNames: 'chunks/[name]-[hash]',
  // The optional dependencies: large, each for one mechanism, and loaded when it is first used.
  external: Object.keys(optionalDependencies),
  define: { RETRIEVE_VERSION: JSON.stringify(version) },
  // The packages' sources, as in the tests: the bundle cannot be older than what it is made from.
  alias: {
    '@retriever/core/internal': `${here}../core/src/internal.ts`,
    '@retriever/core': `${here}../core/src/index.ts`,
    '@retriever/fetchers/ftp': `${here}../fetchers/src/protocols/ftp/index.ts`,
    '@retriever/fetchers/gemini': `${here}../fetchers/src/protocols/gemini/index.ts`,
    '@retriever/fetchers/http': `${here}../fetchers/src/protocols/http/index.ts`,
    '@retriever/fetchers/internal': `${here}../fetchers/src/internal.ts`,
    '@retriever/fetchers/mime': `${here}../fetchers/src/mime/index.ts`,
    '@retriever/fetchers/plugin': `${here}../fetchers/src/plugin.ts`,
    '@retriever/fetchers/pages': `${here}../fetchers/src/pages/index.ts`,
    '@retriever/fetchers': `${here}../fetchers/src/index.ts`,
    '@retriever/queue': `${here}../queue/src/index.ts`,
    '@retriever/gateway': `${here}../gateway/src/index.ts`,
    '@retriever/servers': `${here}../../test/servers/src/index.ts`,
  },
}
const { retrievedSchemes } = await loaded('src/help/retrieved-schemes.ts')
const { outputFiles } = await bundle({
  ...settings,
  define: { ...settings.define, RETRIEVE_SCHEMES: JSON.stringify(retrievedSchemes()) },
  entryPoints: ['src/bin.ts', 'src/main.ts'],
  plugins: [lightUndici, lightWarcio],
})
const contents = await Promise.all(
  outputFiles.map(async ({ path, text }) => (path.endsWith('.js') ? lazyImports(await commonJs(text)) : text)),
)
const build = createHash('sha256').update(contents.join()).digest('hex').slice(0, 16)
rmSync(`${here}dist`, { recursive: true, force: true })
for (const [index, { path }] of outputFiles.entries()) {
  mkdirSync(dirname(path), { recursive: true })
  const content = contents[index].replace('RETRIEVE_BUILD', JSON.stringify(build))
  writeFileSync(path, content, { mode: path.endsWith('bin.js') ? 0o755 : 0o644 })
}
// The package's other files are ES modules.
writeFileSync(`${here}dist/package.json`, '{ "type": "commonjs" }\n')
const { manPage } = await loaded('src/help/man-page.ts')
writeFileSync(`${here}dist/retrieve.1`, manPage(version))

/** A module of the sources, as the build runs it. */
async function loaded(file) {
  const { outputFiles } = await bundle({ ...settings, splitting: false, entryPoints: [file] })
  const [{ text }] = outputFiles
  return import(`data:text/javascript,${encodeURIComponent(text)}`)
}

async function commonJs(text) {
  // esbuild keeps comments that begin with "!": here the names of the sources, for those who read a chunk.
  const named = text.replace(/^\/\/ (\S+\.(?:ts|js|cjs|mjs))$/gm, '//! $1')
  const supported = { 'dynamic-import': false }
  const options = { format: 'cjs', platform: 'node', target, legalComments: 'inline', supported }
  const { code, warnings } = await transform(named, options)
  // Such as import.meta, which CommonJS does not have.
  if (warnings.length > 0) throw new Error(`bundle.mjs: ${warnings.map(({ text }) => text).join(' ')}`)
  return code
}
