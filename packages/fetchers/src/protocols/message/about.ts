import type { About } from '../../contract/about.ts'

export const message: About<'message'> = {
  mechanism: 'message',
  title: 'A message',
  honours: {},
}
