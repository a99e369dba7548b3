/** The command as a user runs it: in the process of the tests, or the bundle in a process of its own. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { longestRun } from '../longest-run.ts'
import { runHere } from './run-here.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
export const bin: string = join(root, 'packages/cli/dist/bin.js')
const sources = [
  'packages/cli',
  'packages/core/src',
  'packages/fetchers/src',
  'packages/queue/src',
  'packages/gateway/src',
  'test/servers/src',
]

export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface OctetOutcome {
  readonly status: number
  readonly stdout: Buffer
  readonly stderr: string
}

export interface Settings {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Where `start` takes standard input from; by default there is none. */
  readonly input?: 'pipe' | 'ignore'
  /** Whether what `retrieve` writes goes to a wide terminal. */
  readonly isTerminal?: boolean
}

/** `retrieve ARGUMENTS` in this process, its output as text. */
export async function retrieve(args: readonly string[], settings: Settings = {}): Promise<Outcome> {
  const { status, stdout, stderr } = await retrieveOctets(args, settings)
  return { status, stdout: stdout.toString(), stderr }
}

export function retrieveOctets(
  args: readonly string[],
  { cwd = root, env = {}, isTerminal = false }: Settings = {},
): Promise<OctetOutcome> {
  return runHere(args, cwd, { ...cleanEnv, ...env }, isTerminal)
}

/** The same in a process of its own, for what makes one: its start, its end, its memory, its standard streams. */
export async function retrieveApart(args: readonly string[], settings: Settings = {}): Promise<Outcome> {
  const { status, stdout, stderr } = await retrieveOctetsApart(args, settings)
  return { status, stdout: stdout.toString(), stderr }
}

export function retrieveOctetsApart(
  args: readonly string[],
  { cwd = root, env = {} }: Settings = {},
): Promise<OctetOutcome> {
  const options = {
    cwd,
    env: { ...cleanEnv, ...env },
    encoding: 'buffer',
    maxBuffer: 2 ** 26,
    timeout: longestRun,
  } as const
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [bin, ...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code
      if (typeof status === 'number') resolve({ status, stdout, stderr: stderr.toString() })
      else reject(new Error(`retrieve ${args.join(' ')}: ${error?.signal}\n${stderr}`))
    })
  })
}

/** For what is done to it while it runs. */
export function start(args: readonly string[], settings: Settings = {}): ChildProcess {
  const { cwd = root, env = {}, input = 'ignore' } = settings
  return spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...cleanEnv, ...env },
    stdio: [input, 'pipe', 'pipe'],
  })
}

/** Through bash, with `retrieve` as a function: for pipes and redirections. */
export function shell(script: string, cwd: string = root): Outcome {
  const prelude = `set -o pipefail; retrieve() { '${process.execPath}' '${bin}' "$@"; }\n`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', prelude + script], {
    cwd,
    env: cleanEnv,
    encoding: 'utf8',
    timeout: longestRun,
  })
  return { status: status ?? -1, stdout, stderr }
}

const settings = /_proxy$|^NNTPSERVER$|^LDAP|^NODE_(?!OPTIONS$)|^VITEST|^(?:NO|FORCE)_COLOR$|^CLICOLOR/i

/**
 * The machine's settings must not decide the outcome; NODE_OPTIONS is that of test/support/loopback-only.ts. No state
 * is kept in /dev/null.
 */
export const cleanEnv: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.test(name))),
  XDG_STATE_HOME: '/dev/null',
  PAGER: '',
  // A folder without a configuration file.
  XDG_CONFIG_HOME: root,
}

/** A folder of the test file's own. Call at its top. */
export function temporaryFolder(): () => string {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retrieve-test-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return () => folder
}

/** Whether this process has found the bundle current, or built it: looking costs as much as many tests. */
let isBuilt = false

/** Builds the bundle where it is older than what it is made from, once for all test files. */
export function useBundle(): void {
  beforeAll(async () => {
    if (isBuilt) return
    const lock = join(root, 'node_modules/.cache-cli-test-lock')
    while (!takeLock(lock)) await new Promise((resolve) => setTimeout(resolve, 50))
    try {
      isBuilt ||= isCurrent()
      if (isBuilt) return
      const { status, stderr } = spawnSync(process.execPath, ['packages/cli/bundle.mjs'], {
        cwd: root,
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`packages/cli/bundle.mjs failed:\n${stderr}`)
      isBuilt = true
    } finally {
      rmdirSync(lock)
    }
  }, 60_000)
}

/** mkdir fails where the name is taken: a lock between the processes of vitest. One of a minute ago was left behind. */
function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > 60_000) rmdirSync(lock)
    return false
  }
}

function isCurrent(): boolean {
  const built = statSync(bin, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return sources.every((folder) => newest(join(root, folder)) <= built)
}

function newest(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !/^(dist|node_modules)$/.test(name))
  return Math.max(
    ...entries.map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? newest(path) : (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    }),
  )
}
