import { readFileSync } from 'node:fs'

/**
 * This process's peak resident set, in KiB. Linux's own record of it begins when the program begins; what getrusage
 * tells includes what the parent had when it forked: a bench that had compared a gibibyte made every child a gibibyte.
 */
export function peakMemory() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))
  return Number(kibibytes)
}
