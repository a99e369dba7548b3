import type { Representation } from '@retriever/fetchers'
import type { Session } from '../session.ts'

/** The first line of a search result; its records follow, each behind an empty line. */
const version = 'version: 1\n'

/**
 * The first octet to write of a body. Several directories become one LDIF text, which states its version only once, at
 * its beginning (RFC 2849: ldif-content).
 */
export function startOfLdif({ mechanism }: Representation, session: Session): number {
  if (mechanism !== 'ldap') return 0
  const start = session.hasLdif ? version.length : 0
  session.hasLdif = true
  return start
}
