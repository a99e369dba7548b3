import type { Fetcher } from '@retriever/fetchers'
import type { HttpFetcherOptions } from '@retriever/fetchers/http'
import { usageError } from '../exit-codes.ts'
import type { CommandLine } from '../parse.ts'
import { whenUsed } from './when-used.ts'

/** What HTTP is to be spoken like: a fetcher in place of the built-in one, where the command line wants another. */
export function readHttpFetchers(line: CommandLine): readonly Fetcher[] {
  const directory = line.value('cache')
  if (directory === '') throw usageError('--cache needs the path of a folder.')
  const options: HttpFetcherOptions = {
    ...(directory !== undefined && { cache: { directory } }),
    ...(line.has('http1.1') && { http2: false }),
  }
  if (Object.keys(options).length === 0) return []
  return [whenUsed('http', async () => (await import('@retriever/fetchers/http')).httpFetcher(options))]
}
