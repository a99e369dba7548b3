import { dict as dictScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const dict: About<'dict'> = {
  mechanism: 'dict',
  schemes: [dictScheme],
  title: 'DICT',
  honours: {},
}
