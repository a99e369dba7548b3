import type { About } from '../../contract/about.ts'

export const sftp: About<'sftp'> = {
  mechanism: 'sftp',
  title: 'SFTP',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'all', ifUnchangedSince: 'all' },
}
