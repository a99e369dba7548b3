import { readCount } from '../numbers.ts'
import type { GivenOptions, OptionRow } from '../option.ts'

export type AddOption = 'expects' | 'bloom' | 'shards' | 'turns'

const commands = ['queue'] as const

export const addOptions: readonly OptionRow<AddOption>[] = [
  {
    long: 'expects',
    sent: false,
    arg: 'N',
    help: 'queue add, for a new queue: it will have N URLs, which makes the sums that find duplicates small; default 10 million',
    commands,
    example: 'retrieve queue add urls.txt --expects 200000000',
  },
  {
    long: 'bloom',
    sent: false,
    help:
      'queue add, for a new queue: find duplicates by a Bloom filter, with 2 octets for each URL of --expects; about ' +
      'one of 11,000 new URLs is taken for a duplicate, and lost silently',
    commands,
    example: 'retrieve queue add urls.txt --bloom --expects 1000000000',
  },
  {
    long: 'shards',
    sent: false,
    arg: 'N',
    help: 'queue add, for a new queue: keep it in N parts, for workers by the thousand; default 8',
    commands,
    example: 'retrieve queue add urls.txt --shards 64',
  },
  {
    long: 'turns',
    sent: false,
    arg: 'N',
    help: 'queue add, for storage of your own: let N workers at a time share each host of the list; default 1',
    commands,
    example: 'retrieve queue add urls.txt --turns 4',
  },
]

/** How lists are added. Null and false: the queue decides. */
export interface AddSettings {
  readonly expects: number | null
  readonly bloom: boolean
  readonly shards: number | null
  /** How many turns each host of the lists has. */
  readonly turns: number
}

/** The library's limits. */
const mostShards = 1024
const mostTurns = 1000

/** Throws `invalid-option`. */
export function readAdd(line: GivenOptions<AddOption>): AddSettings {
  const count = (option: 'expects' | 'shards' | 'turns', most?: number): number | null => {
    const text = line.value(option)
    return text === undefined ? null : readCount(option, text, most)
  }
  return {
    expects: count('expects'),
    bloom: line.has('bloom'),
    shards: count('shards', mostShards),
    turns: count('turns', mostTurns) ?? 1,
  }
}
