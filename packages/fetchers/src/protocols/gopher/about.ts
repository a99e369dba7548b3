import type { About } from '../../contract/about.ts'

export const gopher: About<'gopher'> = {
  mechanism: 'gopher',
  title: 'Gopher',
  honours: { accept: 'all', acceptLanguage: 'all', form: 'all' },
}
