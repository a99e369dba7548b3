import { sftp as sftpScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const sftp: About<'sftp'> = {
  mechanism: 'sftp',
  schemes: [sftpScheme],
  title: 'SFTP',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
