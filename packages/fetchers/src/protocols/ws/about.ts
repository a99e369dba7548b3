import type { About } from '../../contract/about.ts'

export const ws: About<'ws'> = {
  mechanism: 'ws',
  title: 'A WebSocket',
  honours: { count: 'all', jsonMessages: 'all', headers: 'all', login: 'all', digest: 'all' },
}
