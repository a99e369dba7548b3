import type { About } from '../../contract/about.ts'

export const wais: About<'wais'> = {
  mechanism: 'wais',
  title: 'WAIS',
  honours: { limit: 'listings', relevantTo: 'listings' },
}
