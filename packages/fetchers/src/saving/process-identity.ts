import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/** Identifies one process, even against a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process began, in the system's own format. Null if the system does not say. */
  readonly started: string | null
  /** The machine on which the number is valid, on Linux with its namespace of process numbers. */
  readonly host: string
  /** The machine's boot in which the process ran. Null if the system does not say. */
  readonly boot: string | null
}

let own: Promise<ProcessIdentity> | undefined

/** Identifies this process, once. */
export function thisProcess(): Promise<ProcessIdentity> {
  own ??= identify()
  return own
}

/**
 * Whether the process still runs. Null if this machine cannot tell, for example if the process is on another machine.
 */
export async function isRunning(process: ProcessIdentity): Promise<boolean | null> {
  const self = await thisProcess()
  if (process.host !== self.host) return null
  if (process.boot !== self.boot) return false
  const started = await startOf(process.pid)
  if (started !== null) return process.started === null ? null : started === process.started
  return exists(process.pid) ? null : false
}

async function identify(): Promise<ProcessIdentity> {
  const { pid, platform } = process
  const [started, boot, namespace] = await Promise.all([
    startOf(pid),
    platform === 'linux' ? contentOf('/proc/sys/kernel/random/boot_id') : startByPs(1),
    platform === 'linux' ? readlink('/proc/self/ns/pid').catch(() => '') : '',
  ])
  return { pid, started, host: `${hostname()} ${namespace}`.trim(), boot: boot?.trim() ?? null }
}

/**
 * Returns when the process began, `ended` for a zombie, or null if there is no such process or the system does not say.
 */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return startByPs(pid)
  const stat = await contentOf(`/proc/${pid}/stat`)
  // proc(5): the name in brackets may hold anything. The state follows it, and 19 fields later comes the start in clock
  // ticks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return /^[ZXx]/.test(fields[0] ?? '') ? ended : (fields[19] ?? null)
}

/** A start time that no running process has. */
const ended = 'ended'

/** Returns the start of a process on POSIX systems without /proc, such as macOS. */
function startByPs(pid: number): Promise<string | null> {
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env, timeout: 5000 }, (error, stdout) => {
      resolve(error === null ? stdout.trim() || null : null)
    })
  })
}

/** Whether a process has this number. Signal 0 sends nothing: the system only checks whether a signal could be sent. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function contentOf(path: string): Promise<string | null> {
  return readFile(path, 'latin1').catch(() => null)
}
