/** A file within a text. */
export interface Decoded {
  /** The name as it was written, one octet a character. */
  readonly name: string
  readonly octets: Uint8Array
  /** Why the octets differ from the file. Null if no damage is known. */
  readonly damage: string | null
  /** The position in the text after the encoded file. */
  readonly end: number
}

const beginLine = /^begin(-base64)? [0-7]{3,4} (.+)$/

/**
 * Decodes the file that begins at this line of a text: `begin 644 NAME`, lines of up to 45 octets, `end` (POSIX
 * uuencode); or `begin-base64`, base64, `====`. Returns null if it is no file, since prose may begin like this, and for
 * a file over `maxLength` octets, since a short line may claim to contain 63.
 */
export function uudecodeAt(text: Buffer, start: number, maxLength: number): Decoded | null {
  const lines = linesFrom(text, start)
  const first = lines.next()
  if (first.done === true) return null
  const [, isBase64, name] = beginLine.exec(first.value.line) ?? []
  if (name === undefined) return null
  const pieces: Buffer[] = []
  let length = 0
  for (const { line, end } of lines) {
    if (line === (isBase64 ? '====' : 'end')) {
      // Even an empty file has a line, which holds no octets.
      return pieces.length === 0 ? null : { name, octets: Buffer.concat(pieces), damage: null, end }
    }
    const octets = isBase64 ? base64Line(line) : uuLine(line)
    if (octets === null) return null
    length += octets.length
    if (length > maxLength) return null
    pieces.push(octets)
  }
  return null
}

function base64Line(line: string): Buffer | null {
  return /^[A-Za-z0-9+/]*={0,3}$/.test(line) ? Buffer.from(line, 'base64') : null
}

/**
 * Decodes a line, which has a length and then groups of four characters of six bits. Trailing blanks may be lost, and
 * some encoders add a checksum.
 */
function uuLine(line: string): Buffer | null {
  if (!/^[ -`]*$/.test(line)) return null
  const length = sixBits(line, 0)
  const characters = Math.ceil(length / 3) * 4
  if (line.length - 1 > characters + 2) return null
  const octets = Buffer.alloc(length)
  for (let at = 0; at < length; at++) {
    const group = 1 + Math.floor(at / 3) * 4 + (at % 3)
    const shift = 2 * (at % 3)
    octets[at] = (sixBits(line, group) << (2 + shift)) | (sixBits(line, group + 1) >> (4 - shift))
  }
  return octets
}

/** Returns the six bits of a character. A blank, a grave accent and a missing character are 0. */
function sixBits(line: string, at: number): number {
  return at < line.length ? (line.charCodeAt(at) - 0x20) & 0x3f : 0
}

/** One line of a text. */
export interface TextLine {
  /** The line, one octet a character, without its end. */
  readonly line: string
  /** The position after the line end. */
  readonly end: number
}

const lf = 0x0a

/** Yields the lines of a text from `start` on. They end in CRLF or LF. */
export function* linesFrom(text: Buffer, start: number): Generator<TextLine, void, void> {
  for (let at = start; at < text.length; ) {
    const end = text.indexOf(lf, at) + 1 || text.length
    yield { line: text.toString('latin1', at, end).replace(/\r?\n$/, ''), end }
    at = end
  }
}
