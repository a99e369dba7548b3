import { mailserver as mailserverScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const mailserver: About<'mailserver'> = {
  mechanism: 'mailserver',
  schemes: [mailserverScheme],
  title: 'A mailserver URL',
  honours: {},
}
