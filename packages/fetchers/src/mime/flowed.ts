/**
 * Text of `format=flowed` (RFC 3676) with its paragraphs put together again. A line that ends in a blank goes on in the next one of the
 * same depth of quoting; `-- ` is the mark before a signature. Lines end in LF.
 */
export function unflow(text: string, deleteBlank: boolean): string {
  const lines: string[] = []
  /** Quoting of the paragraph that goes on; null: none does. */
  let open: string | null = null
  let paragraph: string[] = []
  const close = (): void => {
    if (paragraph.length > 0) lines.push(paragraph.join(''))
    paragraph = []
  }
  for (const line of text.split('\n')) {
    const quoting = /^>*/.exec(line)?.[0] ?? ''
    // RFC 3676 4.4: a blank that was put before the line, for its sake, is taken away.
    const content = line.slice(quoting.length).replace(/^ /, '')
    const flows = content.endsWith(' ') && content !== '-- '
    if (open !== quoting || content === '-- ') {
      close()
      if (quoting !== '') paragraph.push(quoting, ' ')
    }
    paragraph.push(flows && deleteBlank ? content.slice(0, -1) : content)
    if (flows) open = quoting
    else {
      open = null
      // An empty line is one, too.
      lines.push(paragraph.join(''))
      paragraph = []
    }
  }
  close()
  return lines.join('\n')
}
