import { crc32 } from 'node:zlib'
import { type Decoded, linesFrom } from './uuencode.ts'

const equals = 0x3d
const cr = 0x0d
const lf = 0x0a

/** The values in a line of yEnc, such as `=ybegin part=1 total=2 line=128 size=500 name=a b.bin`. */
interface Keywords {
  readonly name: string | null
  readonly part: number | null
  readonly total: number | null
  readonly begin: number | null
  readonly end: number | null
  readonly size: number | null
  readonly crc32: number | null
  readonly pcrc32: number | null
}

/**
 * Decodes the file in yEnc (yenc-draft 1.3) that begins at this line of a text. One of several parts gets the name
 * `NAME.001`, so that the names sort in the order of the parts. Returns null if no file begins here or the file has no
 * end.
 */
export function ydecodeAt(text: Buffer, start: number): Decoded | null {
  const lines = linesFrom(text, start)
  const head = keywordsOf(lines.next().value?.line, '=ybegin ')
  if (head === null || head.name === null || head.size === null) return null
  let dataStart: number | null = null
  let part: Keywords | null = null
  let at = text.indexOf(lf, start) + 1
  for (const { line, end } of lines) {
    if (line.startsWith('=y')) {
      const isPart = head.part !== null && part === null && dataStart === null
      const keywords = keywordsOf(line, isPart ? '=ypart ' : '=yend')
      // Another file begins, so this one has no end and counts as text.
      if (keywords === null) return null
      if (isPart) part = keywords
      else {
        const octets = unescaped(text.subarray(dataStart ?? at, at))
        return { name: nameOf(head.name, head, part), octets, damage: damageOf(octets, head, part, keywords), end }
      }
    } else dataStart ??= at
    at = end
  }
  return null
}

/** Decodes the data. The sender increased every octet by 42, and after `=` by another 64. Line ends do not count. */
function unescaped(data: Buffer): Buffer {
  const octets = Buffer.allocUnsafe(data.length)
  let length = 0
  let isEscaped = false
  for (const octet of data) {
    if (octet === cr || octet === lf) continue
    if (octet === equals && !isEscaped) isEscaped = true
    else {
      octets[length++] = octet - 42 - (isEscaped ? 64 : 0)
      isEscaped = false
    }
  }
  return octets.subarray(0, length)
}

function damageOf(octets: Buffer, head: Keywords, part: Keywords | null, tail: Keywords): string | null {
  const expected = part?.begin && part.end ? part.end - part.begin + 1 : head.size
  for (const size of [tail.size, expected]) {
    if (size !== null && size !== octets.length) return `it has ${octets.length} octets, not ${size}`
  }
  const sum = part === null ? tail.crc32 : tail.pcrc32
  return sum === null || sum === crc32(octets) ? null : `its CRC-32 is ${hex(crc32(octets))}, not ${hex(sum)}`
}

function nameOf(name: string, { part: number, total, size }: Keywords, part: Keywords | null): string {
  if (number === null || (part?.begin === 1 && part.end === size)) return name
  return `${name}.${String(number).padStart(Math.max(3, String(total ?? 0).length), '0')}`
}

/** Reads the values of a line with this keyword. Returns null if the line has another keyword. */
function keywordsOf(line: string | undefined, keyword: string): Keywords | null {
  if (!line?.startsWith(keyword)) return null
  // The name comes last, and may have blanks and equal signs.
  const at = line.indexOf(' name=')
  const found = new Map<string, string>()
  for (const word of (at === -1 ? line : line.slice(0, at)).split(' ')) {
    const [key = '', value = ''] = word.split('=')
    if (!found.has(key)) found.set(key, value)
  }
  const decimal = (key: string): number | null =>
    /^\d{1,15}$/.test(found.get(key) ?? '') ? Number(found.get(key)) : null
  const sum = (key: string): number | null =>
    /^[\da-f]{1,16}$/i.test(found.get(key) ?? '') ? Number.parseInt((found.get(key) ?? '').slice(-8), 16) : null
  return {
    name:
      at === -1
        ? null
        : line
            .slice(at + 6)
            .trim()
            .replace(/^"(.*)"$/, '$1') || null,
    part: decimal('part'),
    total: decimal('total'),
    begin: decimal('begin'),
    end: decimal('end'),
    size: decimal('size'),
    crc32: sum('crc32'),
    pcrc32: sum('pcrc32'),
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}
