import { readlink, realpath, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { RetrievalContext } from '../contract/fetcher.ts'

/** PROC_SUPER_MAGIC of Linux (statfs(2)). */
const procfs = 0x9fa0

/**
 * The files of a process that proc(5) shows to everybody on purpose. The others are its memory, its environment and its
 * arguments, which hold secrets, or its open files (threats.md case 54).
 */
const shown: ReadonlySet<string> = new Set([
  'cgroup',
  'comm',
  'io',
  'limits',
  'loginuid',
  'mountinfo',
  'mounts',
  'oom_adj',
  'oom_score',
  'oom_score_adj',
  'sched',
  'schedstat',
  'sessionid',
  'stat',
  'statm',
  'status',
])

/** Files that hold the system's memory, its log, or the keys that it keeps for users. */
const hidden = /^(?:k(?:core|msg|eys|ey-users|pagecgroup|pagecount|pageflags)|vmcore|slabinfo|sysrq-trigger)$/

/**
 * Throws `file-failed` for a file that is a piece of a process. `descriptor` belongs to the open file: it tells which
 * file the system opened after all links.
 */
export async function refuseProcessFile(path: Buffer, descriptor: number, context: RetrievalContext): Promise<void> {
  if (process.platform !== 'linux') return
  const opened = `/proc/self/fd/${descriptor}`
  const isProc = await statfs(opened).then(
    ({ type }) => type === procfs,
    () => false,
  )
  const isRefused = isProc ? isPrivate(await readlink(opened)) : await isDescriptor(path)
  if (!isRefused) return
  const message =
    'The file belongs to a running process (its environment, its memory, or an open file); it is not retrieved.'
  throw context.error('file-failed', message)
}

/** Whether a path in /proc is private: `/proc/12/environ`, `/proc/12/task/13/environ`. proc may be mounted anywhere. */
function isPrivate(path: string): boolean {
  const names = path.split('/')
  const name = names.at(-1) ?? ''
  const owner = names.findLastIndex(
    (each, index) => /^\d+$/.test(each) && !/^(?:irq|pci)$/.test(names[index - 1] ?? ''),
  )
  if (owner < 0) return hidden.test(name)
  const below = names.slice(owner + 1)
  return !(below.length === 1 && shown.has(name)) && below[0] !== 'net'
}

/** Folders of the files that a process has open, such as `/proc/12/fd`. The caller may have no right to open them. */
const descriptors = /\/\d+\/(?:fd|map_files)$/

/** Whether the path, or a link that it leads to, is in such a folder: `/dev/stdin` is `/proc/self/fd/0`. */
async function isDescriptor(path: Buffer): Promise<boolean> {
  let at = path.toString('latin1')
  // The system itself follows at most 40 links (path_resolution(7)).
  for (let links = 0; links < 40; links++) {
    const folder = await realpath(octets(dirname(at)), 'latin1').catch(() => '')
    if (descriptors.test(folder)) return true
    const target = await readlink(octets(at), 'latin1').catch(() => null)
    if (target === null) return false
    at = resolve(folder, target)
  }
  return false
}

function octets(path: string): Buffer {
  return Buffer.from(path, 'latin1')
}
