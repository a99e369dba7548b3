import type { Fetcher } from '@retriever/fetchers'
import type { CommandLine } from '../parse.ts'
import { whenUsed } from './when-used.ts'

/** What FTP is to be spoken like: a fetcher in place of the built-in one, where the command line wants another. */
export function readFtpFetchers(line: CommandLine): readonly Fetcher[] {
  const epsv = !line.has('disable-epsv')
  const pipelining = !line.has('no-pipelining')
  if (epsv && pipelining) return []
  return [whenUsed('ftp', async () => (await import('@retriever/fetchers/ftp')).ftpFetcher({ epsv, pipelining }))]
}
