/**
 * Splits a line into words (RFC 2229 2.2), one octet a character: atoms, and strings in double or single quotes, in
 * which a backslash precedes a quote. A quote without its end lasts to the end of the line.
 */
export function words(line: string): string[] {
  const found: string[] = []
  let word: string | null = null
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const octet = line.charAt(at)
    if (octet === '\\' && at + 1 < line.length) word = `${word ?? ''}${line.charAt(++at)}`
    else if (quote !== '') {
      if (octet === quote) quote = ''
      else word += octet
    } else if (octet === '"' || octet === "'") {
      quote = octet
      word ??= ''
    } else if (octet === ' ' || octet === '\t') {
      if (word !== null) found.push(word)
      word = null
    } else word = `${word ?? ''}${octet}`
  }
  return word === null ? found : [...found, word]
}
