import type { Fetcher } from '../../contract/fetcher.ts'
import { afs } from './about.ts'
import { retrieveBelow } from './retrieve-below.ts'

/**
 * A fetcher for afs URLs: files and directories of the Andrew File System, where this machine has it mounted at /afs.
 * Fails with `not-found` where it has not.
 */
export function afsFetcher(): Fetcher<'afs'> {
  return { ...afs, retrieve: (plan, context) => retrieveBelow('/afs', plan, context) }
}
