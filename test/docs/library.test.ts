/** The code of docs/library.md is compiled as a strict user would, and run against the test servers. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startServers, type TestServers } from '@retriever/servers'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programsOf } from './programs.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const programs = programsOf(`${root}docs/library.md`, 'library.md')
const fileOf = (name: string): string => `${name.replace(/\W/g, '-')}.ts`

/** Below test/, so that the packages are found. */
let sources: string
/** The programs run here. */
let folder: string
let servers: TestServers

beforeAll(async () => {
  sources = await mkdtemp(fileURLToPath(new URL('.programs-', import.meta.url)))
  folder = await mkdtemp(join(tmpdir(), 'retriever-library-'))
  servers = await startServers()
})
afterAll(async () => {
  await rm(sources, { recursive: true })
  await rm(folder, { recursive: true })
  await servers.close()
})

/** The hosts of the page, which stand for the test servers. */
function withServers(code: string): string {
  const hosts = { http: 'www', ftp: 'ftp', gopher: 'gopher', nntp: 'news', telnet: 'telnet' } as const
  return Object.entries(hosts).reduce((text, [name, host]) => {
    const { port } = servers[name as keyof typeof hosts]
    return text.replaceAll(`${host}.example.org`, `127.0.0.1:${port}`)
  }, code)
}

describe('the programs of docs/library.md', () => {
  test('compile in strict TypeScript', async () => {
    for (const { name, code } of programs) await writeFile(join(sources, fileOf(name)), code)
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

  test.each(programs)('$name runs', async ({ name, code }) => {
    const cwd = join(folder, fileOf(name))
    await mkdir(cwd)
    const { code: script } = await transform(withServers(code), { loader: 'ts', target: 'node20' })
    const file = join(sources, `${fileOf(name)}.mjs`)
    await writeFile(file, script)
    const { stderr } = await execute(process.execPath, [file], { cwd, timeout: 15_000 })
    expect(stderr).toBe('')
  })
})
