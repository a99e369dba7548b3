import type { About } from '../../contract/about.ts'

export const man: About<'man'> = {
  mechanism: 'man',
  title: 'A manual page',
  honours: { acceptLanguage: 'objects' },
}
