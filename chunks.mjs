// Bundles the libraries into their dist/, beside the types that tsc has written there: a file for each entry of
// package.json's exports, in its place, and chunks for what entries share or load on first use. A program then loads
// dozens of files where the sources are hundreds.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))

await bundle(join(root, 'packages/core'))
// Fetchers run in a client, and most of them use the parts for plugins: a program loads these in any case.
await bundle(join(root, 'packages/fetchers'), ['src/client.ts', 'src/plugin.ts'])
await bundle(join(root, 'packages/queue'))
await bundle(join(root, 'packages/gateway'))
await bundle(join(root, 'test/servers'))

/** `wholes`: sources that become one chunk each, with all that they import. */
async function bundle(folder, wholes = []) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entries = Object.values(exports).flatMap(({ default: file }) => file ?? [])
  const settings = {
    absWorkingDir: folder,
    entryPoints: entries.map((file) => file.replace('./dist/', 'src/').replace(/js$/, 'ts')),
    outbase: 'src',
    outdir: 'dist',
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    packages: 'external',
  }
  const plugins = []
  if (wholes.length > 0) {
    const { metafile } = await build({ ...settings, metafile: true })
    plugins.push(keepWhole(folder, wholes, metafile.inputs))
  }
  const { outputFiles } = await build({ ...settings, plugins, sourcemap: 'linked' })
  removeCode(join(folder, 'dist'))
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.js') ? withoutBareImports(text) : text)
  }
}

/**
 * An esbuild plugin. esbuild makes a chunk of the sources that the same entries load, many of one source: here whoever
 * loads a part of a whole imports all of it, so that its sources stay together. `inputs`: esbuild's list of sources.
 */
function keepWhole(folder, wholes, inputs) {
  const loadedBy = (source, found = new Set()) => {
    if (found.has(source)) return found
    found.add(source)
    for (const { path, kind, external } of inputs[source].imports) {
      if (kind === 'import-statement' && !external) loadedBy(path, found)
    }
    return found
  }
  const parts = wholes.map((whole) => loadedBy(whole))
  // A source that belongs to two wholes is in the chunk of the first.
  const own = parts.map((part, at) => new Set([...part].filter((each) => parts.findIndex((of) => of.has(each)) === at)))
  const wholesOf = (source) => {
    const loaded = [...loadedBy(source)]
    return wholes.filter((_, at) => !parts[at].has(source) && loaded.some((each) => own[at].has(each)))
  }
  return {
    name: 'keep-whole',
    setup(build) {
      // esbuild would drop an import of nothing from a source without effects.
      build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => ({
        path: resolve(resolveDir, path),
        sideEffects: true,
      }))
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const source = relative(folder, path).replaceAll(sep, '/')
        const added = wholesOf(source).map((whole) => `\nimport ${JSON.stringify(join(folder, whole))}`)
        return { contents: readFileSync(path, 'utf8') + added.join(''), loader: 'ts' }
      })
    },
  }
}

/** Files of an earlier build: their names change with what they hold. */
function removeCode(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (/\.js(\.map)?$/.test(name)) rmSync(join(folder, name))
  }
}

/**
 * esbuild imports some chunks for their order of evaluation alone. No module here has an effect when it is loaded, as
 * package.json says (`sideEffects`), and bundlers warn of imports that cannot have any. The empty lines keep the source
 * map right.
 */
function withoutBareImports(code) {
  return code.replace(/^import "\.[^"]*";$/gm, '')
}
