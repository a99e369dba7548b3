/** The layout of help. Its text is ASCII, so it needs no table of widths, as terminal/wrap.ts does. */

const indent = 30

/** The width of help on a terminal of so many columns: long lines are hard to read. */
export function widthFor(columns: number): number {
  return Math.min(Math.max(columns, 20), 120)
}

/** A name and its text: side by side, or one below the other where the name is long or the terminal is narrow. */
export function row(name: string, text: string, width: number): string {
  if (width < 60) return [`  ${name}`, ...wrap(text, width - 6).map((line) => `      ${line}`)].join('\n')
  const lines = wrap(text, width - indent)
  const head = `  ${name}`
  const first = head.length < indent - 1 ? `${head.padEnd(indent)}${lines.shift() ?? ''}` : head
  return [first, ...lines.map((line) => ' '.repeat(indent) + line)].map((line) => line.trimEnd()).join('\n')
}

/** A paragraph, its second and further lines with `hanging` spaces before them. */
export function paragraph(text: string, width: number, hanging = 0): string {
  return wrap(text, width - hanging).join(`\n${' '.repeat(hanging)}`)
}

/** Breaks text between words; a word that is longer than the width has a line of its own. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
