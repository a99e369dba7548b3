import type { About } from '../../contract/about.ts'

export const tftp: About<'tftp'> = {
  mechanism: 'tftp',
  title: 'TFTP',
  honours: {},
}
