import { readFileSync } from 'node:fs'
import { printable, type Resolution, RetrievalError } from '@retriever/core'
import type { Form, FormAnswers, FormField } from '@retriever/fetchers'
import { usageError } from './exit-codes.ts'
import type { CommandLine } from './parse.ts'

/** --form, as it was typed. */
export interface GivenAnswer {
  /** The prompt of a question, or its number. */
  readonly name: string
  readonly value: string
}

/** Throws `invalid-option`; no value is shown, since it may be a secret. */
export function readForm(line: CommandLine): GivenAnswer[] {
  return line.values('form').map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name !== '') return { name, value }
    throw usageError('--form needs NAME=VALUE: the prompt of a question or its number, and the answer.')
  })
}

/** Answers would be lost without a word where nothing asks. */
export function checkForm({ url, plan }: Resolution): void {
  if (plan.mechanism === 'gopher') return
  throw usageError(`--form is for the forms of Gopher servers, and ${url} has none: leave --form out.`)
}

/**
 * The typed answers by the numbers of their questions, with the content of the files that they name. Throws `invalid-option` for those
 * that fit no question, `file-failed` for a file that cannot be read.
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

/** A prompt as the server wrote it, or as it is shown. */
function numberOf(name: string, { fields }: Form): number {
  const named = fields.flatMap(({ prompt }, index) =>
    prompt === name || printable(prompt).trim() === name.trim() ? [index + 1] : [],
  )
  const [number = Number(/^\d{1,4}$/.exec(name)?.[0] ?? 0)] = named
  const questions = fields.map(({ prompt }, index) => `${index + 1} is ${JSON.stringify(printable(prompt))}`).join(', ')
  if (named.length > 1)
    throw usageError(`--form ${name}: several questions are called so; give a number: ${questions}.`)
  if (number >= 1 && number <= fields.length) return number
  throw usageError(`--form ${name}: the form has no such question. Give a prompt or its number: ${questions}.`)
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
    const { code } = cause as NodeJS.ErrnoException
    const message = `--form ${number}=@${file} cannot be read (${code}); name a file that can.`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  }
}
