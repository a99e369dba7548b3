import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Stryker 10 needs Node 22, and 180 packages that nothing else here needs: both are fetched when they are used.
const node = 'node@24.21.0'
const tools = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']

export const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'node_modules/.stryker')

/** Runs Stryker for one area, and returns its report. What it prints goes to a file beside the report. */
export function stryker(name, mutate, { tests, timeout = 10_000 }, sources) {
  install()
  const report = join(folder, `${name}.json`)
  const config = join(folder, `${name}.config.json`)
  const log = join(folder, `${name}.log`)
  writeFileSync(config, JSON.stringify(options(mutate, report, timeout)))
  const bin = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  const output = openSync(log, 'w')
  const { status } = spawnSync('npx', ['-y', '-p', node, 'node', bin, 'run', config], {
    cwd: root,
    stdio: ['ignore', output, output],
    env: { ...process.env, MUTATION_TESTS: tests.join('\n'), MUTATION_SOURCES: sources.join('\n') },
  })
  closeSync(output)
  if (status !== 0) throw new Error(`Stryker ended with ${status} in ${name}; ${log} tells why.`)
  return JSON.parse(readFileSync(report, 'utf8'))
}

function options(mutate, report, timeout) {
  return {
    mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    plugins: [join(folder, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
    coverageAnalysis: 'perTest',
    // Each mutant of what runs when a module is loaded would need all tests of its area.
    ignoreStatic: true,
    // Texts for people are checked where they matter; a changed word of a message is no hole.
    mutator: { excludedMutations: ['StringLiteral'] },
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
    // Not below node_modules: vitest loads what is there once a process, and Stryker's setup must run for each file.
    tempDirName: '.mutants',
    ignorePatterns: ['/test/interop/.cache', '/tarballs', '/site'],
    // It would rewrite tsconfig.json by an interface that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    concurrency: Number(process.env.MUTATION_JOBS ?? 2),
    // Added to one and a half of what the tests of a change took without it.
    timeoutMS: timeout,
    // Minutes for the first run, of all tests of the area, on a machine that others use, too.
    dryRunTimeoutMinutes: 30,
  }
}

/** Below node_modules of the root, so that its runner finds our vitest, without a second one as its peer. */
function install() {
  if (existsSync(join(folder, 'node_modules/@stryker-mutator/vitest-runner'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const quiet = ['--legacy-peer-deps', '--no-audit', '--no-fund', '--no-save', '--loglevel=error']
  execFileSync('npm', ['install', ...quiet, ...tools], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}
