import type { Limits } from '@retriever/fetchers'
import { readCount, readNumber, readSeconds, readSize } from './numbers.ts'
import { connecting, type GivenOptions, type OptionRow, sets, working } from './option.ts'

export type LimitOption =
  | 'max-time'
  | 'count'
  | 'connect-timeout'
  | 'limit-rate'
  | 'speed-limit'
  | 'speed-time'
  | 'max-filesize'
  | 'max-redirs'

export const limitOptions: readonly OptionRow<LimitOption>[] = [
  {
    long: 'max-time',
    sets: ['limits.totalTimeout'],
    sent: false,
    short: 'm',
    arg: 'SECONDS',
    help: 'Time limit of each retrieval as a whole, such as 90 or 1m30s; 0: none. It ends messages of mqtt well',
    commands: connecting,
    example: 'retrieve -m 60 http://www.example.org/',
  },
  {
    long: 'count',
    ...sets('count', (text) => readCount('count', text)),
    sent: true,
    arg: 'N',
    help: 'End after N messages of mqtt or a WebSocket; fewer are an error',
    commands: working,
    example: 'retrieve --count 1 -o state.json mqtt://broker.example.org/home/state',
  },
  {
    long: 'connect-timeout',
    sets: ['limits.connectTimeout'],
    sent: false,
    arg: 'SECONDS',
    help: 'Time limit of name lookup and connecting; default, and 0: 30',
    commands: connecting,
    example: 'retrieve --connect-timeout 2.5 ftp://ftp.example.org/x',
  },
  {
    long: 'limit-rate',
    sent: false,
    arg: 'SPEED',
    help: 'Receive a body no faster than this many octets a second; k, M and G may follow the number; 0: no limit',
    commands: connecting,
    example: 'retrieve --limit-rate 200k -O http://www.example.org/big.iso',
  },
  {
    long: 'speed-limit',
    sets: ['limits.minSpeed'],
    sent: false,
    short: 'Y',
    arg: 'BYTES',
    help: 'Give up a body that is slower than this many octets a second for --speed-time; default, and 0: no limit',
    commands: connecting,
    example: 'retrieve -Y 1000 -y 20 -O http://www.example.org/big.iso',
  },
  {
    long: 'speed-time',
    sets: ['limits.minSpeedTime'],
    sent: false,
    short: 'y',
    arg: 'SECONDS',
    help: 'How long a body may be slower than --speed-limit; default 30',
    commands: connecting,
    example: 'retrieve -y 60 -O http://www.example.org/big.iso',
  },
  {
    long: 'max-filesize',
    sets: ['limits.maxSize'],
    sent: false,
    arg: 'BYTES',
    help: 'Stop when a body exceeds this many octets; k, M and G may follow the number',
    commands: connecting,
    example: 'retrieve --max-filesize 10M http://www.example.org/',
  },
  {
    long: 'max-redirs',
    sets: ['limits.maxRedirects'],
    sent: false,
    arg: 'NUM',
    help: 'Follow at most NUM redirects; default 20, and -1 is no limit',
    commands: working,
    example: 'retrieve --max-redirs 0 http://www.example.org/',
  },
]

/** The limits that were typed; the client has the defaults. Throws `invalid-option`. */
export function readLimits(line: GivenOptions<LimitOption>): Partial<Limits> {
  const size = line.value('max-filesize')
  const redirects = line.value('max-redirs')
  const rate = line.value('limit-rate')
  const maxRate = rate === undefined ? 0 : readSize('limit-rate', rate)
  return {
    ...readTimeLimit(line, 'max-time', 'totalTimeout'),
    ...readTimeLimit(line, 'connect-timeout', 'connectTimeout'),
    ...readSpeed(line),
    ...(size !== undefined && { maxSize: readSize('max-filesize', size) }),
    ...(redirects !== undefined && { maxRedirects: readRedirects(redirects) }),
    ...(maxRate > 0 && { maxRate }),
  }
}

/** The number of redirects; -1 means no limit, as in curl. */
function readRedirects(text: string): number {
  return text === '-1' ? Number.POSITIVE_INFINITY : readNumber('max-redirs', text, /^\d+$/)
}

/** A time limit in seconds; 0 means the default, as in curl. */
export function readTimeLimit<Name extends string>(
  line: GivenOptions<Name>,
  option: Name,
  limit: 'totalTimeout' | 'connectTimeout' | 'retryDelay' | 'maxRetryTime',
): Partial<Limits> {
  const text = line.value(option)
  const seconds = text === undefined ? 0 : readSeconds(option, text)
  return seconds === 0 ? {} : { [limit]: 1000 * seconds }
}

/** The least speed. As in curl, each of the two options gives the other a default: 30 seconds, 1 octet a second. */
function readSpeed(line: GivenOptions<LimitOption>): Partial<Limits> {
  const speed = line.value('speed-limit')
  const time = line.value('speed-time')
  if (speed === undefined && time === undefined) return {}
  const seconds = time === undefined ? 0 : readSeconds('speed-time', time)
  return {
    minSpeed: speed === undefined ? 1 : readSize('speed-limit', speed),
    minSpeedTime: 1000 * (seconds === 0 ? 30 : seconds),
  }
}
