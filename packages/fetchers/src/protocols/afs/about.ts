import { afs as afsScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const afs: About<'afs'> = {
  mechanism: 'afs',
  schemes: [afsScheme],
  title: 'AFS',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
