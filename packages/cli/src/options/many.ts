import { usageError } from '../exit-codes.ts'
import type { Destination } from '../saving/destination.ts'
import { readNumber, secondsOf } from './numbers.ts'
import { type GivenOptions, get, type OptionRow } from './option.ts'
import type { OutputOption } from './output.ts'

export type ManyOption =
  | 'parallel'
  | 'parallel-max'
  | 'parallel-max-host'
  | 'wait-for-hosts'
  | 'jobs'
  | 'fail-early'
  | 'rate'
  | 'from'
  | 'extract'
  | 'skip-existing'
  | 'failed'
  | 'exit-worst'

export const manyOptions: readonly OptionRow<ManyOption>[] = [
  {
    long: 'from',
    sent: false,
    arg: 'FILE|-',
    help:
      'Retrieve the URLs in a list, one a line, up to 50 at a time; # begins a comment, and after a TAB a line may ' +
      'give the name of the file',
    commands: get,
    example: 'retrieve --from urls.txt --output-dir pictures',
  },
  {
    long: 'extract',
    sent: false,
    help: 'With --from: the file is any text, with URLs in it',
    commands: get,
    example: 'retrieve --from mail.txt --extract -O',
  },
  {
    long: 'parallel',
    sent: false,
    short: 'Z',
    help: 'Retrieve several URLs at a time; what goes to standard output stays in the order of the URLs',
    commands: get,
    example: 'retrieve -Z --remote-name-all http://www.example.org/a.iso http://www.example.com/b.iso',
    global: true,
  },
  {
    long: 'jobs',
    sent: false,
    arg: 'N',
    help:
      'Retrieve N URLs at a time; -j N is the short form; check: default 16, and at most 4 of a host; mirror: ' +
      'default 4, at most 16',
    commands: [...get, 'check', 'mirror'],
    example: 'retrieve -j 8 --remote-name-all http://www.example.org/a.iso http://www.example.com/b.iso',
    global: true,
  },
  {
    long: 'parallel-max',
    sent: false,
    arg: 'N',
    help: 'With -Z: at most N URLs at a time; default 50',
    commands: get,
    example:
      'retrieve -Z --parallel-max 10 --remote-name-all http://www.example.org/a.iso http://www.example.com/b.iso',
    global: true,
  },
  {
    long: 'parallel-max-host',
    sent: false,
    arg: 'N',
    help: 'At most N URLs of one host at a time; default 6',
    commands: [...get, 'queue'],
    example:
      'retrieve -j 16 --parallel-max-host 2 --remote-name-all http://www.example.org/a.iso http://www.example.com/b.iso',
    global: true,
  },
  {
    long: 'wait-for-hosts',
    sent: false,
    help: 'With -Z, -j, a list or a mirror: wait for a host that is down or full as long as it takes, do not give it up',
    commands: [...get, 'check', 'mirror'],
    example: 'retrieve --from urls.txt -O --wait-for-hosts',
    global: true,
  },
  {
    long: 'skip-existing',
    sent: false,
    help: 'Skip the URLs whose files exist already',
    commands: get,
    example: 'retrieve --from urls.txt -O --skip-existing',
  },
  {
    long: 'failed',
    sent: false,
    arg: 'FILE',
    help: 'Write the URLs that failed to FILE, with the reasons, as a list for --from',
    commands: get,
    example: 'retrieve --from urls.txt -O --failed again.txt',
  },
  {
    long: 'exit-worst',
    sent: false,
    help: 'The exit status is that of the worst failure, not that of the first URL in the list that failed',
    commands: get,
    example: 'retrieve --from urls.txt -O --exit-worst',
  },
  {
    long: 'fail-early',
    sent: false,
    help: 'Stop at the first URL that fails; with -Z or -j, those under way are broken off',
    commands: get,
    example: 'retrieve --fail-early --remote-name-all http://www.example.org/a.iso http://www.example.com/b.iso',
    global: true,
  },
  {
    long: 'rate',
    sent: false,
    arg: 'N/U',
    help: 'Begin at most N retrievals in a unit U: s, m, h or d, or several such as 10s; with -Z or -j, at each host',
    commands: [...get, 'queue'],
    example: 'retrieve --rate 2/s --remote-name-all http://www.example.org/a.iso http://www.example.com/b.iso',
    global: true,
  },
]

type ManyOptions = GivenOptions<ManyOption | OutputOption | 'checksum'>

/** How a command retrieves many URLs. */
export interface Many {
  /** How many URLs are retrieved at a time; 1 means one after another. */
  readonly concurrency: number
  /** The number given with --jobs; null if it was not given. */
  readonly jobs: number | null
  /** How many of them may be at one host. */
  readonly perHost: number
  /** Whether the URLs of a host that stays in trouble fail without being tried. */
  readonly givesUpHosts: boolean
  /** The least milliseconds between the beginnings of two retrievals; 0 for no limit. */
  readonly pace: number
  readonly failEarly: boolean
  /** The lists of further URLs. */
  readonly from: readonly string[]
  /** Whether the lists are texts that contain URLs. */
  readonly isText: boolean
  /** The destination of the URLs in lists. */
  readonly destination: Destination
  readonly skipExisting: boolean
  /** The file for the URLs that fail; null if none is written. */
  readonly failedList: string | null
  readonly exitWorst: boolean
  /** Whether each finished URL gets a line with its number, and the command a summary. */
  readonly isCounted: boolean
}

/** curl's default. It is far above the number for one host, so that slow hosts do not hold up the others. */
const defaultConcurrency = 50
/** The number that browsers use for HTTP/1.1. */
const defaultPerHost = 6

/** Reads the options for many URLs. Throws `invalid-option`. */
export function readMany(line: ManyOptions): Many {
  const jobs = readCount(line, 'jobs')
  const most = readCount(line, 'parallel-max') ?? defaultConcurrency
  const rate = line.value('rate')
  const from = line.values('from')
  const isParallel = line.has('parallel')
  checkList(line, from)
  return {
    concurrency: jobs ?? (isParallel || from.length > 0 ? most : 1),
    jobs,
    perHost: readCount(line, 'parallel-max-host') ?? defaultPerHost,
    givesUpHosts: !line.has('wait-for-hosts'),
    pace: rate === undefined ? 0 : readRate(rate),
    failEarly: line.has('fail-early'),
    from,
    isText: line.has('extract'),
    destination: destinationOfLists(line),
    skipExisting: line.has('skip-existing'),
    failedList: line.value('failed') ?? null,
    exitWorst: line.has('exit-worst'),
    isCounted: isParallel || jobs !== null || from.length > 0,
  }
}

/** Throws `invalid-option` if the options for lists make no sense together. */
function checkList(line: ManyOptions, from: readonly string[]): void {
  if (line.has('extract') && from.length === 0) throw usageError('--extract says what --from reads: give --from FILE.')
  if (from.includes('')) throw usageError('--from needs the name of a file, or - for standard input.')
  if (line.value('failed') === '') throw usageError('--failed needs the name of a file.')
  if (from.filter((file) => file === '-').length > 1 || (from.includes('-') && line.value('write-out') === '@-')) {
    throw usageError('Standard input can be read only once.')
  }
  const isNamed = line.has('output') || line.has('remote-name') || line.has('output-dir')
  if (line.has('skip-existing') && !isNamed) throw usageError('--skip-existing is for files: give -O or -o FILE.')
  if (line.has('skip-existing') && line.has('checksum')) {
    throw usageError('--checksum checks what comes, and --skip-existing checks no existing file: give one of them.')
  }
  if (line.has('skip-existing') && line.has('remote-header-name')) {
    throw usageError('-J learns the name of the file too late for --skip-existing: leave one of them out.')
  }
}

/** The URLs of a list go to files if -O or a folder for files is given. */
function destinationOfLists(line: ManyOptions): Destination {
  const directory = line.value('output-dir')
  if (line.has('remote-name') || directory !== undefined) {
    return { to: 'remote-name', directory: directory ?? '.', byServer: line.has('remote-header-name') }
  }
  return { to: 'stdout', asIs: line.values('output').includes('-') }
}

/** Reads a number; 0 means the default, as in curl. */
function readCount(line: ManyOptions, option: 'jobs' | 'parallel-max' | 'parallel-max-host'): number | null {
  const text = line.value(option)
  return text === undefined ? null : Math.min(readNumber(option, text, /^\d{1,9}$/), maxCount) || null
}

/** More connections than a process may open are useless; curl has the same limit. */
const maxCount = 300

/**
 * Reads `2/s`, `30/m`, `1/10s`, or `3`, which counts by the hour as in curl. Returns the milliseconds for each
 * retrieval.
 */
function readRate(text: string): number {
  const [, count, several = '1', unit = 'h'] = /^(\d{1,9})(?:\/(\d{0,9})([smhd]))?$/.exec(text) ?? []
  const time = (1000 * Number(several || 1) * (secondsOf[unit] ?? 0)) / Number(count ?? 0)
  if (Number.isFinite(time) && time > 0) return time
  throw usageError(`--rate needs a number and a unit, such as 2/s, 30/m or 1/10s; not ${JSON.stringify(text)}.`)
}
