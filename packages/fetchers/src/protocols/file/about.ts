import { file as fileScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const file: About<'file'> = {
  mechanism: 'file',
  schemes: [fileScheme],
  title: 'A file URL',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
