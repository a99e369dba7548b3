import type { PinnedAddresses } from '@retriever/fetchers'
import { usageError } from '../exit-codes.ts'
import type { CommandLine } from '../parse.ts'

/**
 * `--resolve HOST:PORT:ADDRESS[,ADDRESS]`, IPv6 in brackets or not; of several for one place the last counts, as in
 * curl.
 */
export function readAddresses(line: CommandLine): PinnedAddresses {
  return Object.fromEntries(
    line.values('resolve').map((text) => {
      const [, place, addresses] = /^([^:]+:\d{1,5}):(.+)$/.exec(text) ?? []
      if (place !== undefined && addresses !== undefined) return [place, addresses.split(',')]
      throw usageError(`--resolve needs HOST:PORT:ADDRESS[,ADDRESS], not ${JSON.stringify(text)}.`)
    }),
  )
}
