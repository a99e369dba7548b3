import type { Fetcher } from '../../contract/fetcher.ts'
import { afs } from './about.ts'
import { retrieveBelow } from './retrieve-below.ts'

/**
 * Makes a fetcher for afs URLs: files and directories of the Andrew File System, if this machine has it mounted at
 * /afs. Otherwise it fails with `not-found`.
 */
export function afsFetcher(): Fetcher<'afs'> {
  return { ...afs, retrieve: (plan, context) => retrieveBelow('/afs', plan, context) }
}
