/** The length that lines of a header should keep to (RFC 5322 2.1.1), and the longest encoded word (RFC 2047 2). */
const lineLength = 78
const wordLength = 75
/** A word that is longer cannot stand in a line of 998 characters, and is encoded, which makes it several. */
export const longestWord = 900

/**
 * A header field, folded before a word where its line would become too long (RFC 5322 2.2.3). Words are divided by one
 * blank; an empty one, from two blanks in the text, begins no line.
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
 * The words of an unstructured field, such as a subject. Visible ASCII stays as it is, encoded words in the URL too
 * (RFC 6068 2); other text is encoded (RFC 2047).
 */
export function textWords(text: string): string[] {
  const words = text.split(' ')
  const isPlain = /^[\x20-\x7E]*$/.test(text) && words.every((word) => word.length <= longestWord)
  return isPlain ? words : encodedWords(text)
}

/** The words of a phrase (RFC 5322 3.2.5): a name before an address, or a keyword. */
export function phraseWords(text: string): string[] {
  if (/^[\w!#$%&'*+/=?^`{|}~ -]*$/.test(text)) return textWords(text)
  if (/^[\x20-\x7E]{1,900}$/.test(text)) return [quoted(text)]
  return encodedWords(text)
}

/** A quoted string (RFC 5322 3.2.4). */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/**
 * Encoded words (RFC 2047), which divide no character: Q, which people can read, for text that is mostly ASCII, else B.
 */
function encodedWords(text: string): string[] {
  const characters = [...text.replace(/\p{Surrogate}/gu, '\uFFFD')]
  const ascii = characters.filter((character) => /^[\x20-\x7E]$/.test(character)).length
  if (ascii * 2 >= characters.length) return chunks(characters, 'Q', (chunk) => [...chunk].map(qCharacter).join(''))
  return chunks(characters, 'B', (chunk) => Buffer.from(chunk).toString('base64'))
}

/** As many characters in each word as it can hold. */
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

/** A character as it may stand in an encoded word anywhere, in a phrase too (RFC 2047 5). */
function qCharacter(character: string): string {
  if (character === ' ') return '_'
  if (/^[A-Za-z0-9!*+/-]$/.test(character)) return character
  return [...Buffer.from(character)].map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
