/** The programs in the documentation, compiled as by a strict user, and run against the test servers. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startServers, type TestServers } from '@retriever/servers'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longestRun } from '../support/longest-run.ts'
import { type Program, pages, programsOf, promisedOutput } from './programs.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const all = pages.flatMap(programsOf)
const programs = all.filter(({ module }) => module === null)
const fileOf = ({ name, module }: Program): string => module ?? `${name.replace(/\W/g, '-')}.ts`

/** Files that the programs retrieve, beside the seed of the servers. */
const files = {
  '/pub/a.json': '{"name":"a"}',
  '/pub/big.iso': 'big '.repeat(50_000),
  '/pub/old/report.txt': 'of last year\n',
}

/** Below test/, so that the packages are found. */
let sources: string
/** The programs run here. */
let folder: string
let servers: TestServers

beforeAll(async () => {
  sources = await mkdtemp(fileURLToPath(new URL('.programs-', import.meta.url)))
  folder = await mkdtemp(join(tmpdir(), 'retriever-library-'))
  servers = await startServers({ files })
})
afterAll(async () => {
  await rm(sources, { recursive: true })
  await rm(folder, { recursive: true })
  await servers.close()
})

/** The hosts of the pages, and the test servers that they stand for. */
function standIns(): (readonly [host: string, server: string])[] {
  const hosts = { http: 'www', ftp: 'ftp', gopher: 'gopher', nntp: 'news', telnet: 'telnet' } as const
  return Object.entries(hosts).map(([name, host]) => {
    const { port } = servers[name as keyof typeof hosts]
    return [`${host}.example.org`, `127.0.0.1:${port}`]
  })
}

const withServers = (code: string): string =>
  standIns().reduce((text, [host, server]) => text.replaceAll(host, server), code)

const withHosts = (output: string): string =>
  standIns().reduce((text, [host, server]) => text.replaceAll(server, host), output)

/** Node reads `.js` here as an ES module. */
async function writeScript(program: Program): Promise<string> {
  const { code } = await transform(withServers(program.code), { loader: 'ts', target: 'node20' })
  const script = join(sources, fileOf(program).replace(/ts$/, 'js'))
  await writeFile(script, code)
  return script
}

describe('the programs in the documentation', () => {
  test('compile in strict TypeScript', async () => {
    for (const program of all) await writeFile(join(sources, fileOf(program)), program.code)
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      noEmit: true,
      // Each program is a module of its own.
      moduleDetection: 'force',
    }
    await writeFile(join(sources, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const { stdout } = await execute(join(root, 'node_modules/.bin/tsc'), ['-p', sources]).catch((error) => error)
    expect(stdout).toBe('')
  }, 60_000)

  test.each(programs)('$name runs, and prints what its comments say', async (program) => {
    for (const module of all.filter(({ module }) => module !== null)) await writeScript(module)
    const script = await writeScript(program)
    const cwd = join(folder, fileOf(program))
    await mkdir(cwd)
    const { stdout, stderr } = await execute(process.execPath, [script], { cwd, timeout: longestRun })
    expect(stderr).toBe('')
    const printed = withHosts(stdout).split('\n')
    expect(promisedOutput(program.code).filter((text) => !printed.includes(text))).toEqual([])
  })
})
