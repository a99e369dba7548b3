import { info as infoScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const info: About<'info'> = {
  mechanism: 'info',
  schemes: [infoScheme],
  title: 'An Info page',
  honours: {},
}
