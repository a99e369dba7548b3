/** The length that lines of a header should not exceed (RFC 5322 2.1.1), and the longest encoded word (RFC 2047 2). */
const lineLength = 78
const wordLength = 75
/** A longer word does not fit into a line of 998 characters. It is encoded, which splits it into several. */
export const longestWord = 900

/**
 * Writes a header field, and folds it before a word that would make its line too long (RFC 5322 2.2.3). One blank
 * separates words. An empty word, from two blanks in the text, begins no line.
 */
export function fieldLine(name: string, words: readonly string[]): string {
  let field = `${name}:`
  let length = field.length
  for (const word of words) {
    const isFolded = word !== '' && length + 1 + word.length > lineLength && length > name.length + 1
    field += `${isFolded ? '\r\n' : ''} ${word}`
    length = (isFolded ? 0 : length) + 1 + word.length
  }
  return field
}

/**
 * Returns the words of an unstructured field, such as a subject. Visible ASCII stays as it is, even encoded words from
 * the URL (RFC 6068 2). Other text is encoded (RFC 2047).
 */
export function textWords(text: string): string[] {
  const words = text.split(' ')
  const isPlain = /^[\x20-\x7E]*$/.test(text) && words.every((word) => word.length <= longestWord)
  return isPlain ? words : encodedWords(text)
}

/** Returns the words of a phrase (RFC 5322 3.2.5), which is a name before an address, or a keyword. */
export function phraseWords(text: string): string[] {
  if (/^[\w!#$%&'*+/=?^`{|}~ -]*$/.test(text)) return textWords(text)
  if (/^[\x20-\x7E]{1,900}$/.test(text)) return [quoted(text)]
  return encodedWords(text)
}

/** Writes a quoted string (RFC 5322 3.2.4). */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/**
 * Makes encoded words (RFC 2047), none of which splits a character. Text that is mostly ASCII uses Q, which people can
 * read; other text uses B.
 */
function encodedWords(text: string): string[] {
  const characters = [...text.replace(/\p{Surrogate}/gu, '\uFFFD')]
  const ascii = characters.filter((character) => /^[\x20-\x7E]$/.test(character)).length
  if (ascii * 2 >= characters.length) return chunks(characters, 'Q', (chunk) => [...chunk].map(qCharacter).join(''))
  return chunks(characters, 'B', (chunk) => Buffer.from(chunk).toString('base64'))
}

/** Puts as many characters into each word as fit. */
function chunks(characters: readonly string[], encoding: string, encode: (chunk: string) => string): string[] {
  const words: string[] = []
  let chunk = ''
  const wordOf = (content: string): string => `=?utf-8?${encoding}?${encode(content)}?=`
  for (const character of characters) {
    if (chunk !== '' && wordOf(chunk + character).length > wordLength) {
      words.push(wordOf(chunk))
      chunk = ''
    }
    chunk += character
  }
  return chunk === '' ? words : [...words, wordOf(chunk)]
}

/** Writes a character so that it may stand in any encoded word, even in a phrase (RFC 2047 5). */
function qCharacter(character: string): string {
  if (character === ' ') return '_'
  if (/^[A-Za-z0-9!*+/-]$/.test(character)) return character
  return [...Buffer.from(character)].map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
