import { telnet as telnetScheme, telnets } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const telnet: About<'telnet'> = {
  mechanism: 'telnet',
  schemes: [telnetScheme, telnets],
  title: 'Telnet',
  honours: {},
}
