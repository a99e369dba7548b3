import { news, nntp as nntpScheme, nntps, snews } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'
import { maxDepth } from './connection/server-quirks.ts'

export const nntp: About<'nntp'> = {
  mechanism: 'nntp',
  schemes: [news, nntpScheme, snews, nntps],
  title: 'NNTP',
  honours: { limit: 'listings' },
  inFlight: maxDepth,
}
