/**
 * pnpm mutate [AREA...] [--since REVISION]: changes the sources of the areas (areas.mjs) in small ways by Stryker, runs
 * their tests for each change, and lists the changes that no test noticed. With --since, only files that differ from
 * REVISION are changed. The exit status is 1 if an area has a score below 90. A run takes minutes to hours.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { areas } from './areas.mjs'

// Stryker 10 needs Node 22, and 180 packages that nothing else here needs: both are fetched when they are used.
const node = 'node@24.21.0'
const tools = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']
const goal = 90

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'node_modules/.stryker')
const args = process.argv.slice(2)
const at = args.indexOf('--since')
const since = at < 0 ? null : args.splice(at, 2)[1]
const wrong = args.find((name) => !Object.hasOwn(areas, name))
if (wrong !== undefined) throw new Error(`No area ${wrong}. The areas are ${Object.keys(areas).join(', ')}.`)

install()
const rows = (args.length === 0 ? Object.keys(areas) : args).map(measure)
row('area', 'score', 'killed', 'survived')
for (const { name, score, killed, survived } of rows)
  row(name, score === null ? '-' : score.toFixed(1), killed, survived)
process.exitCode = rows.some(({ score }) => score !== null && score < goal) ? 1 : 0

function row(name, ...cells) {
  process.stdout.write(`${name.padEnd(12)}${cells.map((cell) => String(cell).padStart(10)).join('')}\n`)
}

function measure(name) {
  const { mutate, tests } = areas[name]
  const files = filesOf(mutate)
  if (files.length === 0) return { name, score: null, killed: 0, survived: 0 }
  const report = join(folder, `${name}.json`)
  const config = join(folder, `${name}.config.json`)
  writeFileSync(config, JSON.stringify(options(files, report)))
  const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  const { status } = spawnSync('npx', ['-y', '-p', node, 'node', stryker, 'run', config], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATION_TESTS: tests.join('\n') },
  })
  if (status !== 0) throw new Error(`Stryker ended with ${status} in ${name}.`)
  return { name, ...counted(report) }
}

function options(files, report) {
  return {
    mutate: files,
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    plugins: [join(folder, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
    coverageAnalysis: 'perTest',
    // Each mutant of what runs when a module is loaded would need a process of its own.
    ignoreStatic: true,
    // Texts for people are checked where they matter; a changed word of a message is no hole.
    mutator: { excludedMutations: ['StringLiteral'] },
    reporters: ['clear-text', 'json'],
    clearTextReporter: { logTests: false, reportTests: false },
    jsonReporter: { fileName: report },
    tempDirName: relative(root, join(folder, 'sandbox')),
    ignorePatterns: ['/test/interop/.cache', '/tarballs', '/site'],
    // It would rewrite tsconfig.json by an interface that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    concurrency: Number(process.env.MUTATION_JOBS ?? 2),
    timeoutMS: 10_000,
  }
}

/** A mutant that ends in an endless loop is noticed, too. */
function counted(report) {
  const { files } = JSON.parse(readFileSync(report, 'utf8'))
  const states = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  const killed = states.filter((status) => status === 'Killed' || status === 'Timeout').length
  const survived = states.filter((status) => status === 'Survived' || status === 'NoCoverage').length
  return { score: (100 * killed) / (killed + survived), killed, survived }
}

/** Below node_modules of the root, so that its runner finds our vitest, without a second one as its peer. */
function install() {
  if (existsSync(join(folder, 'node_modules/@stryker-mutator/vitest-runner'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const quiet = ['--legacy-peer-deps', '--no-audit', '--no-fund', '--no-save', '--loglevel=error']
  execFileSync('npm', ['install', ...quiet, ...tools], { cwd: folder, stdio: 'inherit' })
}

function filesOf(patterns) {
  const listed = since === null ? ['ls-files'] : ['diff', '--name-only', '--diff-filter=d', since]
  const paths = patterns.map((pattern) => `:(glob)${pattern}`)
  return execFileSync('git', [...listed, '--', ...paths], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
}
