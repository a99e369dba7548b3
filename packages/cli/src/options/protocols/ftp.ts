import type { Resolution } from '@retriever/core'
import type { Fetcher } from '@retriever/fetchers'
import { connecting, type GivenOptions, get, type OptionRow } from '../option.ts'
import type { SharedFetchers } from './shared-fetchers.ts'
import { whenUsed } from './when-used.ts'

export type FtpOption = 'list-only' | 'use-ascii' | 'disable-epsv' | 'no-pipelining'

export const ftpOptions: readonly OptionRow<FtpOption>[] = [
  {
    long: 'list-only',
    sent: true,
    short: 'l',
    help: 'From FTP servers, get the names of the files in a folder, and nothing else; as ;type=d in the URL',
    commands: get,
    example: 'retrieve -l ftp://ftp.example.org/pub/',
  },
  {
    long: 'use-ascii',
    sent: true,
    short: 'B',
    help: 'Get files from FTP servers as text, with the line ends of this machine; as ;type=a in the URL',
    commands: get,
    example: 'retrieve -B ftp://ftp.example.org/pub/readme.txt',
  },
  {
    long: 'disable-epsv',
    sent: true,
    help: 'Open FTP data connections by PASV at once, without trying EPSV first',
    commands: connecting,
    example: 'retrieve --disable-epsv ftp://ftp.example.org/x',
  },
  {
    long: 'no-pipelining',
    sent: true,
    help: 'Send FTP servers one command at a time, each after the reply to the one before',
    commands: connecting,
    example: 'retrieve --no-pipelining ftp://ftp.example.org/x',
  },
]

/** A fetcher that replaces the built-in one if the command line changes how FTP is spoken. */
export function readFtpFetchers(line: GivenOptions<FtpOption>, shared: SharedFetchers | null): readonly Fetcher[] {
  const epsv = !line.has('disable-epsv')
  const pipelining = !line.has('no-pipelining')
  const asked = { epsv, pipelining }
  const load = async () => (await import('@retriever/fetchers/ftp')).ftpFetcher(asked)
  if (shared !== null) return [shared.get('ftp', asked, load, asked)]
  return epsv && pipelining ? [] : [whenUsed('ftp', load, asked)]
}

/** The type that -l and -B give to FTP URLs without one; null if neither is given. */
export function readFtpType(line: GivenOptions<FtpOption>): 'a' | 'd' | null {
  if (line.has('list-only')) return 'd'
  return line.has('use-ascii') ? 'a' : null
}

/** The URL with the type of -l or -B, to be resolved again; null if the URL has its own type or no type applies. */
export function typedUrl({ url, plan }: Resolution, type: 'a' | 'd' | null): string | null {
  if (type === null || plan.mechanism !== 'ftp' || plan.typecode !== null) return null
  return url.replace(/(?=[?#]|$)/, `;type=${type}`)
}
