/** The layout of help. */
import { wrap } from '../terminal/wrap.ts'

const indent = 30

/** The width of help on a terminal with so many columns. It has a limit, since long lines are hard to read. */
export function widthFor(columns: number): number {
  return Math.min(Math.max(columns, 20), 120)
}

/** A name beside its text, or above it if the name is long or the terminal is narrow. */
export function row(name: string, text: string, width: number): string {
  if (width < 60) return [`  ${name}`, ...wrap(text, width - 6).map((line) => `      ${line}`)].join('\n')
  const lines = wrap(text, width - indent)
  const head = `  ${name}`
  const first = head.length < indent - 1 ? `${head.padEnd(indent)}${lines.shift() ?? ''}` : head
  return [first, ...lines.map((line) => ' '.repeat(indent) + line)].map((line) => line.trimEnd()).join('\n')
}

/** A paragraph whose second and further lines are indented by `hanging` spaces. */
export function paragraph(text: string, width: number, hanging = 0): string {
  return wrap(text, width - hanging).join(`\n${' '.repeat(hanging)}`)
}
