import type { About } from '../../contract/about.ts'

export const ldap: About<'ldap'> = {
  mechanism: 'ldap',
  title: 'LDAP',
  honours: { limit: 'listings' },
}
