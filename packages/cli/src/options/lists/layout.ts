import { usageError } from '../../exit-codes.ts'
import type { ManyOption } from '../many.ts'
import { type GivenOptions, get, type OptionRow } from '../option.ts'
import type { OutputOption } from '../output.ts'

export type PlaceOption = 'layout' | 'shard'

const layouts = ['flat', 'host/path', 'hash'] as const
export type Layout = (typeof layouts)[number]

export const placeOptions: readonly OptionRow<PlaceOption>[] = [
  {
    long: 'layout',
    sent: false,
    arg: 'flat|host/path|hash',
    help:
      'Where -O and --output-dir put files: in one folder, the default; in folders by host and path; or by a hash of ' +
      'the URL',
    commands: get,
    example: 'retrieve --from urls.txt --output-dir files --layout host/path',
  },
  {
    long: 'shard',
    sent: false,
    arg: 'N/M',
    help: 'With --from: take share N of M, by a hash of the host, so that M machines share a list',
    commands: get,
    example: 'retrieve --from urls.txt --output-dir files --shard 3/16',
  },
]

/** A share of a list. */
export interface Shard {
  /** From 1. */
  readonly number: number
  readonly of: number
}

/** Where the files of many URLs go, and which URLs are those of this machine. */
export interface Places {
  readonly layout: Layout
  /** Null: all URLs. */
  readonly shard: Shard | null
}

type Options = GivenOptions<PlaceOption | ManyOption | OutputOption>

/** Throws `invalid-option`. */
export function readPlaces(line: Options): Places {
  return { layout: readLayout(line), shard: readShard(line) }
}

function readLayout(line: Options): Layout {
  const typed = line.value('layout')
  if (typed === undefined) return 'flat'
  const layout = layouts.find((each) => each === typed)
  if (layout === undefined) {
    throw usageError(`--layout needs one of ${layouts.join(', ')}; not ${JSON.stringify(typed)}.`)
  }
  const isListed = line.has('from') && line.value('output-dir') !== undefined
  if (!isListed && !line.has('remote-name') && !line.has('remote-name-all')) {
    throw usageError('--layout is for files named after their URLs: give -O, or --output-dir with --from.')
  }
  if (line.has('remote-header-name')) throw usageError('-J lets the server name the file: leave it or --layout out.')
  return layout
}

/** The most shares: a share has few hosts then. */
const maxShares = 100_000

function readShard(line: Options): Shard | null {
  const typed = line.value('shard')
  if (typed === undefined) return null
  if (!line.has('from')) throw usageError('--shard takes a share of a list: give --from FILE.')
  const [, number, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(typed) ?? []).map(Number)
  if (number === undefined || of === undefined || number < 1 || number > of || of > maxShares) {
    throw usageError(`--shard needs N/M, such as 3/16, with N from 1 to M; not ${JSON.stringify(typed)}.`)
  }
  return { number, of }
}
