import type { Representation } from '@retriever/fetchers'
import type { Session } from '../session.ts'

/** The line that begins what a search gives; its records follow, each behind an empty line. */
const version = 'version: 1\n'

/**
 * The first octet to write of a body: several directories become one text of LDIF, which names its version once, at its
 * beginning (RFC 2849: ldif-content).
 */
export function startOfLdif({ mechanism }: Representation, session: Session): number {
  if (mechanism !== 'ldap') return 0
  const start = session.hasLdif ? version.length : 0
  session.hasLdif = true
  return start
}
