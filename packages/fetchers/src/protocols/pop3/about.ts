import type { About } from '../../contract/about.ts'

export const pop3: About<'pop3'> = {
  mechanism: 'pop3',
  title: 'POP3',
  honours: {},
}
