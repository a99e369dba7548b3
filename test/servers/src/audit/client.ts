import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Jail } from './jail.ts'
import { memoryOf } from './memory.ts'

/** What one run of a client may use. */
export interface RunLimits {
  /** In milliseconds. */
  readonly time: number
  /** In octets, as the sum of the client and its child processes. */
  readonly memory: number
  /** In octets, for all files and for each output stream. */
  readonly disk: number
}

/** What was seen of one run, from outside. */
export interface Observed {
  /** The exit status; null if a signal ended the client. */
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  /** The limit at which the client was ended; null if it ended by itself. */
  readonly over: keyof RunLimits | null
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** The highest memory that was seen, in octets; null if the system does not tell. */
  readonly memory: number | null
}

/** How often a run is looked at, in milliseconds: a client that takes 1 GiB/s is over its limit by 20 MiB at most. */
const pace = 20

/** Where a client puts what it retrieves. */
export type Place = 'file' | 'folder' | 'stdout'

export function placeOf(command: readonly string[]): Place {
  const uses = (placeholder: string): boolean => command.some((word) => word.includes(placeholder))
  return uses('{file}') ? 'file' : uses('{dir}') ? 'folder' : 'stdout'
}

/**
 * Runs a client without a shell, in the folder of its jail, in a process group of its own, which is ended with it.
 * Rejects with the system's error if it cannot be started.
 */
export async function runClient(
  command: readonly string[],
  url: string,
  jail: Jail,
  env: NodeJS.ProcessEnv,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<Observed> {
  signal.throwIfAborted()
  const values: Readonly<Record<string, string>> = {
    '{url}': url,
    '{file}': join(jail.folder, 'out'),
    '{dir}': jail.folder,
    '{ca}': jail.ca,
  }
  const [program = '', ...args] = command.map((word) =>
    word.replace(/\{(?:url|file|dir|ca)\}/g, (at) => values[at] ?? at),
  )
  // A path is one from the caller's folder, not from the client's.
  const child = spawn(/[/\\]/.test(program) ? resolve(program) : program, args, {
    cwd: jail.folder,
    env: environmentOf(env, jail),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
  const { pid } = child
  let over: Observed['over'] = null
  let memory: number | null = null
  const end = (limit: Observed['over']): void => {
    over ??= limit
    endGroup(pid)
  }
  const started = performance.now()
  const look = setInterval(() => {
    memory = Math.max(memory ?? 0, (pid !== undefined && memoryOf(pid)) || 0) || null
    if ((memory ?? 0) > limits.memory) end('memory')
    if (performance.now() - started > limits.time) end('time')
  }, pace)
  const weigh = setInterval(() => {
    void jail.size().then((size) => size > limits.disk && end('disk'))
  }, 5 * pace)
  const abort = (): void => end(null)
  signal.addEventListener('abort', abort)
  const outputs = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = []
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.disk) end('disk')
      else chunks.push(chunk)
    })
    return chunks
  })
  try {
    const [exit, killer] = await new Promise<[number | null, NodeJS.Signals | null]>((settle, reject) => {
      child.once('error', reject)
      // What the client has started would hold its output open.
      child.once('exit', () => endGroup(pid))
      child.once('close', (code, by) => settle([code, by]))
    })
    signal.throwIfAborted()
    const [stdout = Buffer.alloc(0), stderr = Buffer.alloc(0)] = outputs.map((chunks) => Buffer.concat(chunks))
    return { exit, signal: killer, over, stdout, stderr, memory }
  } finally {
    clearInterval(look)
    clearInterval(weigh)
    signal.removeEventListener('abort', abort)
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** The caller's environment with the jail's folders, and without proxies, to which every request would go. */
function environmentOf(env: NodeJS.ProcessEnv, { root, home }: Jail): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/_proxy$|^XDG_/i.test(name))
  const folders = { HOME: home, USERPROFILE: home, TMPDIR: join(root, 'tmp'), XDG_STATE_HOME: join(home, 'state') }
  return { ...Object.fromEntries(kept), ...folders, XDG_CONFIG_HOME: join(home, 'config'), LC_ALL: 'C.UTF-8' }
}
