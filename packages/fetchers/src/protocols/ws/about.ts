import { ws as wsScheme, wss } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const ws: About<'ws'> = {
  mechanism: 'ws',
  schemes: [wsScheme, wss],
  title: 'A WebSocket',
  honours: { count: 'all', jsonMessages: 'all', headers: 'all', login: 'all', digest: 'all' },
}
