import { ldapi, ldap as ldapScheme, ldaps } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const ldap: About<'ldap'> = {
  mechanism: 'ldap',
  schemes: [ldapScheme, ldaps, ldapi],
  title: 'LDAP',
  honours: { limit: 'listings' },
}
