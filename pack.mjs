// pnpm tarballs [DIR [--built]]: builds unless that was done, and packs the six packages so that npm, pnpm and yarn
// can install them. pnpm rewrites `workspace:*` and `catalog:` to versions; npm leaves them as they are, so `npm pack`
// is refused (`check`, in prepack).
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const { config } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const [argument = 'tarballs', built] = process.argv.slice(2)

if (argument === 'check') refuseNpm()
else packAll(resolve(argument))

function refuseNpm() {
  if (/^pnpm\//.test(process.env.npm_config_user_agent ?? '')) return
  process.stderr.write(
    'npm would pack dependencies of "workspace:*" and "catalog:", which nobody can install. Run `pnpm tarballs DIR`.\n',
  )
  process.exit(1)
}

function packAll(target) {
  mkdirSync(target, { recursive: true })
  if (built !== '--built') run(root, 'build')
  for (const folder of config.packages) run(`${root}${folder}`, 'pack', '--pack-destination', target)
  process.stdout.write(`The tarballs of ${config.packages.length} packages are in ${target}.\n`)
}

/** Runs the pnpm that runs this, else the pinned one; shows the output of a step that fails alone. */
function run(cwd, ...command) {
  const { npm_execpath: runner = '' } = process.env
  const pnpm = /^pnpm(\.exe)?$/.test(basename(runner)) ? [runner] : ['npx', '-y', `pnpm@${config.pnpm}`]
  const [program, ...args] = [...pnpm, ...command]
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}pnpm ${command[0]} failed in ${cwd}.\n`)
  process.exit(status ?? 1)
}
