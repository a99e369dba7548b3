import { cid, mid } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const message: About<'message'> = {
  mechanism: 'message',
  schemes: [cid, mid],
  title: 'A message',
  honours: {},
}
