import type { About } from '../../contract/about.ts'

export const toc: About<'toc'> = {
  mechanism: 'toc',
  title: 'A toc URL',
  honours: { acceptLanguage: 'all' },
}
