import type { About } from '../../contract/about.ts'

export const z3950: About<'z3950'> = {
  mechanism: 'z3950',
  title: 'Z39.50',
  honours: { accept: 'objects', limit: 'listings' },
}
