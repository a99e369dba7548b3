import type { About } from '../../contract/about.ts'

export const imap: About<'imap'> = {
  mechanism: 'imap',
  title: 'IMAP',
  honours: { limit: 'listings' },
}
