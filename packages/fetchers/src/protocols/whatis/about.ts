import { whatis as whatisScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const whatis: About<'whatis'> = {
  mechanism: 'whatis',
  schemes: [whatisScheme],
  title: 'A whatis URL',
  honours: {},
}
