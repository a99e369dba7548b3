import type { About } from '../../contract/about.ts'

export const file: About<'file'> = {
  mechanism: 'file',
  title: 'A file URL',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
