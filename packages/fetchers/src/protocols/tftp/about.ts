import { tftp as tftpScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const tftp: About<'tftp'> = {
  mechanism: 'tftp',
  schemes: [tftpScheme],
  title: 'TFTP',
  honours: {},
}
