/**
 * pnpm house [ROOT [SCHEME]]: measures how the sources are arranged, of this checkout or of another one that is built.
 * SCHEME lists the files that one retrieval of it crosses.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url)))
const packages = ['core', 'fetchers', 'cli']

const sources = packages.flatMap((name) => filesBelow(join(root, 'packages', name, 'src')))
const lines = new Map(sources.map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1]))
const sizes = [...lines.values()].sort((a, b) => a - b)
const [longest] = [...lines].sort(([, a], [, b]) => b - a)
const [fullest, files] = largestFolder()

row('files', sources.length)
row(
  'lines',
  sizes.reduce((sum, size) => sum + size, 0),
)
row('median file', sizes[Math.floor(sizes.length / 2)])
row('longest file', `${longest[1]} (${name(longest[0])})`)
row('largest folder', `${files} files (${name(fullest)}), core's schemes apart`)
row('static cycles', cycles('runtime').length)
row(
  '  with types',
  cycles('all')
    .map((cycle) => `${cycle.length} files (${name(cycle[0])}, ...)`)
    .join(', ') || 0,
)
for (const name of packages) row(`exports of ${name}`, exportsOf(name))
const crossed = execFileSync(
  process.execPath,
  [fileURLToPath(new URL('crossed.mjs', import.meta.url)), root, process.argv[3] ?? ''],
  {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
for (const [scheme, count] of Object.entries(JSON.parse(crossed))) row(`files crossed, ${scheme}`, count)

function row(what, value) {
  process.stdout.write(`${what.padEnd(24)}${value}\n`)
}

function name(path) {
  return relative(root, path)
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path))
}

function largestFolder() {
  const counts = new Map()
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  counts.delete(join(root, 'packages/core/src/schemes'))
  return [...counts].sort(([, a], [, b]) => b - a)[0]
}

/** Groups of files that import one another; `runtime` leaves out what imports types alone, `import()` never counts. */
function cycles(kind) {
  const imported = new Map(sources.map((file) => [file, importsOf(file, kind)]))
  return components(imported).filter((group) => group.length > 1)
}

function importsOf(file, kind) {
  const statements = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (type )?([^'"`;]*?)from '(\.[^']+)'/gms)
  return [...statements]
    .filter(([, type, names]) => kind === 'all' || (type === undefined && !/^\{(\s*type [^,}]+,?)+\s*\} $/.test(names)))
    .map(([, , , path]) => join(dirname(file), path))
}

/** Tarjan's strongly connected components. */
function components(graph) {
  const found = []
  const stack = []
  const index = new Map()
  const low = new Map()
  const visit = (node) => {
    index.set(node, index.size)
    low.set(node, index.get(node))
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)))
    }
    if (low.get(node) === index.get(node)) found.push(stack.splice(stack.indexOf(node)))
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return found
}

/** Names that users can import, of all entry points of a package. */
function exportsOf(name) {
  const folder = join(root, 'packages', name)
  const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.values(exports)
    .flatMap((entry) =>
      typeof entry === 'object' ? [entry.types.replace('./dist', 'src').replace('.d.ts', '.ts')] : [],
    )
    .map((entry) => {
      const text = readFileSync(join(folder, entry), 'utf8')
      const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) =>
        names.split(',').filter((each) => each.trim() !== ''),
      )
      return (
        listed.length + [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type [A-Z])/gm)].length
      )
    })
    .reduce((sum, count) => sum + count, 0)
}
