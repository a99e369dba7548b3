import { data as dataScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const data: About<'data'> = {
  mechanism: 'data',
  schemes: [dataScheme],
  title: 'A data URL',
  honours: {},
}
