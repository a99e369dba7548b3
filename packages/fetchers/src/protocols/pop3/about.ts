import { pop, pop3 as pop3Scheme, pop3s } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const pop3: About<'pop3'> = {
  mechanism: 'pop3',
  schemes: [pop, pop3Scheme, pop3s],
  title: 'POP3',
  honours: {},
}
