import type { About } from '../../contract/about.ts'

export const afs: About<'afs'> = {
  mechanism: 'afs',
  title: 'AFS',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
