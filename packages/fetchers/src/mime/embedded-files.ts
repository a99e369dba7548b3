import { type Decoded, uudecodeAt } from './uuencode.ts'
import { ydecodeAt } from './yenc.ts'

/** A text and the files that were encoded in it, as in news before MIME. */
export interface Separated {
  /** The text without the files. */
  readonly text: Buffer
  readonly files: readonly Decoded[]
}

const lf = 0x0a
const starts = ['begin', '=ybegin '].map((word) => Buffer.from(word))

/** A decoded file may be larger than its text by this factor plus a slack, because blanks at line ends may be lost. */
const maxGrowth = 4
const slack = 64 * 1024

/** Removes files in uuencode and yEnc from a text, in one pass. Where a file begins, the file before it ends. */
export function separateFiles(octets: Buffer): Separated {
  const files: Decoded[] = []
  const text: Buffer[] = []
  let kept = 0
  let room = maxGrowth * octets.length + slack
  for (let at = 0; at < octets.length; ) {
    const file = beginsFile(octets, at) ? (uudecodeAt(octets, at, room) ?? ydecodeAt(octets, at)) : null
    if (file === null) {
      at = octets.indexOf(lf, at) + 1 || octets.length
      continue
    }
    files.push(file)
    room -= file.octets.length
    text.push(octets.subarray(kept, at))
    at = file.end
    kept = at
  }
  return { text: files.length === 0 ? octets : Buffer.concat([...text, octets.subarray(kept)]), files }
}

function beginsFile(octets: Buffer, at: number): boolean {
  return starts.some(
    (word) => octets.compare(word, 0, word.length, at, Math.min(at + word.length, octets.length)) === 0,
  )
}
