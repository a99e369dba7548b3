import type { About } from '../../contract/about.ts'

export const mailserver: About<'mailserver'> = {
  mechanism: 'mailserver',
  title: 'A mailserver URL',
  honours: {},
}
