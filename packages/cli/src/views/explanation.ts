import type { Explanation } from '@retriever/core'
import { explanationLines } from '@retriever/core/internal'
import { inFlags } from '../options/option-hints.ts'
import type { Output } from '../terminal/output.ts'
import { hanging } from '../terminal/wrap.ts'

/** An explanation as a person sees it: wrapped on a terminal, with its findings coloured by their severity. */
export function explanationPage(explanation: Explanation, output: Output): string {
  const columns = output.stdoutIsTerminal ? output.columns : Number.POSITIVE_INFINITY
  const lines = explanationLines(explanation).map(({ head, text: words, severity, advice }) => {
    const text = inFlags(words, advice)
    if (head === '') return output.paint('error' in explanation ? 'danger' : 'strong', text)
    const shown = hanging(head, text, columns)
    const label = head.trimEnd()
    return `${output.paint(severity ?? 'faint', label)}${shown.slice(label.length)}`
  })
  return `${lines.join('\n')}\n`
}
