import { usageError } from '../exit-codes.ts'
import type { CommandLine } from '../parse.ts'

/** Of a message: one part, or all that are to be kept, in a directory. */
export type PartOptions =
  | { readonly which: string; readonly attachmentsTo: null }
  | { readonly which: null; readonly attachmentsTo: string }

/** What makes no sense with a part of a message: it has to come whole before there is any. */
const excluded = ['range', 'continue-at', 'head', 'include', 'remote-header-name', 'etag-save', 'split'] as const

/** --part and --attachments; null where neither is given. Throws `invalid-option`. */
export function readPartOptions(line: CommandLine): PartOptions | null {
  const which = line.value('part')
  const all = line.has('attachments')
  if (which === undefined && !all) return null
  const typed = which === undefined ? '--attachments' : '--part'
  const other = excluded.find((name) => line.has(name))
  if (other !== undefined) throw usageError(`${typed} needs the whole message: leave --${other} out.`)
  if (which !== undefined && all)
    throw usageError('--part gives one part and --attachments saves many: give one of them.')
  if (which === '') throw usageError('--part needs a number, a name, or a cid: or mid: URL.')
  if (which !== undefined) return { which, attachmentsTo: null }
  if (line.has('output') || line.has('remote-name')) {
    throw usageError('--attachments names its files itself: leave -o and -O out; --output-dir says where they go.')
  }
  return { which: null, attachmentsTo: line.value('output-dir') ?? '.' }
}
