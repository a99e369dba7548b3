import type { About } from '../../contract/about.ts'

export const ghelp: About<'ghelp'> = {
  mechanism: 'ghelp',
  title: 'A help page',
  honours: { acceptLanguage: 'all' },
}
