import { octetsToText, printable } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { FormAnswers, FormField } from '../../../contract/form.ts'
import { isOneLine } from '../../../wire/framing/lines.ts'
import { fieldOf, type Question } from './ask.ts'

/** The data block of a request (Gopher+ 2.4), one octet a character. */
export interface FormData {
  readonly octets: string
  /** The data block as events show it, without secrets and files. */
  readonly shown: string
  /** The answers to AskP, as texts. They must be masked, since a server may repeat them. */
  readonly secrets: readonly string[]
}

/** The answer to one question. */
interface EncodedAnswer {
  readonly lines: readonly string[]
  /** The content of a file. It is the rest of the block, after all lines. */
  readonly file?: string
}

type Value = FormAnswers[string]

/**
 * Makes the error for an answer. The message begins with the field's name and never contains the answer, which may be a
 * secret.
 */
export type Refuse = (message: string) => Error

/**
 * Encodes the answers in UTF-8, since the server names no charset: "the first n lines in the dataBlock", and a file as
 * "the remainder" (Gopher+ 2.8). Without a file the block ends in a dot, and a dot that begins a line is doubled; with
 * a file its length is counted (2.3, 2.4).
 */
export function encodeAnswers(questions: readonly Question[], answers: FormAnswers, refuse: Refuse): FormData {
  const values = valuesOf(questions, answers, refuse)
  const encoded = questions.map((question, index) => {
    const name = `Answer ${index + 1} (${quoted(fieldOf(question).prompt)})`
    const answer = answerTo(question, values.get(index), (message) => refuse(`${name}: ${message}`))
    // Answers that the server proposed are checked, too.
    if (answer.lines.every(isOneLine)) return answer
    throw refuse(`${name}: Expected one line of text, without line ends and NUL.`)
  })
  const files = encoded.flatMap(({ file }) => file ?? [])
  if (files.length > 1) throw refuse('Gopher+ sends one file at most; leave the others out.')
  const lines = encoded.flatMap((answer) => answer.lines)
  const masked = encoded.flatMap((answer, index) => (questions[index]?.kind === 'AskP' ? ['<password>'] : answer.lines))
  const secrets = encoded.flatMap((answer, index) => (questions[index]?.kind === 'AskP' ? answer.lines : []))
  const texts = secrets.filter((secret) => secret !== '').map(octetsToText)
  const [file] = files
  if (file === undefined) return { octets: dotted(lines), shown: dotted(masked), secrets: texts }
  const block = `${lines.map((line) => `${line}\r\n`).join('')}${file}`
  const shown = masked.map((line) => `${line}\r\n`).join('')
  return { octets: `+${block.length}\r\n${block}`, shown: `+${block.length}\r\n${shown}<file>`, secrets: texts }
}

function dotted(lines: readonly string[]): string {
  return `+-1\r\n${lines.map((line) => `${line.startsWith('.') ? '.' : ''}${line}\r\n`).join('')}.\r\n`
}

/**
 * Returns the answers by the index of their questions. A number means a question's number, even if a prompt looks like
 * one.
 */
function valuesOf(questions: readonly Question[], answers: FormAnswers, refuse: Refuse): ReadonlyMap<number, Value> {
  const prompts = questions.map((question) => fieldOf(question).prompt)
  const values = new Map<number, Value>()
  for (const [name, value] of Object.entries(answers)) {
    const number = /^[1-9]\d{0,3}$/.test(name) ? Number(name) : 0
    const place = number > 0 && number <= questions.length ? number - 1 : prompts.indexOf(name)
    const known = some(prompts.map((prompt, index) => `${index + 1} ${quoted(prompt)}`))
    if (place === -1) throw refuse(`The form has no field ${quoted(name)}; its fields are: ${known}.`)
    if (values.has(place)) throw refuse(`The field ${quoted(name)} is answered twice, by its prompt and its number.`)
    values.set(place, value)
  }
  return values
}

function answerTo(question: Question, value: Value | undefined, refuse: Refuse): EncodedAnswer {
  const { kind } = question
  if (kind === 'ChooseF') return value === undefined ? { lines: [] } : { lines: [], file: fileOf(value, refuse) }
  if (kind === 'Select') return { lines: boxes(question, value, refuse) }
  if (kind === 'AskL') return { lines: counted(value === undefined ? question.default : linesOf(value, refuse)) }
  if (kind === 'Choose') return { lines: [choice(question, value, refuse)] }
  // Only the caller gives a secret. The server's proposal for one is not sent.
  if (value === undefined) return { lines: [kind === 'AskP' ? '' : (question.default ?? '')] }
  return { lines: [utf8Octets(textOf(value, refuse))] }
}

/** "A count of the number of lines entered by the user on a line by itself, followed by the lines" (Gopher+ 2.8). */
function counted(lines: readonly string[] | string | null): readonly string[] {
  const list = typeof lines === 'string' ? [lines] : (lines ?? [])
  return [String(list.length), ...list]
}

function linesOf(value: Value, refuse: Refuse): readonly string[] {
  if (isTexts(value)) return value.map(utf8Octets)
  const text = textOf(value, refuse).replace(/(?:\r\n|\n|\r)$/, '')
  return text === '' ? [] : text.split(/\r\n|\n|\r/).map(utf8Octets)
}

/** Returns the choice in the server's own octets. Without an answer it is the first one. */
function choice(question: Question, value: Value | undefined, refuse: Refuse): string {
  if (value === undefined) return question.choices[0] ?? ''
  return question.choices[placeOf(textOf(value, refuse), question, refuse)] ?? ''
}

/** Returns one line for each box: 1 if it is ticked. Gopher+ has no example; UMN's client sends these lines. */
function boxes(question: Question, value: Value | undefined, refuse: Refuse): readonly string[] {
  const proposed = question.choices.map((box) => box === question.default)
  if (value === undefined) return proposed.map((ticked) => (ticked ? '1' : '0'))
  const chosen = isTexts(value) ? value : [textOf(value, refuse)].filter((text) => text !== '')
  const places = new Set(chosen.map((text) => placeOf(text, question, refuse)))
  return question.choices.map((_, index) => (places.has(index) ? '1' : '0'))
}

function placeOf(text: string, question: Question, refuse: Refuse): number {
  const { choices } = fieldOf(question)
  const place = choices.indexOf(text)
  if (place === -1) throw refuse(`Expected one of ${some(choices.map(quoted))}.`)
  return place
}

function fileOf(value: Value, refuse: Refuse): string {
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1')
  }
  return utf8Octets(textOf(value, refuse))
}

function textOf(value: unknown, refuse: Refuse): string {
  if (typeof value === 'string') return value
  throw refuse(
    `Expected a text, got ${Array.isArray(value) ? 'a list' : value instanceof Uint8Array ? 'octets' : typeof value}.`,
  )
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

/** Shows a text in messages: printable, and at most 100 characters. */
export function quoted(text: string): string {
  const shown = printable(text)
  return `"${shown.length > 100 ? `${shown.slice(0, 100)}...` : shown}"`
}

/** How many questions or choices a message shows. */
const mostShown = 30

export function some(items: readonly string[]): string {
  const more = items.length > mostShown ? `, and ${items.length - mostShown} more` : ''
  return `${items.slice(0, mostShown).join(', ')}${more}`
}

/** Describes the answer that a field expects. */
export function wantOf({ kind, default: proposal, choices }: FormField): string {
  const proposed = proposal === null ? '' : `; ${quoted(proposal)} if left out`
  if (kind === 'Choose') return `one of ${some(choices.map(quoted))}`
  if (kind === 'Select') return `any of ${some(choices.map(quoted))}${proposed}`
  if (kind === 'AskP') return 'a secret'
  if (kind === 'AskL') return `lines${proposed}`
  if (kind === 'AskF') return `a name for a file${proposed}`
  return kind === 'ChooseF' ? 'the content of a file' : `a line${proposed}`
}
