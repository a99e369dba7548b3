import type { About } from '../../contract/about.ts'

export const prospero: About<'prospero'> = {
  mechanism: 'prospero',
  title: 'Prospero',
  honours: { ifChangedSince: 'all', ifUnchangedSince: 'all', followAccess: 'all' },
}
