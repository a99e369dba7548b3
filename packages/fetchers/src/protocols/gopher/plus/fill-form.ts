import { RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Form, FormAnswers } from '../../../contract/form.ts'
import { isAnswers } from '../../../kit/options.ts'
import { encodeAnswers, type FormData, quoted, some, wantOf } from './answers.ts'
import { fieldOf, type Question } from './ask.ts'

/**
 * Asks the caller to answer the questions, and encodes the answers. Rejects with `form-required` or `invalid-option`.
 */
export async function fillForm(questions: readonly Question[], context: RetrievalContext): Promise<FormData> {
  const form: Form = { url: context.url, fields: questions.map(fieldOf) }
  const answers = await answersTo(form, context)
  if (answers === null) throw formRequired(form, context)
  return encodeAnswers(questions, answers, (message) => context.error('invalid-option', message, { phase: 'request' }))
}

async function answersTo(form: Form, context: RetrievalContext): Promise<FormAnswers | null> {
  const { form: given } = context.request
  if (given === undefined) return null
  if (typeof given !== 'function') return given
  // A person may need time, so only the total limit runs.
  const answers: unknown = await context.deadline
    .unlimited(async () => given(form))
    .catch((cause) => {
      if (RetrievalError.is(cause)) throw cause
      throw context.error('form-required', 'The form function threw.', { phase: 'request', cause })
    })
  if (answers === null || isAnswers(answers)) return answers as FormAnswers | null
  const message = `Expected the form function to give an object of answers, or null, got ${kindOf(answers)}.`
  throw context.error('invalid-option', message, { phase: 'request' })
}

function formRequired({ fields }: Form, context: RetrievalContext): RetrievalError {
  const shown = fields.map((field, index) => `${index + 1} ${quoted(field.prompt)} (${wantOf(field)})`)
  const advice = { option: 'form' } as const
  const remedy = `Give the answers, by prompt or number, with ${adviceText(advice)}.`
  const message = `A form is to be filled in first; it asks: ${some(shown)}. ${remedy}`
  return context.error('form-required', message, { phase: 'request', advice })
}

/** Names the kind of a value; `[object Map]` says more than `object`. */
function kindOf(value: unknown): string {
  return typeof value === 'object' ? Object.prototype.toString.call(value) : typeof value
}
