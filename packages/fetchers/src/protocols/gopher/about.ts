import { gopher as gopherScheme, gophers } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const gopher: About<'gopher'> = {
  mechanism: 'gopher',
  schemes: [gopherScheme, gophers],
  title: 'Gopher',
  honours: { accept: 'all', acceptLanguage: 'all', form: 'all' },
}
