import type { About } from '../../contract/about.ts'

export const finger: About<'finger'> = {
  mechanism: 'finger',
  title: 'Finger',
  honours: {},
}
