import { ftpes, ftp as ftpScheme, ftps } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const ftp: About<'ftp'> = {
  mechanism: 'ftp',
  schemes: [ftpScheme, ftps, ftpes],
  title: 'FTP',
  honours: { range: 'objects', resumeFrom: 'objects', ifChangedSince: 'objects', ifUnchangedSince: 'objects' },
}
