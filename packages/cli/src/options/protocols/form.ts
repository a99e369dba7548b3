import { readFileSync } from 'node:fs'
import { printable, type Resolution, RetrievalError } from '@retriever/core'
import { type Form, type FormAnswers, type FormField, whyUnreadable } from '@retriever/fetchers/internal'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, network, type OptionRow } from '../option.ts'

export type FormOption = 'form'

export const formOptions: readonly OptionRow<FormOption>[] = [
  {
    long: 'form',
    sent: true,
    arg: 'NAME=VALUE',
    help: 'Answer a question of a form, by its prompt or number; repeatable. @FILE sends a file, if the form asks',
    commands: network,
    example: 'retrieve --form 1=alice --form 2=@letter.txt gopher://gopher.example.org/0/ask%09%09?',
  },
]

/** One --form NAME=VALUE. */
export interface GivenAnswer {
  /** The prompt of a question, or its number. */
  readonly name: string
  readonly value: string
}

/** Reads --form. Throws `invalid-option`; its message does not show the value, which may be a secret. */
export function readForm(line: GivenOptions<FormOption>): GivenAnswer[] {
  return line.values('form').map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name !== '') return { name, value }
    throw usageError('--form needs NAME=VALUE: the prompt of a question or its number, and the answer.')
  })
}

/**
 * Throws `invalid-option` for a command that cannot fill in a form, since it would send the same answers to every form.
 */
export function refuseForm(given: readonly GivenAnswer[], command: string): void {
  if (given.length === 0) return
  throw usageError(`${command} fills in no forms: leave --form out, and retrieve the form by itself with it.`)
}

/** Throws `invalid-option` if the URL can have no form, since the answers would be lost without notice. */
export function checkForm({ url, plan }: Resolution): void {
  if (plan.mechanism === 'gopher' || plan.mechanism === 'gemini') return
  throw usageError(`--form is for the forms of Gopher and Gemini servers, and ${url} has none: leave --form out.`)
}

/**
 * The given answers by the numbers of their questions; files that they name are read. Throws `invalid-option` if an
 * answer belongs to no question, `file-failed` if a file cannot be read.
 */
export function givenAnswers(form: Form, given: readonly GivenAnswer[]): FormAnswers {
  const values = new Map<number, string[]>()
  for (const { name, value } of given) {
    const number = numberOf(name, form)
    values.set(number, [...(values.get(number) ?? []), value])
  }
  return Object.fromEntries(
    [...values].map(([number, texts]) => [number, answer(form.fields[number - 1], number, texts)]),
  )
}

/** The most questions that an error message lists. */
const mostShown = 30

/** The number of a question. The name is this number, or else the prompt as the server wrote it or as it is shown. */
function numberOf(name: string, { fields }: Form): number {
  const number = /^[1-9]\d{0,3}$/.test(name) ? Number(name) : 0
  if (number >= 1 && number <= fields.length) return number
  const named = fields.flatMap(({ prompt }, index) =>
    prompt === name || printable(prompt).trim() === name.trim() ? [index + 1] : [],
  )
  if (named.length === 1 && named[0] !== undefined) return named[0]
  const wrong = named.length === 0 ? 'the form has no such question' : 'several questions of the form have this name'
  const questions = fields.slice(0, mostShown).map(({ prompt }, index) => {
    return `${index + 1} is "${printable(prompt).slice(0, 100)}"`
  })
  const more = fields.length > mostShown ? `, and ${fields.length - mostShown} more` : ''
  throw usageError(`--form ${name}: ${wrong}. Give the number of one: ${questions.join(', ')}${more}.`)
}

function answer(field: FormField | undefined, number: number, values: readonly string[]): FormAnswers[string] {
  if (field?.kind === 'Select') return values
  if (field?.kind === 'AskL') return values.flatMap((value) => value.split(/\r?\n/))
  const [value = '', ...more] = values
  if (more.length > 0)
    throw usageError(`--form ${number}: the question takes one answer, and ${values.length} are given.`)
  if (field?.kind !== 'ChooseF') return value
  if (!value.startsWith('@')) {
    throw usageError(
      `--form ${number}: the server asks for the content of a file. Give --form ${number}=@FILE to send one.`,
    )
  }
  return readFile(value.slice(1), number)
}

function readFile(file: string, number: number): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    const message = `--form ${number}=@${file} cannot be read: ${whyUnreadable(cause)}; name a file that can.`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  }
}
