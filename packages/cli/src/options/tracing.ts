import { usageError } from '../exit-codes.ts'
import { type GivenOptions, network, type OptionRow } from './option.ts'

export type TracingOption = 'trace' | 'trace-ascii' | 'trace-time' | 'trace-ids' | 'stderr'

export const tracingOptions: readonly OptionRow<TracingOption>[] = [
  {
    long: 'trace',
    sent: false,
    arg: 'FILE',
    help: 'Write what is sent and received to FILE in hexadecimal, without secrets; - is standard output, % errors',
    commands: network,
    global: true,
    example: 'retrieve --trace trace.txt http://www.example.org/',
  },
  {
    long: 'trace-ascii',
    sent: false,
    arg: 'FILE',
    help: 'The same, as text',
    commands: network,
    global: true,
    example: 'retrieve --trace-ascii - -o page.html http://www.example.org/',
  },
  {
    long: 'trace-time',
    sent: false,
    help: 'Put the time before each line of --trace and --trace-ascii',
    commands: network,
    global: true,
    example: 'retrieve --trace-ascii trace.txt --trace-time http://www.example.org/',
  },
  {
    long: 'trace-ids',
    sent: false,
    help: 'Put the number of the retrieval before each line of --trace and --trace-ascii',
    commands: network,
    global: true,
    example: 'retrieve --trace-ascii trace.txt --trace-ids http://www.example.org/a http://www.example.org/b',
  },
  {
    long: 'stderr',
    sent: false,
    arg: 'FILE',
    help: 'Write messages to FILE instead of standard error; - is standard output',
    commands: network,
    example: 'retrieve --stderr messages.txt -v http://www.example.org/',
  },
]

export interface TraceOptions {
  /** A path; `-` is standard output, `%` standard error. */
  readonly file: string
  readonly ascii: boolean
  readonly time: boolean
  readonly ids: boolean
}

/** The last trace that the line asks for; null if it asks for none. Throws `invalid-option`. */
export function readTrace(line: GivenOptions<TracingOption>): TraceOptions | null {
  const last = line.given.findLast(({ name }) => name === 'trace' || name === 'trace-ascii')
  if (last === undefined) return null
  if (last.value === '') throw usageError(`--${last.name} needs the name of a file, - or %.`)
  return {
    file: last.value,
    ascii: last.name === 'trace-ascii',
    time: line.has('trace-time'),
    ids: line.has('trace-ids'),
  }
}

/** The file for messages; null for standard error. Throws `invalid-option`. */
export function readStderr(line: GivenOptions<TracingOption>): string | null {
  const file = line.value('stderr')
  if (file === '') throw usageError('--stderr needs the name of a file, or - for standard output.')
  return file ?? null
}
