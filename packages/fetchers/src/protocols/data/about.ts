import type { About } from '../../contract/about.ts'

export const data: About<'data'> = {
  mechanism: 'data',
  title: 'A data URL',
  honours: {},
}
