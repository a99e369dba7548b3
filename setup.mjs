// `npm start` and `npm test` on a clean clone, with nothing but Node and npm: brings the pinned pnpm by npx, installs
// and builds what changed since the last time, and runs.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const { config, engines } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const [task, ...args] = process.argv.slice(2)
const bin = join(root, 'packages/cli/dist/bin.js')
const manifests = ['.', 'examples', 'test', ...config.packages].map((folder) => `${folder}/package.json`)
const installedFrom = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]
const sources = config.packages.flatMap((folder) => [`${folder}/src`, `${folder}/tsconfig.json`])
const bundlers = ['chunks.mjs', ...['bundle', 'lazy-imports', 'light-undici'].map((name) => `packages/cli/${name}.mjs`)]
const builtFrom = [...installedFrom, ...sources, 'tsconfig.base.json', 'tsconfig.json', ...bundlers]

requireNode(engines.node.replace('>=', ''))
unlessDone('install', installedFrom, existsSync(join(root, 'node_modules/.pnpm')), () => {
  tell('installing the packages; the first time, this takes a minute or two')
  pnpm(process.stderr.isTTY ? 'stderr' : 'hidden', 'install', '--frozen-lockfile')
})
// Before tests, the build checks their types too.
const isTest = task?.startsWith('test')
unlessDone('build', builtFrom, existsSync(bin) && !isTest, () => {
  tell('building')
  pnpm('hidden', isTest ? 'build' : 'build:packages')
})
// `npm run test:all` adds the exhaustive tests of vitest.config.ts.
if (task === 'test') pnpm('inherit', 'vitest', '--project=!slow', ...args)
else if (task === 'test:all') pnpm('inherit', 'vitest', ...args)
else await retrieve(args.length === 0 ? ['demo'] : args)

/** Runs the command in this process, and in the folder in which npm was called: file names are meant there. */
async function retrieve(words) {
  process.chdir(process.env.INIT_CWD ?? '.')
  process.argv = [process.execPath, bin, ...words]
  await import(pathToFileURL(bin).href)
}

/** Does a step if its result is not there, or if a file that it depends on has changed since it was done. */
function unlessDone(name, dependsOn, isThere, action) {
  const stamp = join(root, `node_modules/.cache/setup-${name}`)
  // Taken before the step: what changes during it is noticed the next time.
  const state = dependsOn.flatMap(stateOf).join('\n')
  if (isThere && existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  const begin = Date.now()
  action()
  tell(`done in ${((Date.now() - begin) / 1000).toFixed(1)} s`)
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
  writeFileSync(stamp, state)
}

/** A line for each file of a path: its name, size and time. */
function stateOf(path) {
  const file = statSync(root + path)
  if (!file.isDirectory()) return [`${path} ${file.size} ${file.mtimeMs}`]
  return readdirSync(root + path).flatMap((name) => stateOf(`${path}/${name}`))
}

/** Output of a step that succeeds is of no interest, unless it is shown; of one that fails, all of it is. */
function pnpm(output, ...command) {
  const stdio = { inherit: 'inherit', stderr: process.stderr, hidden: 'pipe' }[output]
  const options = { cwd: root, stdio: ['inherit', stdio, stdio], encoding: 'utf8', shell: process.platform === 'win32' }
  const { status, signal, stdout, stderr, error } = spawnSync('npx', ['-y', `pnpm@${config.pnpm}`, ...command], options)
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  if (error) tell(`npx could not be started: ${error.message}`)
  process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))
}

function tell(sentence) {
  process.stderr.write(`setup: ${sentence}\n`)
}

function requireNode(wanted) {
  const [have, want] = [process.versions.node, wanted].map((version) => version.split('.').map(Number))
  const difference = have.map((number, index) => number - want[index]).find((number) => number !== 0) ?? 0
  if (difference >= 0) return
  tell(`Retriever needs Node ${wanted} or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
