import { optionalLibrary } from '../plugin/optional-library.ts'

/** The package ldapts: its messages, its filters, and its reader and writer of BER. */
export type Ldapts = typeof import('ldapts')

/**
 * Loads ldapts. Its own client is not used: it keeps all entries of a search until the last one has come, drops
 * referrals and the entries before a size limit, and hangs on lengths that are false. docs/internals/ldap.md says more.
 */
export function loadLdapts(): Promise<Ldapts> {
  return optionalLibrary('ldapts@8', () => import('ldapts'))
}
