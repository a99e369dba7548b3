import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { devNull, homedir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { isSea } from 'node:sea'
import { makeFolders } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import { defaultConfigFile } from '../line/config-file.ts'
import type { CommandLine } from '../parse.ts'
import { tryFile, writeFailed } from '../saving/destination.ts'
import type { Host } from '../terminal/streams.ts'
import { type Passed, signals } from './jailed-host.ts'

/**
 * Runs the same command line in a second process under Node's permission model, with the same standard streams, and
 * resolves to its exit code. That process may write the folder of the line, and read that, its own code and the files
 * that the line names. Throws `invalid-option` if there is no such model here.
 */
export async function runJailed(
  argv: readonly string[],
  line: CommandLine,
  env: NodeJS.ProcessEnv,
  host: Pick<Host, 'on' | 'off'>,
): Promise<number> {
  const flag = permissionFlag()
  if (flag === null || isSea()) {
    throw usageError('--jail needs Node 20.20, or 22.13 or later, and not the single file.')
  }
  if ([line, ...line.following].some((each) => each.has('handoff'))) {
    throw usageError('--jail starts no program, so --handoff does not go with it: leave one of them out.')
  }
  for (const { file, option } of line.sources) {
    if (file !== '-' && statOf(file)?.isFile()) continue
    const given = file === '-' ? 'standard input' : file
    throw usageError(`--jail reads the command line twice, so ${option} needs a regular file, not ${given}.`)
  }
  const bin = realpathSync(process.argv[1] ?? '')
  const folder = folderOf(line)
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      '--disable-warning=ExperimentalWarning',
      flag,
      // Newer versions of Node limit the network, too.
      ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
      ...fewest([folder, devNull]).map((path) => `--allow-fs-write=${path}`),
      ...fewest([folder, devNull, ...codeOf(bin), ...filesOf(line, env)]).map((path) => `--allow-fs-read=${path}`),
      bin,
      ...argv,
    ],
    { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env },
  )
  return endOf(child, host)
}

/**
 * The flag of Node's permission model; null if there is none that works. Until Node 20.18 at least, a promise of a call
 * that the model refuses is rejected where nobody can catch it.
 */
function permissionFlag(): string | null {
  if (process.allowedNodeEnvironmentFlags.has('--permission')) return '--permission'
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major === 20 && minor >= 20 ? '--experimental-permission' : null
}

/**
 * The one folder that may be written: that of the copy for mirror, otherwise --output-dir or the current one. If the
 * line makes it, it is made here, since Node allows what lies below a path only if that is a folder at the start.
 */
function folderOf(line: CommandLine): string {
  const { command, operands } = line
  const typed = command === 'mirror' ? operands[1] : line.value('output-dir')
  const folder = resolve(typed ?? '.')
  if (/[*,]/.test(folder))
    throw usageError(`--jail cannot limit a process to ${folder}: Node reads * and , as its own.`)
  if (dirname(folder) === folder) throw usageError(`--jail needs a folder of its own, not ${folder}.`)
  const isMade = command === 'mirror' ? !line.has('dry-run') : line.has('create-dirs')
  if (isMade) makeFolder(folder)
  if (statOf(folder)?.isDirectory()) return folder
  // The folder of a dry run may be missing, and Node reads this as all that lies below.
  if (command === 'mirror') return join(folder, '*')
  throw usageError(`With --jail, the folder ${folder} must be there; make it, or let --create-dirs make it.`)
}

/** Makes a folder, unless it is there. Throws `write-failed`. */
function makeFolder(folder: string): void {
  const stats = statOf(folder)
  if (stats !== undefined && !stats.isDirectory()) throw writeFailed(folder, 'it is no folder, and one is needed')
  tryFile(folder, () => makeFolders(folder))
}

/** The state of a path; undefined if nothing is there, or if a text, as most values of options, cannot be a path. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Leaves out what lies in a folder of the list: some versions of Node end by an assertion if a path comes twice. */
function fewest(paths: readonly string[]): string[] {
  const sorted = [...new Set(paths)].sort((one, other) => one.length - other.length)
  return sorted.filter((path, index) => !sorted.slice(0, index).some((folder) => path.startsWith(join(folder, sep))))
}

/** The code of the command, and the folders of packages in which Node looks for its optional dependencies. */
function codeOf(bin: string): string[] {
  const packages = createRequire(bin).resolve.paths('ssh2') ?? []
  return [dirname(bin), ...packages.filter((path) => existsSync(path))]
}

/**
 * Files of the system that a retrieval looks at: the default news server, how many files may be open, and which process
 * of which start of the system writes an unfinished file.
 */
const systemFiles = ['/etc/news/server', '/proc/self/limits', '/proc/self/ns/pid', '/proc/sys/kernel/random/boot_id']

/** The files that the line or the environment names, as `FILE`, `@FILE`, `NAME=@FILE` or `FILE:PASSWORD`. */
function filesOf(line: CommandLine, env: NodeJS.ProcessEnv): string[] {
  const { CURL_CA_BUNDLE = '', SSL_CERT_FILE = '', SSL_CERT_DIR = '' } = env
  const values = [line, ...line.following].flatMap(({ given }) => given.map(({ value }) => value))
  const named = values.flatMap((value) => [value, value.slice(value.indexOf('@') + 1), value.split(':', 1)[0] ?? ''])
  const own = [defaultConfigFile(env), env.NETRC || join(homedir(), '.netrc'), ...systemFiles]
  const ofEnvironment = [CURL_CA_BUNDLE, SSL_CERT_FILE, ...SSL_CERT_DIR.split(':')]
  const read = line.sources.map(({ file }) => file)
  const existing = [...named, ...read, ...ofEnvironment].filter((path) => isFileOrFolder(path))
  return [...existing, ...own].filter((path) => !/[*,\0]/.test(path)).map((path) => resolve(path))
}

function isFileOrFolder(path: string): boolean {
  const stats = statOf(path)
  return stats?.isFile() === true || (stats?.isDirectory() === true && dirname(resolve(path)) !== resolve(path))
}

/**
 * Waits for the second process, and passes signals on. A terminal sends a signal to both processes, so this one does
 * not send it again, but tells of it: jailed-host.ts counts it once. If a signal ends the second process, it ends this
 * one, too.
 */
async function endOf(child: ChildProcess, host: Pick<Host, 'on' | 'off'>): Promise<number> {
  const pass = (signal: NodeJS.Signals): void => {
    child.send({ signal } satisfies Passed, () => {})
  }
  for (const name of signals) host.on(name, pass)
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((settle, reject) => {
      child.once('error', reject)
      child.once('exit', (...end) => settle(end))
    })
    for (const name of signals) host.off(name, pass)
    if (signal !== null) process.kill(process.pid, signal)
    return code ?? 1
  } finally {
    for (const name of signals) host.off(name, pass)
  }
}
