import { encodeOctets, printable } from '@retriever/core'
import { adviceText, utf8Octets } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { FormField } from '../../contract/form.ts'
import { invalidOption } from '../../kit/limits.ts'

/** The answer to a prompt of the server. */
export interface Input {
  readonly query: string
  /** Texts that must never be shown: the answer to status 11, and its query. */
  readonly secrets: readonly string[]
}

/**
 * Gets the answer to a prompt (status 10, or 11 for a secret one) from RequestOptions.form. Throws `form-required` with
 * the prompt if there is none.
 */
export async function answerPrompt(status: number, prompt: string, context: RetrievalContext): Promise<Input> {
  const { request, deadline, url } = context
  const isSecret = status === 11
  const kind = isSecret ? 'AskP' : 'Ask'
  const field: FormField = { kind, prompt, default: null, choices: [] }
  const { form } = request
  const answers =
    typeof form === 'function' ? await deadline.unlimited(async () => form({ url, fields: [field] })) : form
  const answer = answers?.[prompt] ?? answers?.['1']
  if (answer === undefined) throw inputRequired(prompt, context)
  if (typeof answer !== 'string') throw invalidOption('form', 'one text as the answer to a Gemini server', answer)
  const query = encodeOctets(utf8Octets(answer), "~!$&'()*+,;=:@/?")
  return { query, secrets: isSecret ? [answer, query, utf8Octets(answer)].filter((text) => text !== '') : [] }
}

export function inputRequired(prompt: string, { error }: RetrievalContext): Error {
  const advice = { option: 'form' } as const
  const reply = printable(prompt).slice(0, 300)
  const message = `The server asks: "${reply}". Answer by ${adviceText(advice)}, or by the query of the URL.`
  return error('form-required', message, { phase: 'request', reply, advice })
}
