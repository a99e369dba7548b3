import { statSync } from 'node:fs'
import type { Representation } from '@retriever/fetchers'
import type { Run } from '../run.ts'
import { formatSize, formatTime } from '../terminal/output.ts'

/**
 * Tells a person at a terminal of a file that is complete: `saved x.pdf, 1.2 MiB in 3.1 s, application/pdf`; of one that
 * was continued, how much of it came. A pipe is told with -v only. `how` says why it has this name. Returns whether it
 * was told.
 */
export function tellSaved(
  path: string,
  { mediaType }: Pick<Representation, 'mediaType'>,
  { received, timings }: { readonly received: number; readonly timings: { readonly ended: number | null } | null },
  { config, output }: Run,
  how: string | null = null,
): boolean {
  if (config.silent || config.json || !(output.stderrIsTerminal || config.verbose)) return false
  const stats = statSync(path, { throwIfNoEntry: false })
  // A device, such as /dev/null, keeps nothing.
  if (!stats?.isFile()) return false
  const came = received < stats.size ? `, ${formatSize(received)} of it now` : ''
  const time = formatTime(timings?.ended ?? 0)
  const type = mediaType === null ? '' : `, ${mediaType}`
  output.note(`saved ${path}, ${formatSize(stats.size)}${came} in ${time}${type}${how === null ? '' : `; ${how}`}`)
  return true
}
