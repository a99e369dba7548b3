/** An empty line behind each line, as a printer or a paste makes them. */
export function doubleSpaced(text: string): string {
  return text.replaceAll('\n', '\n\n')
}

/** Each paragraph filled to a width, as mail programs do; words are not cut, and the blanks before lines are lost. */
export function filled(text: string, width: number): string {
  const paragraphs = text.split(/\n\s*\n/)
  return paragraphs.map((paragraph) => fill(paragraph.split(/\s+/), width)).join('\n\n')
}

function fill(words: readonly string[], width: number): string {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}
