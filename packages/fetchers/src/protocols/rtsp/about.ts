import type { About } from '../../contract/about.ts'

export const rtsp: About<'rtsp'> = {
  mechanism: 'rtsp',
  title: 'RTSP',
  honours: { digest: 'all' },
}
