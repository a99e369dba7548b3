import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, network, type OptionRow } from '../option.ts'

export type CookieOption = 'cookie' | 'cookie-jar' | 'junk-session-cookies'

export const cookieOptions: readonly OptionRow<CookieOption>[] = [
  {
    long: 'cookie',
    sent: true,
    short: 'b',
    arg: 'DATA|FILE',
    help:
      'Send these cookies (NAME=VALUE; NAME=VALUE) to the host of the URL, or those of FILE where they belong; "" keeps ' +
      'cookies until the command ends',
    commands: network,
    example: "retrieve -b 'lang=en' http://www.example.org/",
  },
  {
    long: 'cookie-jar',
    sent: false,
    short: 'c',
    arg: 'FILE',
    help: 'Keep cookies, and write all of them to FILE in the end; - is standard output',
    commands: network,
    example: 'retrieve -b cookies.txt -c cookies.txt http://www.example.org/',
  },
  {
    long: 'junk-session-cookies',
    sent: true,
    short: 'j',
    help: 'Read no session cookies from the file of -b',
    commands: network,
    example: 'retrieve -j -b cookies.txt http://www.example.org/',
  },
]

/** The cookies of a command. */
export interface CookieOptions {
  /** The files of -b; `-` is standard input. */
  readonly files: readonly string[]
  /** The file of -c; null if none is written. */
  readonly jar: string | null
  readonly junkSession: boolean
}

/** The options of cookies; null if none are kept. Cookies that -b gives by name are a header field: see headers.ts. */
export function readCookies(line: GivenOptions<CookieOption>): CookieOptions | null {
  const files = line.values('cookie').filter((text) => !text.includes('='))
  const jar = line.value('cookie-jar') ?? null
  if (jar === '') throw usageError('--cookie-jar needs the name of a file, or - for standard output.')
  if (files.length === 0 && jar === null) return null
  return { files: files.filter((file) => file !== ''), jar, junkSession: line.has('junk-session-cookies') }
}
