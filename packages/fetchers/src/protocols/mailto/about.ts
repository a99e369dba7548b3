import type { About } from '../../contract/about.ts'

export const mailto: About<'mailto'> = {
  mechanism: 'mailto',
  title: 'A mailto URL',
  honours: {},
}
