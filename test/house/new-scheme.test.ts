/** `pnpm new scheme` in a copy of the checkout: what it writes compiles, and passes the linter and all tests of it. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const linked = [
  'packages/core',
  'packages/fetchers',
  'packages/queue',
  'packages/gateway',
  'packages/cli',
  'test',
  'test/servers',
  'examples',
]
let copy = ''

beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'retriever-new-scheme-')))
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  for (const path of tracked.filter((path) => path !== '' && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true })
  }
  // Links to the packages of the workspace are relative: in the copy, they lead to the copy.
  for (const path of linked.map((folder) => `${folder}/node_modules`).filter((path) => existsSync(join(root, path)))) {
    cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true })
  }
  // Caches of the checkout stay its own.
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.') && name !== '.pnpm') continue
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

interface Ended {
  readonly status: number | null
  /** All that the program wrote. */
  readonly output: string
}

/** Runs a program of Node in the copy. */
async function run(file: string, ...args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, RETRIEVER_TEST_RUNS: undefined }
  const child = spawn(process.execPath, [join(copy, file), ...args], {
    cwd: copy,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text))
  const [status] = await once(child, 'close')
  return { status, output: output.join('') }
}

const newScheme = (...args: readonly string[]): Promise<Ended> => run('test/house/new-scheme.mjs', ...args)
const vitest = (...args: readonly string[]): Promise<Ended> =>
  run('node_modules/vitest/vitest.mjs', 'run', '--project=shared', ...args)

test.each([
  [[], ['There is: scheme', 'The name of the scheme is missing', '--port is missing', '--title is missing', 'As in: ']],
  [
    ['scheme', 'nex', '--port', '0', '--title', 'a|b'],
    ['--port is a number from 1 to 65535', '--title has a capital'],
  ],
  [['scheme', 'NEX', '--port', '1900', '--title', 'NEX'], ['lower-case letters']],
  [['scheme', 'with', '--port', '1900', '--title', 'X'], ['with is a word of JavaScript']],
  [['scheme', 'nex', '--port', '1900', '--title', 'NEX', '--kind', 'udp'], ['--kind knows: line; not udp']],
  [['scheme', 'nex', '--port', '1900', '--title', 'NEX', '--spec', 'x'], ['--spec is as RFC 1288']],
  [['scheme', 'nex', '--prot', '1900'], ["Unknown option '--prot'"]],
  [['scheme', 'finger', '--port', '79', '--title', 'X'], ['The name finger is taken: see packages/core/src/schemes']],
  // An argument of the list of protocols, which an import of this name would not be.
  [['scheme', 'ssh', '--port', '22', '--title', 'X'], ['The name ssh is taken: see packages/fetchers/src/protocols']],
])('what is missing or wrong is said, and nothing is written: %j', async (args, sentences) => {
  const { status, output } = await newScheme(...args)
  expect(status).toBe(2)
  for (const sentence of sentences) expect(output).toContain(sentence)
  expect(existsSync(join(copy, 'packages/core/src/schemes/nex.ts'))).toBe(false)
})

describe('two schemes that are written', () => {
  beforeAll(async () => {
    const { status, output } = await newScheme('scheme', 'nex', '--port', '1900', '--title', 'NEX')
    expect(output).toMatch(/lines in 6 new files and 6 lists/)
    expect(status).toBe(0)
    // The longest name, which comes behind all others, and the longest texts.
    const texts = ['--title', 'T'.repeat(60), '--spec', `draft-${'x'.repeat(80)}-00`]
    expect(await newScheme('scheme', 'z'.repeat(16), '--port', '25', ...texts)).toMatchObject({ status: 0 })
  })

  test.each([
    ['compile', () => run('node_modules/typescript/bin/tsc', '-b')],
    [
      'have the order and the form of all sources',
      () => run('node_modules/@biomejs/biome/bin/biome', 'check', 'packages', 'test/protocols', '--error-on-warnings'),
    ],
    [
      'are complete, and pass the contract and the tests of their tables',
      () => vitest('completeness', 'protocols/nex', 'protocols/zzz', 'core/urls', 'core/findings', 'honoured'),
    ],
    ['have pages that are right', () => vitest('test/docs/docs.test.ts', '-t', 'docs/schemes/(README|nex|z{16}).md')],
  ])('%s', { timeout: 240_000 }, async (_, check) => {
    const { status, output } = await check()
    expect(status, output).toBe(0)
  })
})
