import type { About } from '../../contract/about.ts'

export const ftp: About<'ftp'> = {
  mechanism: 'ftp',
  title: 'FTP',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'objects', ifUnchangedSince: 'objects' },
}
