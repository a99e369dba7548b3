import { man as manScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const man: About<'man'> = {
  mechanism: 'man',
  schemes: [manScheme],
  title: 'A manual page',
  honours: { acceptLanguage: 'objects' },
}
