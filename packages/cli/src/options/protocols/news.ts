import { usageError } from '../../exit-codes.ts'
import { readCount } from '../numbers.ts'
import { type GivenOptions, get, network, type OptionRow, sets } from '../option.ts'
import type { OutputOption } from '../output.ts'

export type NewsOption = 'part' | 'attachments' | 'limit'

export const newsOptions: readonly OptionRow<NewsOption>[] = [
  {
    long: 'part',
    sent: false,
    arg: 'WHICH',
    help: 'Retrieve one part of a message, decoded, by number, name, cid: or mid: URL; ls lists the parts',
    commands: get,
    example: "retrieve --part 2 -o picture.png 'news:1@news.example.org'",
  },
  {
    long: 'attachments',
    sent: false,
    help: 'Save the attachments and named parts of a message under their names, made safe; never overwrites',
    commands: get,
    example: "retrieve --attachments --output-dir /tmp 'news:1@news.example.org'",
  },
  {
    long: 'limit',
    ...sets('limit', (text) => readCount('limit', text)),
    sent: true,
    arg: 'N',
    help: 'List only the newest N articles of a newsgroup or IMAP mailbox, by default 1000, or N results of a search by LDAP, WAIS or Z39.50',
    commands: network,
    example: 'retrieve ls --limit 20 news:comp.lang.c',
  },
]

/** The parts of a message to retrieve: one part, or all attachments into a directory. */
export type PartOptions =
  | { readonly which: string; readonly attachmentsTo: null }
  | { readonly which: null; readonly attachmentsTo: string }

/** Options that retrieve less than the whole message, which is needed to find a part. */
const excluded = ['range', 'continue-at', 'head', 'include', 'remote-header-name', 'etag-save', 'split'] as const

/** The parts of --part and --attachments; null if neither is given. Throws `invalid-option`. */
export function readPartOptions(
  line: GivenOptions<NewsOption | OutputOption | (typeof excluded)[number]>,
): PartOptions | null {
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
