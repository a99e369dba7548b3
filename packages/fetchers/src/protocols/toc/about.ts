import { toc as tocScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const toc: About<'toc'> = {
  mechanism: 'toc',
  schemes: [tocScheme],
  title: 'A toc URL',
  honours: { acceptLanguage: 'all' },
}
