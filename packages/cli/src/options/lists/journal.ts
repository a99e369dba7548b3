import { usageError } from '../../exit-codes.ts'
import type { Targets } from '../../saving/destination.ts'
import type { ManyOption } from '../many.ts'
import { type GivenOptions, get, type OptionRow } from '../option.ts'
import type { OutputOption } from '../output.ts'

export type JournalOption = 'journal' | 'retry-failed'

const commands = [...get, 'check', 'mirror'] as const

export const journalOptions: readonly OptionRow<JournalOption>[] = [
  {
    long: 'journal',
    sent: false,
    arg: 'FILE',
    help:
      'Keep a journal of all URLs in FILE, a JSON object a line: the same command goes on after a kill or a power ' +
      'failure, and asks for no URL twice; `retrieve journal FILE` reads it',
    commands,
    example: 'retrieve --from urls.txt --output-dir files --journal urls.journal',
  },
  {
    long: 'retry-failed',
    sent: false,
    help: 'With --journal: ask again for URLs that failed for good, and for those whose time has not come',
    commands,
    example: 'retrieve --from urls.txt --output-dir files --journal urls.journal --retry-failed',
  },
]

/** The journal of a command. */
export interface JournalSettings {
  readonly path: string
  readonly retriesFailed: boolean
}

type Options = GivenOptions<
  JournalOption | ManyOption | OutputOption | 'continue-at' | 'part' | 'attachments' | 'handoff'
>

/** Reads the options of the journal; null if none is wanted. Throws `invalid-option`. */
export function readJournal(line: Options, { destinations }: Pick<Targets, 'destinations'>): JournalSettings | null {
  const path = line.value('journal')
  const retriesFailed = line.has('retry-failed')
  if (path === undefined) {
    if (retriesFailed) throw usageError('--retry-failed is for what a journal has: give --journal FILE.')
    return null
  }
  if (path === '' || path === '-') throw usageError('--journal needs the name of a file.')
  const other = (['continue-at', 'part', 'attachments', 'handoff'] as const).find((name) => line.has(name))
  if (other === 'continue-at') throw usageError('A command with --journal goes on by itself: leave -C out.')
  if (other !== undefined) throw usageError(`--journal is for whole files: leave --${other} out.`)
  const isListed = line.has('from') && !line.has('remote-name') && line.value('output-dir') === undefined
  if (isListed || destinations.some(({ to }) => to === 'stdout')) {
    throw usageError('--journal is for files: give -O, -o FILE, or --output-dir with --from.')
  }
  return { path, retriesFailed }
}
