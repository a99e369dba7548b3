import { gemini as geminiScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const gemini: About<'gemini'> = {
  mechanism: 'gemini',
  schemes: [geminiScheme],
  title: 'Gemini',
  honours: { form: 'all' },
}
