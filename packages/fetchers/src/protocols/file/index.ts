import { hostname } from 'node:os'
import type { FilePlan } from '@retriever/core/internal'
import type { Fetcher, RetrievalContext } from '../../contract/fetcher.ts'
import { readDirectory } from '../../local/directory.ts'
import { openPath } from '../../local/open-path.ts'
import { retrieveFile } from '../../local/retrieve-file.ts'
import { file } from './about.ts'
import { pathOf } from './path.ts'

export interface FileFetcherOptions {
  /**
   * The names of this machine that a URL may have (RFC 8089 2), in addition to `localhost` and an empty host. Default:
   * os.hostname().
   */
  readonly localHosts?: readonly string[]
}

/**
 * Makes a fetcher for files and directories of this machine (RFC 8089). A directory gives a listing. A device, FIFO or
 * socket is refused.
 */
export function fileFetcher(options: FileFetcherOptions = {}): Fetcher<'file'> {
  const localHosts = new Set([
    '',
    'localhost',
    ...(options.localHosts ?? [hostname()]).map((name) => name.toLowerCase()),
  ])
  return {
    ...file,
    async retrieve(plan, context) {
      refuseForeignHost(plan, context, localHosts)
      const path = pathOf(plan, context)
      const opened = await openPath(path, context)
      return opened.kind === 'directory'
        ? readDirectory(path, opened.stats, context)
        : retrieveFile(path, opened, context)
    },
  }
}

/**
 * Refuses a file on another host. When RFC 1738 was new, clients tried FTP for it; Windows tries SMB and gives the hash
 * of the user's password away (CVE-2019-15601).
 */
function refuseForeignHost({ host }: FilePlan, context: RetrievalContext, localHosts: ReadonlySet<string>): void {
  if (host === null || localHosts.has(host.toLowerCase())) return
  const message = `The file is on ${host}, and a file URL names no protocol to get there; use an ftp or http URL.`
  throw context.error('refused', message, { phase: 'policy' })
}
