import { z3950r, z3950 as z3950Scheme, z3950s } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const z3950: About<'z3950'> = {
  mechanism: 'z3950',
  schemes: [z3950Scheme, z3950r, z3950s],
  title: 'Z39.50',
  honours: { accept: 'objects', limit: 'listings' },
}
