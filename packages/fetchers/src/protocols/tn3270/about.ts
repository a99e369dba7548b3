import type { About } from '../../contract/about.ts'

export const tn3270: About<'tn3270'> = {
  mechanism: 'tn3270',
  title: 'TN3270',
  honours: {},
}
