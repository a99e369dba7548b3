// `npm start` and `npm test` on a clean clone, with nothing but Node and npm: brings the pinned pnpm by npx, installs,
// builds, runs.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const { config, engines } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const [task, ...args] = process.argv.slice(2)

requireNode(engines.node.replace('>=', ''))
pnpm('install', '--frozen-lockfile')
pnpm('build')
if (task === 'test') pnpm('vitest', ...args)
else run(process.execPath, ['packages/cli/dist/bin.js', ...(args.length === 0 ? ['demo'] : args)])

/** Output of a step that succeeds is of no interest; of one that fails, all of it is. */
function pnpm(...command) {
  const shown = command[0] === 'vitest'
  run('npx', ['-y', `pnpm@${config.pnpm}`, ...command], shown ? 'inherit' : 'pipe')
}

function run(program, programArgs, stdio = 'inherit') {
  const options = { cwd: root, stdio: ['inherit', stdio, stdio], encoding: 'utf8', shell: process.platform === 'win32' }
  const { status, signal, stdout, stderr, error } = spawnSync(program, programArgs, options)
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  if (error) process.stderr.write(`setup: ${program} could not be started: ${error.message}\n`)
  process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))
}

function requireNode(wanted) {
  const [have, want] = [process.versions.node, wanted].map((version) => version.split('.').map(Number))
  const difference = have.map((number, index) => number - want[index]).find((number) => number !== 0) ?? 0
  if (difference >= 0) return
  process.stderr.write(`Retriever needs Node ${wanted} or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}
