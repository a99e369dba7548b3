import { statSync } from 'node:fs'
import type { Representation } from '@retriever/fetchers'
import type { Run } from '../run.ts'
import { formatSize, formatTime } from '../terminal/output.ts'

/**
 * Tells a person at a terminal that a file is complete: `saved x.pdf, 1.2 MiB in 3.1 s, application/pdf`; if the file
 * was continued, how much came now. Without a terminal it does so only with -v. `how` says why the file has this name.
 * Returns whether it told anything.
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
  // A device, such as /dev/null, keeps nothing, so nothing is said.
  if (!stats?.isFile()) return false
  const came = received < stats.size ? `, ${formatSize(received)} of it now` : ''
  const time = formatTime(timings?.ended ?? 0)
  const type = mediaType === null ? '' : `, ${mediaType}`
  output.note(`saved ${path}, ${formatSize(stats.size)}${came} in ${time}${type}${how === null ? '' : `; ${how}`}`)
  return true
}
