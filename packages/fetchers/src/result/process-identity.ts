import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/** What tells one process from every other, also from a later one that the system gives the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process began, in the system's own words; null where the system does not say. */
  readonly started: string | null
  /** Where the number means this process: the machine, on Linux with its namespace of process numbers. */
  readonly host: string
  /** Which run of the machine it was; null where the system does not say. */
  readonly boot: string | null
}

let own: Promise<ProcessIdentity> | undefined

/** This process. It is found out once. */
export function thisProcess(): Promise<ProcessIdentity> {
  own ??= identify()
  return own
}

/** Whether the process still runs; null where this machine cannot tell, as for a process of another machine. */
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
 * Null where there is no such process, and where the system does not say. `ended` for one that only waits to be reaped.
 */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return startByPs(pid)
  const stat = await contentOf(`/proc/${pid}/stat`)
  // proc(5): the name in brackets may hold anything; the state follows it, and 19 fields later the start in clock
  // ticks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return /^[ZXx]/.test(fields[0] ?? '') ? ended : (fields[19] ?? null)
}

/** The start of no process. */
const ended = 'ended'

/** Of POSIX systems without /proc, such as macOS. */
function startByPs(pid: number): Promise<string | null> {
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env, timeout: 5000 }, (error, stdout) => {
      resolve(error === null ? stdout.trim() || null : null)
    })
  })
}

/** Signal 0 is none: the system only looks whether it could be sent. */
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
