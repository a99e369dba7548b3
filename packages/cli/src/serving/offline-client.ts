import type { ClientOptions } from '@retriever/fetchers'
import { MissingList } from '../archive/missing-list.ts'
import { offlineAnswers } from '../archive/reading/offline-answers.ts'
import { checkArchive } from '../archive/reading/scan.ts'
import type { Run } from '../run.ts'
import type { OfflineSettings } from './gateway-options.ts'

/** The options that make a client answer offline. Rejects with `file-failed`. */
export async function offlineClient(
  { cache, archives, missing }: OfflineSettings,
  { config, output, signal }: Run,
): Promise<ClientOptions> {
  const taken = '--offline takes the folder of --cache and archives of --warc'
  for (const archive of archives) await checkArchive(archive, taken)
  const list = await MissingList.open(missing, output.streams, signal)
  const { httpFetcher } = await import('@retriever/fetchers/http')
  // Nothing is written, so nothing needs to be removed to make room.
  const maxSize = Number.MAX_SAFE_INTEGER
  const cached = cache === null ? [] : [httpFetcher({ cache: { directory: cache, maxSize } })]
  return {
    fetchers: [...(config.client.fetchers ?? []), ...cached],
    use: [offlineAnswers({ cache, archives }, list)],
  }
}
