import { type Explanation, explanationLines } from '@retriever/core'
import { inFlags } from '../options/option-hints.ts'
import type { Output } from '../terminal/output.ts'
import { hanging } from '../terminal/wrap.ts'

/**
 * An explanation as a person sees it: wrapped on a terminal, with its findings coloured by their severity. It leaves
 * out that a port is not the usual one: the person has typed it, and the line before shows it.
 */
export function explanationPage(explanation: Explanation, output: Output): string {
  const columns = output.stdoutIsTerminal ? output.columns : Number.POSITIVE_INFINITY
  const lines = explanationLines(withoutPort(explanation)).map(({ head, text: words, severity, advice }) => {
    const text = inFlags(words, advice)
    if (head === '') return output.paint('error' in explanation ? 'danger' : 'strong', text)
    const shown = hanging(head, text, columns)
    const label = head.trimEnd()
    const rest = shown.slice(label.length)
    const marked = severity === null ? rest : rest.replace(severity, output.paint(severity, severity))
    return `${output.paint('faint', label)}${marked}`
  })
  return `${lines.join('\n')}\n`
}

function withoutPort(explanation: Explanation): Explanation {
  if ('error' in explanation) return explanation
  return { ...explanation, findings: explanation.findings.filter(({ code }) => code !== 'non-default-port') }
}
