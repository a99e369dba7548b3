import type { About } from '../../contract/about.ts'

export const dict: About<'dict'> = {
  mechanism: 'dict',
  title: 'DICT',
  honours: {},
}
