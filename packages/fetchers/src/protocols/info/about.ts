import type { About } from '../../contract/about.ts'

export const info: About<'info'> = {
  mechanism: 'info',
  title: 'An Info page',
  honours: {},
}
