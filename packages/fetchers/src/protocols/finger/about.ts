import { finger as fingerScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const finger: About<'finger'> = {
  mechanism: 'finger',
  schemes: [fingerScheme],
  title: 'Finger',
  honours: {},
}
