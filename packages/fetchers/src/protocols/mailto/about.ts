import { mailto as mailtoScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const mailto: About<'mailto'> = {
  mechanism: 'mailto',
  schemes: [mailtoScheme],
  title: 'A mailto URL',
  honours: {},
}
