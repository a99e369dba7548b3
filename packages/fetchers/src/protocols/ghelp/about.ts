import { ghelp as ghelpScheme, help } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const ghelp: About<'ghelp'> = {
  mechanism: 'ghelp',
  schemes: [ghelpScheme, help],
  title: 'A help page',
  honours: { acceptLanguage: 'all' },
}
