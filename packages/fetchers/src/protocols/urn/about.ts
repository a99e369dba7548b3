import { urn as urnScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const urn: About<'urn'> = {
  mechanism: 'urn',
  schemes: [urnScheme],
  title: 'A URN',
  honours: {},
}
