import type { Fetcher } from '@retriever/fetchers'
import type { FtpFetcherOptions } from '@retriever/fetchers/ftp'
import type { CommandLine } from './parse.ts'

/** What FTP is to be spoken like: a fetcher in place of the built-in one, where the command line wants another. */
export function readFtpFetchers(line: CommandLine): readonly Fetcher[] {
  const epsv = !line.has('disable-epsv')
  const pipelining = !line.has('no-pipelining')
  return epsv && pipelining ? [] : [ftpWhenUsed({ epsv, pipelining }) as Fetcher]
}

/** The fetcher is loaded for the first FTP URL, as the built-in one. */
function ftpWhenUsed(options: FtpFetcherOptions): Fetcher<'ftp'> {
  let loading: Promise<Fetcher<'ftp'>> | undefined
  const load = async (): Promise<Fetcher<'ftp'>> => (await import('@retriever/fetchers/ftp')).ftpFetcher(options)
  return {
    mechanism: 'ftp',
    retrieve: async (plan, context) => {
      loading ??= load()
      return (await loading).retrieve(plan, context)
    },
    dispose: async () => (await loading)?.dispose?.(),
  }
}
