import type { About } from '../../contract/about.ts'

export const urn: About<'urn'> = {
  mechanism: 'urn',
  title: 'A URN',
  honours: {},
}
