import { octetsToText } from '@retriever/core'
import type { FormField } from '../../plugin/form.ts'

/** A question as it came: its texts are octets, one a character, since a choice goes back as the server wrote it. */
export type Question = FormField

const kinds: readonly FormField['kind'][] = ['Ask', 'AskP', 'AskL', 'AskF', 'Select', 'Choose', 'ChooseF']

/**
 * The questions of an +ASK block, in their order: `Ask: Your name? TAB nobody`, `Choose: Colour? TAB red TAB green` (Gopher+ 2.8). What
 * the paper leaves open is as the University of Minnesota's client has it: `Choosef` may be spelt so, a `Note:` and a line without a
 * colon are read and not answered, a question of an unknown kind is answered by one line, and a `Select` without choices is a single box
 * to tick, ticked before where `:1` ends its prompt.
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

/** The question for people. */
export function fieldOf({ kind, prompt, default: proposal, choices }: Question): FormField {
  return {
    kind,
    prompt: textOf(prompt),
    default: proposal === null ? null : textOf(proposal),
    choices: choices.map(textOf),
  }
}

/** Trimmed as text: among octets, 0xA0 may be the end of a letter. */
function textOf(octets: string): string {
  return octetsToText(octets).trim()
}
