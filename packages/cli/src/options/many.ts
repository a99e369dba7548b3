import { usageError } from '../exit-codes.ts'
import { readNumber } from './numbers.ts'
import { type GivenOptions, get, type OptionRow } from './option.ts'

export type ManyOption = 'parallel' | 'parallel-max' | 'parallel-max-host' | 'jobs' | 'fail-early' | 'rate'

export const manyOptions: readonly OptionRow<ManyOption>[] = [
  {
    long: 'parallel',
    short: 'Z',
    help: 'Retrieve several URLs at a time; what goes to standard output stays in the order of the URLs',
    commands: get,
    example: 'retrieve -Z -O http://www.example.org/a.iso http://www.example.com/b.iso',
  },
  {
    long: 'jobs',
    arg: 'N',
    help: 'Retrieve N URLs at a time; -j N is the short form',
    commands: get,
    example: 'retrieve -j 8 -O http://www.example.org/a.iso http://www.example.com/b.iso',
  },
  {
    long: 'parallel-max',
    arg: 'N',
    help: 'With -Z: at most N URLs at a time; default 50',
    commands: get,
    example: 'retrieve -Z --parallel-max 10 -O http://www.example.org/a.iso http://www.example.com/b.iso',
  },
  {
    long: 'parallel-max-host',
    arg: 'N',
    help: 'At most N URLs of one host at a time; default 6',
    commands: get,
    example: 'retrieve -j 16 --parallel-max-host 2 -O http://www.example.org/a.iso http://www.example.com/b.iso',
  },
  {
    long: 'fail-early',
    help: 'Stop at the first URL that fails; with -Z or -j, those under way are broken off',
    commands: get,
    example: 'retrieve --fail-early -O http://www.example.org/a.iso http://www.example.com/b.iso',
  },
  {
    long: 'rate',
    arg: 'N/U',
    help: 'Begin at most N retrievals in a unit U: s, m, h or d, or several such as 10s; with -Z or -j, at each host',
    commands: get,
    example: 'retrieve --rate 2/s -O http://www.example.org/a.iso http://www.example.com/b.iso',
  },
]

/** How a command retrieves many URLs. */
export interface Many {
  /** The number of URLs at a time; 1: one after another. */
  readonly concurrency: number
  /** The number of those at one host. */
  readonly perHost: number
  /** The time in milliseconds from the beginning of a retrieval to that of the next one; 0: any. */
  readonly pace: number
  readonly failEarly: boolean
}

/** As in curl. */
const defaultConcurrency = 50
/** As browsers do for HTTP/1.1. */
const defaultPerHost = 6

/** Throws `invalid-option`. */
export function readMany(line: GivenOptions<ManyOption>): Many {
  const jobs = readCount(line, 'jobs')
  const most = readCount(line, 'parallel-max') ?? defaultConcurrency
  const rate = line.value('rate')
  return {
    concurrency: jobs ?? (line.has('parallel') ? most : 1),
    perHost: readCount(line, 'parallel-max-host') ?? defaultPerHost,
    pace: rate === undefined ? 0 : readRate(rate),
    failEarly: line.has('fail-early'),
  }
}

/** As in curl, 0 stands for the default. */
function readCount(
  line: GivenOptions<ManyOption>,
  option: 'jobs' | 'parallel-max' | 'parallel-max-host',
): number | null {
  const text = line.value(option)
  return text === undefined ? null : Math.min(readNumber(option, text, /^\d{1,9}$/), maxCount) || null
}

/** More connections than a process may have are of no use; curl's own limit is 300. */
const maxCount = 300

const unitsOfTime: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads `2/s`, `30/m`, `1/10s` or `3`, which is by the hour as in curl, and gives the time of one in milliseconds. */
function readRate(text: string): number {
  const [, count, several = '1', unit = 'h'] = /^(\d{1,9})(?:\/(\d{0,9})([smhd]))?$/.exec(text) ?? []
  const time = (Number(several || 1) * (unitsOfTime[unit] ?? 0)) / Number(count ?? 0)
  if (Number.isFinite(time) && time > 0) return time
  throw usageError(`--rate needs a number and a unit, such as 2/s, 30/m or 1/10s; not ${JSON.stringify(text)}.`)
}
