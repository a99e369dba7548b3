// pnpm executable [DIR]: makes the command one file that needs no npm and no Node, DIR/retrieve, for Linux on the kind
// of processor that this runs on. It is this Node with the bundle in it (dist, built before) as assets: the chunks,
// which are loaded on first use as ever, and the code that V8 compiles of them in a few runs (a "single executable
// application"). The manual page and the licences lie beside it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { build } from 'esbuild'
import { startServers } from '../../test/servers/dist/index.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = resolve(here, '../..')
const [directory = join(root, 'executable')] = process.argv.slice(2)
const target = resolve(directory)
const name = 'retrieve'
// What Node looks for in itself; both are constants of Node.
const resource = 'NODE_SEA_BLOB'
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

if (process.platform !== 'linux') fail('The single file is made on Linux, and for Linux.')
if (!existsSync(join(here, 'dist/main.js'))) fail('There is no bundle yet. Run `pnpm build` first.')
const folder = mkdtempSync(join(tmpdir(), 'retriever-executable-'))
try {
  await make()
} finally {
  rmSync(folder, { recursive: true })
}

async function make() {
  const bundle = join(folder, 'dist')
  cpSync(join(here, 'dist'), bundle, { recursive: true, filter: (path) => !path.endsWith('.cache') })
  await train(join(bundle, 'bin.js'))
  await bundled(join(here, 'src/executable/start.ts'), join(folder, 'start.js'))
  await bundled(createRequire(import.meta.url).resolve('ssh2'), join(bundle, 'ssh2.js'))
  // A file of the bundle is an expression (src/start/modules.ts).
  const ssh2 = readFileSync(join(bundle, 'ssh2.js'), 'utf8')
  writeFileSync(join(bundle, 'ssh2.js'), `(function (exports, require, module) {${ssh2}\n})`)
  const config = {
    main: join(folder, 'start.js'),
    output: join(folder, 'blob'),
    assets: assetsOf(bundle),
    disableExperimentalSEAWarning: true,
  }
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config))
  run(process.execPath, '--experimental-sea-config', join(folder, 'sea.json'))
  mkdirSync(target, { recursive: true })
  const program = join(target, name)
  rmSync(program, { force: true })
  copyFileSync(process.execPath, program)
  // An eighth of it is symbols, which nothing reads. They stay where binutils are not installed.
  spawnSync('strip', [program])
  const postject = join(dirname(createRequire(import.meta.url).resolve('postject/package.json')), 'dist/cli.js')
  run(process.execPath, postject, program, resource, config.output, '--sentinel-fuse', fuse)
  copyFileSync(join(here, 'dist/retrieve.1'), join(target, 'retrieve.1'))
  writeFileSync(join(target, 'LICENSES.txt'), licences())
}

/**
 * Runs what people run, so that V8 compiles what they need; the bundle keeps the code in .cache. Proxies and settings
 * of whoever builds have no part in it.
 */
async function train(bin) {
  const servers = await startServers({ http: true, ftp: true, gopher: true, nntp: true, record: false })
  try {
    const [http, ftp, gopher, news] = ['http', 'ftp', 'gopher', 'nntp'].map((protocol) => servers[protocol].url)
    const lines = [
      ['--help'],
      ['help', 'all'],
      ['explain', http, ftp, 'gopher://127.0.0.1:25/x'],
      [`${http}pub/hello.txt`],
      ['-o', 'file', `${http}pub/hello.txt`],
      ['-I', '-L', `${http}pub/hello.txt`],
      ['-ZO', `${http}pub/hello.txt`, `${http}readme.txt`, `${ftp}pub/hello.txt`],
      [`${ftp}pub/hello.txt`],
      ['-C', '-', '-o', 'part', `${ftp}pub/hello.txt`],
      [`${gopher}0/readme.txt`],
      ['ls', `${ftp}pub/`],
      ['ls', '--json', `${http}pub/`],
      ['ls', news],
      ['mirror', `${ftp}pub/`, 'copy'],
      ['check', `${http}readme.txt`],
      ['schemes'],
      ['completions', 'bash'],
    ]
    const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: tmpdir() }
    // One that fails has shown how a failure is told.
    for (const line of lines) {
      const child = spawn(process.execPath, [bin, ...line], { cwd: folder, env, stdio: 'ignore' })
      await once(child, 'exit')
    }
  } finally {
    await servers.close()
  }
}

/** Each file of the bundle, and its code: of the command that compiled most of it, or else what loading it compiles. */
function assetsOf(bundle) {
  const trained = trainedCode(join(bundle, '.cache'))
  const assets = {}
  for (const file of readdirSync(bundle, { recursive: true })) {
    const path = join(bundle, file)
    if (!file.endsWith('.js') || file === 'bin.js') continue
    assets[file] = path
    const code = trained.get(file) ?? new Script(readFileSync(path, 'latin1'), { filename: path }).createCachedData()
    writeFileSync(`${path}.code`, code)
    assets[`${file}.code`] = `${path}.code`
  }
  return assets
}

/** What load.ts has written: the length of a table, the table, the code of the files that one command loads. */
function trainedCode(cache) {
  const longest = new Map()
  for (const file of readdirSync(cache)) {
    const octets = readFileSync(join(cache, file))
    const start = 10 + Number(octets.toString('latin1', 0, 10))
    const { places } = JSON.parse(octets.toString('utf8', 10, start))
    for (const [name, [from, to]] of Object.entries(places)) {
      if (to - from > (longest.get(name)?.length ?? 0)) longest.set(name, octets.subarray(start + from, start + to))
    }
  }
  return longest
}

/** One file of a program and all that it imports, but no addons: a single file cannot load any, and ssh2 needs none. */
async function bundled(entry, outfile) {
  const external = ['*.node', 'cpu-features']
  // ssh2 asks for it, to look for a file that it then does not need.
  const define = { __dirname: '"/"' }
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    external,
    define,
  })
}

function licences() {
  const chunks = join(here, 'dist/chunks')
  const told = readdirSync(chunks).filter((file) => file.endsWith('.LEGAL.txt'))
  return [
    readFileSync(join(root, 'LICENSE'), 'utf8'),
    `It holds Node.js ${process.version}: https://github.com/nodejs/node/blob/${process.version}/LICENSE`,
    ...told.map((file) => readFileSync(join(chunks, file), 'utf8')),
  ].join('\n')
}

function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0)
    fail(`${stdout}${stderr}${relative(root, args.find((arg) => !arg.startsWith('-')) ?? program)} failed.`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
