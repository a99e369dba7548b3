import { type GivenOptions, network, type OptionRow, urls } from './option.ts'

export type LoginOption = 'user' | 'oauth2-bearer' | 'ftp-account' | 'anonymous-password'

export const loginOptions: readonly OptionRow<LoginOption>[] = [
  {
    long: 'user',
    short: 'u',
    arg: 'USER[:PASSWORD]',
    help: 'Login for the host of the URL, if it asks for one; without PASSWORD you are asked for it',
    commands: network,
    example: 'retrieve -u alice ftp://ftp.example.org/%2Fhome/alice/x',
  },
  {
    long: 'oauth2-bearer',
    arg: 'TOKEN',
    help: 'Token for HTTP servers that accept tokens (RFC 6750); not sent to other hosts after a redirect',
    commands: network,
    example: 'retrieve --oauth2-bearer mF_9.B5f-4.1JqM https://www.example.org/',
  },
  {
    long: 'ftp-account',
    arg: 'DATA',
    help: 'Account for FTP servers that ask for one; without this option you are asked for it',
    commands: network,
    example: 'retrieve -u alice --ftp-account sales ftp://ftp.example.org/x',
  },
  {
    long: 'anonymous-password',
    arg: 'WORD',
    help: 'Password of anonymous FTP logins; default anonymous@',
    commands: urls,
    example: 'retrieve --anonymous-password me@example.org ftp://ftp.example.org/',
  },
]

/** The value of -u or -U; for a password of null, the person at the terminal is asked. */
export interface Login {
  readonly user: string
  readonly password: string | null
}

/** The login of -u or -U; null if it is not given. */
export function readLogin(line: GivenOptions<'user' | 'proxy-user'>, option: 'user' | 'proxy-user'): Login | null {
  const text = line.value(option)
  if (text === undefined) return null
  const colon = text.indexOf(':')
  return colon < 0 ? { user: text, password: null } : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
