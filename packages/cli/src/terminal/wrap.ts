import { eastAsianWidth } from 'get-east-asian-width'

/** The columns before the text on its first line, and before each further line. */
export interface Layout {
  readonly first?: number
  readonly indent?: number
}

/** If a head leaves fewer columns than this, further lines begin under it instead of behind it. */
const leastRoom = 16
const narrowIndent = 4

/** A wrapped text behind its head. Further lines are indented to the width of the head, if that leaves enough room. */
export function hanging(head: string, text: string, columns: number): string {
  const first = widthOf(head)
  const indent = columns - first < leastRoom ? Math.min(narrowIndent, first) : first
  const [line = '', ...rest] = wrap(text.trim(), columns, { first, indent })
  return [`${head}${line}`.trimEnd(), ...rest].join('\n')
}

/**
 * Wraps a text for a terminal between words, and between letters of two columns, which are written without spaces. A
 * long word stays whole, so that a URL can be copied: it begins as far left as it must to fit in one line, or follows
 * the head if no line could hold it.
 */
export function wrap(text: string, columns: number, { first = 0, indent = 0 }: Layout = {}): string[] {
  const lines: string[] = []
  let line = ''
  let at = first
  let isEmpty = true
  for (const piece of piecesOf(text)) {
    const word = piece.trimStart()
    const begin = Math.min(indent, Math.max(columns - widthOf(word), 0))
    const isTooLong = widthOf(word) > columns
    if ((isEmpty && (first <= begin || isTooLong)) || at + widthOf(piece) <= columns) {
      line += piece
      at += widthOf(piece)
    } else {
      lines.push(line)
      line = ' '.repeat(begin) + word
      at = begin + widthOf(word)
    }
    isEmpty = false
  }
  return [...lines, line]
}

/** The columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length
  let width = 0
  let before = ''
  for (const character of text) {
    width += columnsOf(character, before)
    before = character
  }
  return width
}

/** The words of a text, each with the spaces before it. A letter of two columns is a piece of its own. */
function piecesOf(text: string): string[] {
  const words = text.match(/(?<! ) *[^ ]+/g) ?? []
  return words.flatMap((word) => (isAscii(word) ? word : lettersOf(word)))
}

function lettersOf(word: string): string[] {
  const pieces: string[] = []
  let before = ''
  let wasWide = false
  for (const character of word) {
    const columns = columnsOf(character, before)
    const isBreak = columns === 2 || (columns === 1 && wasWide)
    const piece = pieces.at(-1)
    if (piece === undefined || (isBreak && piece.trim() !== '')) pieces.push(character)
    else pieces[pieces.length - 1] = piece + character
    if (columns > 0) wasWide = columns === 2
    before = character
  }
  return pieces
}

/** Characters that a terminal draws over the one before them. */
const overlaid = /[\p{Mn}\p{Me}\u200C\u200D]|\p{Emoji_Modifier}/u
const joiner = '\u200d'

function columnsOf(character: string, before: string): 0 | 1 | 2 {
  if (before === joiner || overlaid.test(character)) return 0
  return eastAsianWidth(character.codePointAt(0) ?? 0)
}

function isAscii(text: string): boolean {
  return /^[\0-\x7F]*$/.test(text)
}
