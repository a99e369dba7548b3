import type { About } from '../../contract/about.ts'

export const telnet: About<'telnet'> = {
  mechanism: 'telnet',
  title: 'Telnet',
  honours: {},
}
