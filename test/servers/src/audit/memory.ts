import { readFileSync } from 'node:fs'

/**
 * The memory that a process and its children hold now, in octets, by Linux's /proc; for the process itself its highest
 * so far. Undefined on other systems, and when the process has ended.
 */
export function memoryOf(pid: number, isChild = false): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const [, kibibytes] = (isChild ? /^VmRSS:\s*(\d+) kB$/m : /^VmHWM:\s*(\d+) kB$/m).exec(status) ?? []
    if (kibibytes === undefined) return undefined
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
    return children.reduce((sum, child) => sum + (memoryOf(Number(child), true) ?? 0), 1024 * Number(kibibytes))
  } catch {
    return undefined
  }
}
