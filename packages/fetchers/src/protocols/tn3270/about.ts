import { tn3270 as tn3270Scheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const tn3270: About<'tn3270'> = {
  mechanism: 'tn3270',
  schemes: [tn3270Scheme],
  title: 'TN3270',
  honours: {},
}
