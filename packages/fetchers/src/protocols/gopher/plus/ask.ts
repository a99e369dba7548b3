import { octetsToText } from '@retriever/core'
import type { FormField } from '../../../contract/form.ts'

/** A question as the server wrote it: one octet a character, since a choice is sent back unchanged. */
export type Question = FormField

const kinds: readonly FormField['kind'][] = ['Ask', 'AskP', 'AskL', 'AskF', 'Select', 'Choose', 'ChooseF']

/**
 * Reads the questions of an +ASK block, in order: `Ask: Your name? TAB nobody`, `Choose: Colour? TAB red TAB green`
 * (Gopher+ 2.8). If the specification is silent, this follows the client of the University of Minnesota: `Choosef` is a
 * spelling of `ChooseF`, a `Note:` and a line without a colon need no answer, a question of an unknown kind is answered
 * by one line, and a `Select` without choices is a single box, which is ticked if `:1` ends its prompt.
 */
export function readAsk(lines: readonly string[]): readonly Question[] {
  return lines.flatMap((line) => {
    const [, word = '', rest] = /^[ \t]*([A-Za-z]+):[ \t]*(.*)$/s.exec(line) ?? []
    if (rest === undefined || word.toLowerCase() === 'note') return []
    const kind = kinds.find((known) => known.toLowerCase() === word.toLowerCase()) ?? 'Ask'
    const [prompt = '', ...proposals] = rest.split('\t')
    if (kind === 'Select') return select(prompt, proposals)
    if (kind === 'Choose') return { kind, prompt, default: null, choices: proposals }
    return { kind, prompt, default: proposals[0] || null, choices: [] }
  })
}

function select(prompt: string, choices: readonly string[]): Question {
  if (choices.length > 0) return { kind: 'Select', prompt, default: null, choices }
  const [, box = prompt, ticked] = /^(.*):([01])[ \t]*$/s.exec(prompt) ?? []
  return { kind: 'Select', prompt: box, default: ticked === '1' ? box : null, choices: [box] }
}

/** Makes the question as people see it. */
export function fieldOf({ kind, prompt, default: proposal, choices }: Question): FormField {
  return {
    kind,
    prompt: textOf(prompt),
    default: proposal === null ? null : textOf(proposal),
    choices: choices.map(textOf),
  }
}

/** Decodes and then trims a text. The order matters, since the octet 0xA0 may end a letter. */
function textOf(octets: string): string {
  return octetsToText(octets).trim()
}
