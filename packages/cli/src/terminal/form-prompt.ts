import { printable, type Resolution } from '@retriever/core'
import type { FormFiller } from '@retriever/fetchers'
import type { Form, FormAnswers, FormField } from '@retriever/fetchers/internal'
import { type GivenAnswer, givenAnswers } from '../options/protocols/form.ts'
import type { Output } from './output.ts'
import { canAsk, Prompter } from './prompt.ts'
import { hanging } from './wrap.ts'

/**
 * Returns a function that fills in forms: with the answers of --form, then by asking the person at the terminal, or
 * without one by the server's proposals. Null if there is neither an answer nor a person to ask. Also null without
 * --form if the URL cannot be a form: only Gopher+ URLs with `?` (RFC 4266 2.4) and those of Gemini can.
 */
export function formFiller(
  { plan }: Resolution,
  given: readonly GivenAnswer[],
  output: Output,
  signal: AbortSignal,
): FormFiller | null {
  const meansForm =
    plan.mechanism === 'gemini' || (plan.mechanism === 'gopher' && plan.gopherPlus?.startsWith('?') === true)
  if (given.length === 0 && !(meansForm && canAsk(output))) return null
  return async (form) => {
    const typed = givenAnswers(form, given)
    const asked = canAsk(output) ? await askForRest(form, typed, output, signal) : {}
    return asked === null ? null : { ...asked, ...typed }
  }
}

/** Asks for the missing answers. Null if the person breaks off. */
async function askForRest(
  { url, fields }: Form,
  typed: FormAnswers,
  output: Output,
  signal: AbortSignal,
): Promise<FormAnswers | null> {
  const open = fields.map((field, index) => [field, index + 1] as const).filter(([, number]) => !(number in typed))
  if (open.length === 0) return {}
  using prompter = await Prompter.open(output, signal)
  const say: Say = (text, head = '') => output.writeError(`${hanging(head, text, output.stderrColumns)}\n`)
  say(`${printable(url)} asks (Ctrl-D: no answer):`)
  const answers: Record<string, FormAnswers[string]> = {}
  for (const [field, number] of open) {
    const answer = await askField(field, number, prompter, say)
    if (answer === null) return null
    if (answer !== undefined) answers[number] = answer
  }
  return answers
}

/** Shows a text, wrapped, behind its head. */
type Say = (text: string, head?: string) => void

/** An answer. Undefined means the server's proposal; null means that the person breaks off. */
type Answer = string | readonly string[] | undefined | null

function askField(field: FormField, number: number, prompter: Prompter, say: Say): Promise<Answer> {
  switch (field.kind) {
    case 'Ask':
      return askLine(field, prompter)
    case 'AskP':
      return askSecret(field, prompter)
    case 'AskL':
      return askLines(field, prompter, say)
    case 'Select':
    case 'Choose':
      return askChoice(field, prompter, say)
    case 'AskF':
      say(`${labelOf(field)} (left out: --form ${number}=NAME tells the server a file name)`)
      return Promise.resolve(undefined)
    case 'ChooseF':
      // A typed answer never sends a local file; Gopher+ 2.8 warns of this.
      say(`${labelOf(field)} (left out: --form ${number}=@FILE sends the content of a file)`)
      return Promise.resolve(undefined)
  }
}

async function askLine(field: FormField, prompter: Prompter): Promise<Answer> {
  const line = await prompter.ask(question(field))
  return line === '' ? undefined : line
}

/** A secret has no default, so an empty answer breaks off. */
async function askSecret(field: FormField, prompter: Prompter): Promise<Answer> {
  return (await prompter.ask(question({ ...field, default: null }), false)) || null
}

async function askLines(field: FormField, prompter: Prompter, say: Say): Promise<Answer> {
  say(`${question(field).trimEnd()} (an empty line ends it)`)
  const lines: string[] = []
  while (true) {
    const line = await prompter.ask('> ')
    if (line === null) return null
    if (line === '') return lines.length === 0 ? undefined : lines
    lines.push(line)
  }
}

async function askChoice(field: FormField, prompter: Prompter, say: Say): Promise<Answer> {
  const { kind, choices } = field
  say(labelOf(field))
  for (const [index, choice] of choices.entries()) say(printable(choice), `${String(index + 1).padStart(3)}) `)
  const several = kind === 'Select'
  const proposed = field.default === null ? 0 : choices.indexOf(field.default) + 1
  while (true) {
    const line = await prompter.ask(several ? `Numbers, as in 1,3; 0 is none [${proposed}]: ` : 'Number [1]: ')
    if (line === null) return null
    const numbers = line.split(/[\s,]+/).filter((word) => word !== '')
    if (numbers.length === 0) return undefined
    if (several && numbers.join() === '0') return []
    const chosen = numbers.flatMap((number) => (/^\d+$/.test(number) ? (choices[Number(number) - 1] ?? []) : []))
    if (chosen.length === numbers.length && (several || chosen.length === 1)) return several ? chosen : chosen[0]
    say(`${several ? 'Numbers' : 'One number'} from 1 to ${choices.length}, please.`)
  }
}

/** The line that asks a question: `Your name? [nobody]: `. */
function question(field: FormField): string {
  const label = labelOf(field)
  if (field.default !== null && field.default !== '') return `${label} [${printable(field.default)}]: `
  return /[?:.!]$/.test(label) ? `${label} ` : `${label}: `
}

function labelOf({ prompt }: Pick<FormField, 'prompt'>): string {
  return printable(prompt).trim()
}
