import { octetsToText, utf8Octets } from '../../url/percent.ts'

/** A piece of a search: octets of the line, or a literal (RFC 3501 4.3). */
type Piece = { readonly text: string } | { readonly literal: string }

const beyondAscii = /[^\0-\x7F]/

/**
 * The lines of a search program, as octets. Every line but the last ends with the length of a literal, which begins the
 * next line once the server asks for it. Quoted strings and words beyond ASCII become literals in UTF-8, and the search
 * names this charset (RFC 3501 6.4.4). Returns null if a literal has other octets than it announces, if a line end
 * stands outside a literal, or if a quoted string does not end.
 */
export function searchLines(search: string): readonly string[] | null {
  // If the search names another charset, its octets are sent unchanged.
  const pieces = piecesOf(search, /^charset (?!utf-8 )/i.test(search) ? (octets) => octets : utf8)
  if (pieces === null) return null
  const isBeyond = pieces.some((piece) => 'literal' in piece && beyondAscii.test(piece.literal))
  const charset = isBeyond && !/^charset /i.test(search) ? 'CHARSET UTF-8 ' : ''
  const lines = [`UID SEARCH ${charset}`]
  for (const piece of pieces) {
    const last = lines.length - 1
    if ('text' in piece) lines[last] += piece.text
    else {
      lines[last] += `{${piece.literal.length}}`
      lines.push(piece.literal)
    }
  }
  return lines
}

function piecesOf(search: string, encode: (octets: string) => string): Piece[] | null {
  const pieces: Piece[] = []
  for (let at = 0; at < search.length; ) {
    const length = literalLength(search, at)
    if (length !== null) {
      const start = search.indexOf('\n', at) + 1
      const octets = search.slice(start, start + length)
      if (octets.length < length || octets.includes('\0')) return null
      pieces.push({ literal: encode(octets) })
      at = start + length
      continue
    }
    const word = wordAt(search, at)
    // Refuses a stray line end, an open quote, and an incomplete literal, for whose octets a server would wait.
    if (/[\r\n\0]|^"$|^\{\d+\+?\}$/.test(word)) return null
    pieces.push(beyondAscii.test(word) ? { literal: encode(unquoted(word)) } : { text: word })
    at += word.length
  }
  return pieces
}

/** The length of the literal that begins here, or null if none does. RFC 5092 5 writes `{14+}`, with its line end. */
function literalLength(search: string, at: number): number | null {
  if (search[at] !== '{') return null
  const [, length] = /^\{(\d{1,5})\+?\}\r\n/.exec(search.slice(at, at + 12)) ?? []
  return length === undefined ? null : Number(length)
}

/** A quoted string, a word, or one octet that separates them. */
function wordAt(search: string, at: number): string {
  const rest = /"(?:[^"\\]|\\.)*"|[^\0\r\n "(){}]+|\{\d+\+?\}|./sy
  rest.lastIndex = at
  return rest.exec(search)?.[0] ?? ''
}

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word
}

/** UTF-8 octets of the text; octets that are not UTF-8 are read as Latin-1. */
function utf8(octets: string): string {
  return utf8Octets(octetsToText(octets))
}
