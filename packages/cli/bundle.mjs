// Bundles the command into dist/: bin.js, which starts it, and a chunk for each command and mechanism that is loaded on
// first use. esbuild splits ES modules alone, while Node starts CommonJS faster: the chunks are made as ES modules and
// then become CommonJS, each import loaded when it is first used. What many runs need is packed into a few files, since
// esbuild makes a hundred chunks of it, and each file costs time. A file is an expression (src/start/modules.ts).
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as bundle, transform } from 'esbuild'
import { lazyImports } from './lazy-imports.mjs'
import { lightUndici } from './light-undici.mjs'
import { lightWarcio } from './light-warcio.mjs'
import { plainExports } from './plain-exports.mjs'

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
    '@retriever/servers/audit': `${here}../../test/servers/src/audit/index.ts`,
    '@retriever/servers': `${here}../../test/servers/src/index.ts`,
  },
}
const { retrievedSchemes } = await loaded('src/help/retrieved-schemes.ts')
/** What a file holds besides the chunks that its entries import: those that a run of these needs. */
const packs = {
  'main.js': ['src/main.ts', 'src/commands/explain.ts', '../fetchers/src/protocols/http/asked.ts'],
  'get.js': ['src/commands/get.ts', '../fetchers/src/protocols/http/index.ts', '../fetchers/src/saving/save.ts'],
  'many.js': [
    ...['journal/ledger', 'many/list', 'many/parallel', 'many/read-ahead'].map((name) => `src/${name}.ts`),
    ...['internal', 'client/batch/client-places'].map((name) => `../fetchers/src/${name}.ts`),
  ],
  'ftp.js': ['index', 'listing/listing'].map((name) => `../fetchers/src/protocols/ftp/${name}.ts`),
  'mirror.js': [
    'src/commands/mirror.ts',
    ...['mirror/mirror', 'client/batch/tree-client'].map((name) => `../fetchers/src/${name}.ts`),
  ],
}
const define = { ...settings.define, RETRIEVE_SCHEMES: JSON.stringify(retrievedSchemes()) }
const plugins = [lightUndici, lightWarcio]
const chunked = await bundle({ ...settings, define, plugins, metafile: true, entryPoints: ['src/main.ts'] })
const started = await bundle({ ...settings, define, splitting: false, entryPoints: ['src/bin.ts'] })
const files = new Map()
for (const { path, text } of [...chunked.outputFiles, ...started.outputFiles]) {
  const name = relative(`${here}dist`, path).replaceAll(sep, '/')
  files.set(name, name.endsWith('.js') ? await minified(text) : text)
}
for (const [name, text] of files) {
  if (name.endsWith('.js') && name !== 'bin.js') files.set(name, `(function (exports, require, module) {${text}\n})`)
}
pack()
const build = createHash('sha256')
  .update([...files.values()].join())
  .digest('hex')
  .slice(0, 16)
rmSync(`${here}dist`, { recursive: true, force: true })
for (const [name, text] of files) {
  const path = `${here}dist/${name}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text.replace('RETRIEVE_BUILD', JSON.stringify(build)), {
    mode: name === 'bin.js' ? 0o755 : 0o644,
  })
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

/** Puts the chunks of each pack into one file, by their names. The first one also tells what is in the others. */
function pack() {
  const { outputs } = chunked.metafile
  const chunkOf = (entry) => Object.keys(outputs).find((output) => outputs[output].entryPoint === entry)
  const packed = new Map()
  const add = (output, file) => {
    const name = output.replace('dist/', '')
    if (packed.has(name)) return
    packed.set(name, file)
    for (const { path, kind, external } of outputs[output].imports) {
      if (kind === 'import-statement' && !external) add(path, file)
    }
  }
  for (const [file, entries] of Object.entries(packs)) for (const entry of entries) add(chunkOf(entry), file)
  const texts = new Map([...packed.keys()].map((name) => [name, files.get(name)]))
  for (const name of packed.keys()) files.delete(name)
  for (const file of Object.keys(packs)) {
    const members = [...packed].flatMap(([name, of]) => {
      // Without parentheses V8 compiles a function when it is first called, not at once.
      const value = of === file ? texts.get(name).slice(1, -1) : JSON.stringify(of)
      return of === file || file === 'main.js' ? `${JSON.stringify(name)}: ${value}` : []
    })
    files.set(file, `({\n${members.join(',\n')}\n})`)
  }
}

async function commonJs(text) {
  const supported = { 'dynamic-import': false }
  const { code, warnings } = await transform(text, { format: 'cjs', platform: 'node', target, supported })
  // Such as import.meta, which CommonJS does not have.
  if (warnings.length > 0) throw new Error(`bundle.mjs: ${warnings.map(({ text }) => text).join(' ')}`)
  // The loader reads ASCII, which is the fastest; esbuild leaves other characters in regular expressions and comments.
  return code.replace(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Short, since each run reads all text of the files that it needs. Identifiers stay; the sources stand at the end. */
async function minified(text) {
  const plain = lazyImports(plainExports(await commonJs(text)))
  const { code } = await transform(plain, { target, minifyWhitespace: true, minifySyntax: true })
  const sources = Array.from(text.matchAll(/^\/\/ (\S+\.(?:ts|js|cjs|mjs))$/gm), ([, name]) => `//! ${name}\n`)
  return code + sources.join('')
}
