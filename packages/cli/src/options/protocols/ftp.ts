import type { Fetcher } from '@retriever/fetchers'
import { type GivenOptions, network, type OptionRow } from '../option.ts'
import { whenUsed } from './when-used.ts'

export type FtpOption = 'disable-epsv' | 'no-pipelining'

export const ftpOptions: readonly OptionRow<FtpOption>[] = [
  {
    long: 'disable-epsv',
    help: 'Open FTP data connections by PASV at once, without trying EPSV first',
    commands: network,
    example: 'retrieve --disable-epsv ftp://ftp.example.org/x',
  },
  {
    long: 'no-pipelining',
    help: 'Send FTP servers one command at a time, each after the reply to the one before',
    commands: network,
    example: 'retrieve --no-pipelining ftp://ftp.example.org/x',
  },
]

/** A fetcher in place of the built-in one, if the command line changes how FTP is spoken. */
export function readFtpFetchers(line: GivenOptions<FtpOption>): readonly Fetcher[] {
  const epsv = !line.has('disable-epsv')
  const pipelining = !line.has('no-pipelining')
  if (epsv && pipelining) return []
  return [whenUsed('ftp', async () => (await import('@retriever/fetchers/ftp')).ftpFetcher({ epsv, pipelining }))]
}
