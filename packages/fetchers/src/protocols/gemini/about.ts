import type { About } from '../../contract/about.ts'

export const gemini: About<'gemini'> = {
  mechanism: 'gemini',
  title: 'Gemini',
  honours: { form: 'all' },
}
