import type { About } from '../../contract/about.ts'

export const whatis: About<'whatis'> = {
  mechanism: 'whatis',
  title: 'A whatis URL',
  honours: {},
}
