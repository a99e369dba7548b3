import { nfs as nfsScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const nfs: About<'nfs'> = {
  mechanism: 'nfs',
  schemes: [nfsScheme],
  title: 'NFS',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
