import { optionalLibrary } from '../plugin/optional-library.ts'

/** The package ldapts: its messages, its filters, and its reader and writer of BER. */
export type Ldapts = typeof import('ldapts')

/**
 * Loads ldapts. Its own client could take our socket, but keeps all entries of a search until the last one has come,
 * drops referrals and the entries before a size limit, and never ends on a length that is false (8.2.0: a loop that
 * reads nothing). So its messages are sent, and its reader of BER reads, over a dialogue of our own.
 */
export function loadLdapts(): Promise<Ldapts> {
  return optionalLibrary<Ldapts>('ldapts@8', (name) => import(/* @vite-ignore */ name))
}
