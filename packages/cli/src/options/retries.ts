import type { Limits, RetryOn } from '@retriever/fetchers'
import { readTimeLimit } from './limits.ts'
import { readNumber } from './numbers.ts'
import { type GivenOptions, network, type OptionRow } from './option.ts'

export type RetryOption = 'retry' | 'retry-delay' | 'retry-max-time' | 'retry-connrefused' | 'retry-all-errors'

export const retryOptions: readonly OptionRow<RetryOption>[] = [
  {
    long: 'retry',
    sent: false,
    arg: 'N',
    help:
      'After a failure that may be temporary, try again up to N times, with growing waits, and resume the body; a ' +
      'MiB of progress renews the tries; default 3; queue: default 4, and each URL is put back',
    commands: [...network, 'queue'],
    example: 'retrieve --retry 10 -O http://www.example.org/big.iso',
  },
  {
    long: 'retry-delay',
    sent: false,
    arg: 'SECONDS',
    help: 'The wait before each further try, unless the server names one (Retry-After); default, and 0: growing waits',
    commands: network,
    example: 'retrieve --retry 5 --retry-delay 2 -O http://www.example.org/big.iso',
  },
  {
    long: 'retry-max-time',
    sent: false,
    arg: 'SECONDS',
    help: 'After this time since the beginning of the retrieval, try no more; default, and 0: no limit',
    commands: network,
    example: 'retrieve --retry 99 --retry-max-time 120 -O http://www.example.org/big.iso',
  },
  {
    long: 'retry-connrefused',
    sent: false,
    help: 'Try again, too, if the connection is refused or impossible',
    commands: network,
    example: 'retrieve --retry-connrefused --retry 9 http://localhost:8080/',
  },
  {
    long: 'retry-all-errors',
    sent: false,
    help: 'Try again after every failure of the network or the server, also after a 404',
    commands: network,
    example: 'retrieve --retry-all-errors --retry 9 http://www.example.org/',
  },
]

/** The limits of retries that were typed. Throws `invalid-option`. */
export function readRetryLimits(line: GivenOptions<RetryOption>): Partial<Limits> {
  const retries = line.value('retry')
  return {
    ...(retries !== undefined && { maxRetries: readNumber('retry', retries, /^\d+$/) }),
    ...readTimeLimit(line, 'retry-delay', 'retryDelay'),
    ...readTimeLimit(line, 'retry-max-time', 'maxRetryTime'),
  }
}

/** The errors after which a retrieval is tried again. */
export function readRetryOn(line: GivenOptions<RetryOption>): RetryOn {
  if (line.has('retry-all-errors')) return 'any-error'
  return line.has('retry-connrefused') ? 'refused-connection' : 'transient'
}
