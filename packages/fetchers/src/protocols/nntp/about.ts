import type { About } from '../../contract/about.ts'
import { maxDepth } from './connection/server-quirks.ts'

export const nntp: About<'nntp'> = {
  mechanism: 'nntp',
  title: 'NNTP',
  honours: { limit: 'listings' },
  inFlight: maxDepth,
}
