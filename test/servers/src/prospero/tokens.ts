/** The lines of a request as tokens. Quotes may stand within a token; a doubled quote within quotes means one quote. */
export function tokensOf(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  let token: string | null = null
  for (let at = 0; at < text.length; at++) {
    const octet = text.charAt(at)
    if (octet === "'") {
      const end = /'(?:[^']|'')*'/y
      end.lastIndex = at
      const [quoted = ''] = end.exec(text) ?? []
      if (quoted === '') throw new SyntaxError('Read Prospero message with an unterminated quote')
      token = (token ?? '') + quoted.slice(1, -1).replaceAll("''", "'")
      at += quoted.length - 1
    } else if (octet === ' ' || octet === '\t' || octet === '\n') {
      if (token !== null) line.push(token)
      token = null
      if (octet === '\n' && line.length > 0) lines.push(line)
      if (octet === '\n') line = []
    } else token = (token ?? '') + octet
  }
  if (token !== null) line.push(token)
  return line.length > 0 ? [...lines, line] : lines
}

/**
 * A token as the server of ISI writes it: everything behind the first octet that needs quotes is quoted, as in `20'
 * bytes'`.
 */
export function quoted(text: string): string {
  const at = text.search(/[ \t\n\r'\0/]/)
  if (text === '' || at === 0) return `'${text.replaceAll("'", "''")}'`
  return at === -1 ? text : `${text.slice(0, at)}'${text.slice(at).replaceAll("'", "''")}'`
}
