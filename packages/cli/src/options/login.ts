import { network, type OptionRow, urls } from './option.ts'

export type LoginOption = 'user' | 'oauth2-bearer' | 'ftp-account' | 'anonymous-password'

export const loginOptions: readonly OptionRow<LoginOption>[] = [
  {
    long: 'user',
    short: 'u',
    arg: 'USER[:PASSWORD]',
    help: 'For the host of the URL, if it asks; without PASSWORD you are asked for it',
    commands: network,
    example: 'retrieve -u alice ftp://ftp.example.org/%2Fhome/alice/x',
  },
  {
    long: 'oauth2-bearer',
    arg: 'TOKEN',
    help: 'For HTTP servers that know tokens (RFC 6750); not for other hosts after a redirect',
    commands: network,
    example: 'retrieve --oauth2-bearer mF_9.B5f-4.1JqM https://www.example.org/',
  },
  {
    long: 'ftp-account',
    arg: 'DATA',
    help: 'For FTP servers that want an account too; else you are asked for it',
    commands: network,
    example: 'retrieve -u alice --ftp-account sales ftp://ftp.example.org/x',
  },
  {
    long: 'anonymous-password',
    arg: 'WORD',
    help: 'Of anonymous FTP logins; default anonymous@',
    commands: urls,
    example: 'retrieve --anonymous-password me@example.org ftp://ftp.example.org/',
  },
]
