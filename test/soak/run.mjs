/**
 * pnpm soak [MINUTES] [SEED]: retrieves for half the time in one process, and for the other half by a queue of three
 * workers, if redis-server is installed, from servers whose faults change at random. It ends with 1 if an outcome is
 * missing or wrong, or if memory or files grow. It runs the packages as they are built (pnpm build).
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
// Below test/node_modules, from where the packages are found.
const outdir = path('../node_modules/.soak')
const entryPoints = ['one-process', 'sites', 'workers'].map((name) => path(`${name}.ts`))
await build({
  entryPoints,
  outdir,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outExtension: { '.js': '.mjs' },
})

const [minutes = '30', seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2)
process.stdout.write(`seed ${seed}\n`)
const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) process.stdout.write('redis-server is not installed: one process alone.\n')
const share = String((60 * Number(minutes)) / (hasRedis ? 2 : 1))
const parts = hasRedis ? ['one-process', 'workers'] : ['one-process']
const ends = parts.map((part) =>
  spawnSync(process.execPath, ['--expose-gc', join(outdir, `${part}.mjs`), share, seed], { stdio: 'inherit' }),
)
process.exitCode = ends.every(({ status }) => status === 0) ? 0 : 1
