import { imap as imapScheme, imaps } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const imap: About<'imap'> = {
  mechanism: 'imap',
  schemes: [imapScheme, imaps],
  title: 'IMAP',
  honours: { limit: 'listings' },
}
