/**
 * The letters and signs of MARC-8's extended Latin set (ANSEL, Z39.47), from 0xA1 on. A blank means that there is none.
 */
const letters = 'ŁØĐÞÆŒʹ·♭®±ƠƯʼ ʻłøđþæœʺı£ð ơư  °ℓ℗©♯¿¡ß€'

/** The diacritics of the set, from 0xE0 on. They precede their letter. */
const diacritics = [
  0x309, 0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30c, 0x30a, 0xfe20, 0xfe21, 0x315, 0x30b, 0x310,
  0x327, 0x328, 0x323, 0x324, 0x325, 0x333, 0x332, 0x326, 0x31c, 0x32e, 0xfe22, 0xfe23, 0xfffd, 0xfffd, 0x313,
]

/** The sets that we read: ASCII, by two names, and the extended Latin set. */
const ascii = 'Bs'
const extendedLatin = 'E'

/**
 * The characters of the upper control set. Catalogues ignore what is between the first two when they sort; the others
 * are joiner and non-joiner.
 */
const upperControls: Readonly<Record<number, string>> = { 136: '', 137: '', 141: '\u200d', 142: '\u200c' }

/**
 * Decodes MARC-8: ASCII and the extended Latin set. An escape chooses the set of the octets below 0x80 or of those
 * above. Other sets (Hebrew, Cyrillic, East Asian) become U+FFFD up to the escape that ends them.
 */
export function decodeMarc8(octets: string): string {
  let text = ''
  let marks = ''
  const sets = { lower: 'B', upper: extendedLatin }
  for (let at = 0; at < octets.length; at++) {
    const code = octets.charCodeAt(at)
    if (code === 0x1b) {
      const [sequence = '', half = '', set = ''] = /^\x1b(\$?[(),-]|\$)?!?(.?)/s.exec(octets.slice(at, at + 5)) ?? []
      sets[/[)-]/.test(half) ? 'upper' : 'lower'] = set
      at += sequence.length - 1
      continue
    }
    const set = code < 0x80 ? sets.lower : sets.upper
    const mark = set === extendedLatin ? diacritics[(code | 0x80) - 0xe0] : undefined
    if (mark !== undefined && code > 0x20) {
      marks += String.fromCharCode(mark)
      continue
    }
    text += characterOf(code, set) + marks
    marks = ''
  }
  return (text + marks).normalize('NFC')
}

function characterOf(code: number, set: string): string {
  if (code <= 0x20) return String.fromCharCode(code)
  if (code >= 0x80 && code <= 0xa0) return upperControls[code] ?? '\ufffd'
  if (ascii.includes(set)) return String.fromCharCode(code & 0x7f)
  const letter = set === extendedLatin ? (letters[(code | 0x80) - 0xa1] ?? ' ') : ' '
  return letter === ' ' ? '\ufffd' : letter
}
