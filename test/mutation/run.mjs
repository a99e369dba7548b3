/**
 * pnpm mutate [AREA...] [--since REVISION] [--sample PERCENT SEED]: changes the sources of the areas (areas.mjs) in
 * small ways by Stryker, runs the tests that reach each change, and lists the changes that no test noticed. Those of
 * equivalents.mjs count as noticed. With --since, only files that differ from REVISION are changed; with --sample, only
 * PERCENT of their lines, drawn by SEED. The exit status is 1 if an area has a score below 90, or changes for which the
 * tests could not run.
 */
import { execFileSync } from 'node:child_process'
import { areas } from './areas.mjs'
import { counted } from './counted.mjs'
import { sampled } from './sample.mjs'
import { root, stryker } from './stryker.mjs'

const goal = 90
const args = process.argv.slice(2)
const [since = null] = option('--since', 1)
const [percent, seed] = option('--sample', 2).map(Number)
const wrong = args.find((name) => !Object.hasOwn(areas, name))
if (wrong !== undefined) throw new Error(`No area ${wrong}. The areas are ${Object.keys(areas).join(', ')}.`)

const named = args.length === 0 ? Object.keys(areas) : args
const rows = named.map(measure).filter((row) => row !== null)
const idle = named.filter((name) => rows.every((row) => row.name !== name))
if (idle.length > 0) process.stdout.write(`Not tried: ${idle.join(', ')}; ${whyNot()}.\n`)
if (rows.length > 0) printTable()
process.exitCode = rows.some(({ score, untried }) => score < goal || untried > 0) ? 1 : 0

function printTable() {
  print('area', 'score', 'killed', 'equal', 'survived', 'untried', percent === undefined ? '' : 'error')
  for (const { name, score, error, killed, equivalent, survived, untried } of rows) {
    const interval = percent === undefined ? '' : `± ${error.toFixed(1)}`
    print(name, score.toFixed(1), killed, equivalent, survived, untried, interval)
  }
}

function whyNot() {
  const asked = [since && `differs from ${since}`, percent !== undefined && 'is in the sample'].filter(Boolean)
  return `nothing there ${asked.join(' and ')}`
}

/** Null: there is nothing to change. */
function measure(name) {
  const files = filesOf(areas[name].mutate)
  const mutate = percent === undefined ? files : sampled(files, percent, seed)
  if (mutate.length === 0) return null
  const row = counted(stryker(name, mutate, areas[name], files), since === null && percent === undefined)
  for (const line of row.lines) process.stdout.write(`${line}\n`)
  return { name, ...row }
}

function filesOf(patterns) {
  const listed = since === null ? ['ls-files'] : ['diff', '--name-only', '--diff-filter=d', since]
  const paths = patterns.map((pattern) => `:(glob)${pattern}`)
  return execFileSync('git', [...listed, '--', ...paths], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
}

function print(name, ...cells) {
  process.stdout.write(`${name.padEnd(12)}${cells.map((cell) => String(cell).padStart(10)).join('')}\n`)
}

function option(name, count) {
  const at = args.indexOf(name)
  return at < 0 ? [] : args.splice(at, 1 + count).slice(1)
}
