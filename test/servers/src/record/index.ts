/**
 * `@retriever/servers/record` writes what fetchers bring to a file, and serves it from there without a network. See
 * docs/library/testing.md.
 */
import { type Client, type ClientOptions, createClient } from '@retriever/fetchers'
import { invalidOption } from '@retriever/fetchers/plugin'
import { replayFetchers } from './replay.ts'

export { type Recording, type RecordOptions, record } from './record.ts'
export { replayFetchers } from './replay.ts'

/**
 * Makes a client that answers from a transcript and contacts nothing. Policy, redirects and decoding work as always. A
 * retrieval that was not recorded is `refused`, and the error names URLs that were. Rejects with `file-failed` if the
 * file is no transcript, and with `invalid-option`.
 */
export async function replay(file: string, options: Omit<ClientOptions, 'fetchers'> = {}): Promise<Client> {
  if ('fetchers' in options) {
    throw invalidOption(
      'fetchers',
      'absent; pass those of replayFetchers(), and yours, to createClient()',
      options.fetchers,
    )
  }
  return createClient({ ...options, fetchers: await replayFetchers(file) })
}
