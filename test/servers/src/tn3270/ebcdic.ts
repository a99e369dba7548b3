/** The characters of the seed in code page 037, by their octets. */
const letters: readonly (readonly [number, string])[] = [
  [0x40, ' '],
  [0x4b, '.'],
  [0x4e, '+'],
  [0x5a, '!'],
  [0x60, '-/'],
  [0x6b, ','],
  [0x6d, '_'],
  [0x6e, '>'],
  [0x6f, '?'],
  [0x7a, ':'],
  [0x7d, "'"],
  [0x7e, '='],
  [0x81, 'abcdefghi'],
  [0x91, 'jklmnopqr'],
  [0xa2, 'stuvwxyz'],
  [0xc1, 'ABCDEFGHI'],
  [0xd1, 'JKLMNOPQR'],
  [0xdc, 'ü'],
  [0xdf, 'ÿ'],
  [0xe2, 'STUVWXYZ'],
  [0xf0, '0123456789'],
]

const octets = new Map(letters.flatMap(([first, row]) => [...row].map((letter, at) => [letter, first + at] as const)))

/** A text in code page 037, one char an octet. Throws if the seed lacks a character. */
export function ebcdic(text: string): string {
  return String.fromCharCode(
    ...[...text].map((letter) => {
      const octet = octets.get(letter)
      if (octet === undefined) throw new TypeError(`no octet for ${JSON.stringify(letter)}`)
      return octet
    }),
  )
}
