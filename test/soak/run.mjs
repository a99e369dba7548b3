/**
 * pnpm soak [MINUTES] [SEED]: retrieves for half the time in one process, and for the other half by a queue of three
 * workers, if redis-server is installed, from servers whose faults change at random. It ends with 1 if an outcome is
 * missing or wrong, or if memory or files grow. It runs the packages as they are built (pnpm build).
 *
 * pnpm soak gateway [MINUTES] [SEED]: hostile clients of a gateway alone.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
// Below test/node_modules, from where the packages are found.
const outdir = path('../node_modules/.soak')
const entryPoints = ['one-process', 'sites', 'workers', 'gateway'].map((name) => path(`${name}.ts`))
await build({
  entryPoints,
  outdir,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outExtension: { '.js': '.mjs' },
})

const words = process.argv.slice(2)
const isGateway = words[0] === 'gateway'
const [minutes = '30', seed = String(Math.floor(Math.random() * 2 ** 31))] = words.slice(isGateway ? 1 : 0)
process.stdout.write(`seed ${seed}\n`)
const hasRedis = !isGateway && spawnSync('redis-server', ['--version']).status === 0
if (!isGateway && !hasRedis) process.stdout.write('redis-server is not installed: one process alone.\n')
const share = String((60 * Number(minutes)) / (hasRedis ? 2 : 1))
const parts = isGateway ? ['gateway'] : hasRedis ? ['one-process', 'workers'] : ['one-process']
const ends = parts.map((part) =>
  spawnSync(process.execPath, ['--expose-gc', join(outdir, `${part}.mjs`), share, seed], { stdio: 'inherit' }),
)
process.exitCode = ends.every(({ status }) => status === 0) ? 0 : 1
