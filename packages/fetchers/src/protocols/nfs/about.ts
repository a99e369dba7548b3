import type { About } from '../../contract/about.ts'

export const nfs: About<'nfs'> = {
  mechanism: 'nfs',
  title: 'NFS',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
