/**
 * pnpm new scheme NAME --port N --title TEXT [--kind line] [--spec TEXT]: writes the files of a new scheme, and its
 * lines in the lists. Kind `line`: one line is sent over TCP, and the answer is a text that lasts to the end of the
 * connection.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readDeclaration, usage } from './scheme/declaration.mjs'
import { filesOf } from './scheme/files.mjs'
import { listsOf } from './scheme/lists.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path) => readFileSync(join(root, path), 'utf8')
const { declaration, mistakes } = readDeclaration(process.argv.slice(2))
if (mistakes.length > 0) fail([...mistakes, usage])

const files = filesOf(declaration)
const lists = listsOf(declaration)
const { name } = declaration
const taken = [
  ...Object.keys(files).filter((path) => existsSync(join(root, path))),
  ...lists.filter(({ path, has }) => has(read(path))).map(({ path }) => path),
]
if (taken.length > 0) fail([`The name ${name} is taken: see ${taken.join(', ')}.`])

// Every list is read and changed before anything is written: a list that has another form leaves all as it was.
const changed = lists.map(({ path, add }) => ({ path, ...add(read(path)) }))
const unknown = changed.filter(({ text }) => text === null)
if (unknown.length > 0) fail(unknown.map(({ path }) => `${path} has no place for a line of ${name} any more.`))
for (const [path, text] of Object.entries(files)) write(path, text)
for (const { path, text } of changed) write(path, text)

const written = Object.entries(files).map(([path, text]) => [path, text.split('\n').length - 1])
const added = changed.map(({ path, lines }) => [path, lines])
const total = [...written, ...added].reduce((sum, [, lines]) => sum + lines, 0)
const shown = [
  ...[...written, ...added].map(([path, lines]) => `${String(lines).padStart(4)}  ${path}`),
  `${String(total).padStart(4)}  lines in ${written.length} new files and ${added.length} lists`,
  '',
  `Next: what the protocol does differently, then: pnpm types && pnpm vitest completeness ${name} && pnpm run docs`,
]
process.stdout.write(`${shown.join('\n')}\n`)

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function fail(sentences) {
  process.stderr.write(`${sentences.join('\n')}\n`)
  process.exit(2)
}
