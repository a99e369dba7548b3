import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import { whyUnreadable } from '@retriever/fetchers/internal'
import { type Netrc, readNetrcText } from '../../netrc.ts'
import { type GivenOptions, network, type OptionRow, urls } from '../option.ts'

export type LoginOption =
  | 'user'
  | 'netrc'
  | 'netrc-optional'
  | 'netrc-file'
  | 'oauth2-bearer'
  | 'ftp-account'
  | 'anonymous-password'

export const loginOptions: readonly OptionRow<LoginOption>[] = [
  {
    long: 'user',
    sent: true,
    short: 'u',
    arg: 'USER[:PASSWORD]',
    help: 'Login for the host of the URL; without PASSWORD you are asked for it once the server wants it',
    commands: network,
    example: 'retrieve -u alice ftp://ftp.example.org/%2Fhome/alice/x',
  },
  {
    long: 'netrc',
    sent: true,
    short: 'n',
    help: 'Take logins from $NETRC, else ~/.netrc, by host; they replace a password in the URL, and -u replaces them',
    commands: [...network, 'queue'],
    example: 'retrieve -n ftp://ftp.example.org/x',
  },
  {
    long: 'netrc-optional',
    sent: true,
    help: 'The same, but a password in the URL takes precedence',
    commands: network,
    example: 'retrieve --netrc-optional ftp://ftp.example.org/x',
  },
  {
    long: 'netrc-file',
    sent: true,
    arg: 'FILE',
    help: 'Take logins from FILE in place of ~/.netrc; implies -n',
    commands: [...network, 'queue'],
    example: 'retrieve --netrc-file logins ftp://ftp.example.org/x',
  },
  {
    long: 'oauth2-bearer',
    sent: true,
    arg: 'TOKEN',
    help: 'Token for HTTP servers that accept tokens (RFC 6750); not sent to other hosts after a redirect',
    commands: network,
    example: 'retrieve --oauth2-bearer mF_9.B5f-4.1JqM https://www.example.org/',
  },
  {
    long: 'ftp-account',
    sent: true,
    arg: 'DATA',
    help: 'Account for FTP servers that ask for one; without this option you are asked for it',
    commands: network,
    example: 'retrieve -u alice --ftp-account sales ftp://ftp.example.org/x',
  },
  {
    long: 'anonymous-password',
    sent: true,
    arg: 'WORD',
    help: 'Password of anonymous FTP logins; default anonymous@',
    commands: urls,
    example: 'retrieve --anonymous-password me@example.org ftp://ftp.example.org/',
  },
]

/** The value of -u or -U. A null password means that the person at the terminal is asked. */
export interface Login {
  readonly user: string
  readonly password: string | null
}

/** Whether a given login is sent before the server asks for one, as in curl. */
export function readLoginAtOnce(line: GivenOptions<'digest' | 'anyauth'>): boolean {
  return !line.has('digest') && !line.has('anyauth')
}

/** The login of -u or -U; null if it is not given. */
export function readLogin(line: GivenOptions<'user' | 'proxy-user'>, option: 'user' | 'proxy-user'): Login | null {
  const text = line.value(option)
  if (text === undefined) return null
  const colon = text.indexOf(':')
  return colon < 0 ? { user: text, password: null } : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** The permissions of a file that others than its owner may read. */
const readableByOthers = 0o044

/**
 * The logins of -n, --netrc-optional and --netrc-file; null if none of these is given, or if -u is. As in curl, a
 * ~/.netrc or $NETRC that cannot be read counts as empty; so does one that is no regular file. Throws `file-failed` for
 * a FILE that cannot be read, unless it is optional.
 */
export function readNetrc(line: GivenOptions<LoginOption>, env: NodeJS.ProcessEnv): Netrc | null {
  const file = line.value('netrc-file')
  const isOptional = line.has('netrc-optional')
  if ((file === undefined && !isOptional && !line.has('netrc')) || line.has('user')) return null
  try {
    const path = file ?? (env.NETRC || join(homedir(), '.netrc'))
    const stats = statSync(path)
    // A FIFO would be waited for. A FILE may be one, such as <(gpg -d logins.gpg).
    if (file === undefined && !stats.isFile()) return null
    const entries = readNetrcText(readFileSync(path, 'utf8'))
    const isExposed = stats.isFile() && (stats.mode & readableByOthers) !== 0 && process.platform !== 'win32'
    return { entries, overrides: !isOptional, ...(isExposed && { exposed: path }) }
  } catch (cause) {
    if (file === undefined || isOptional) return null
    const message = `--netrc-file ${file} cannot be read: ${whyUnreadable(cause)}.`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  }
}
