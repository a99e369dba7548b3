import { rtsp as rtspScheme, rtsps, rtspu } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const rtsp: About<'rtsp'> = {
  mechanism: 'rtsp',
  schemes: [rtspScheme, rtsps, rtspu],
  title: 'RTSP',
  honours: { digest: 'all' },
}
