/** The letters and signs of the extended Latin set of MARC-8 (ANSEL, Z39.47), from 0xA1 on; a blank has none. */
const letters = 'ŁØĐÞÆŒʹ·♭®±ƠƯʼ ʻłøđþæœʺı£ð ơư  °ℓ℗©♯¿¡ß€'

/** The diacritics of the set, from 0xE0 on, which stand before their letter. */
const diacritics = [
  0x309, 0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30c, 0x30a, 0xfe20, 0xfe21, 0x315, 0x30b, 0x310,
  0x327, 0x328, 0x323, 0x324, 0x325, 0x333, 0x332, 0x326, 0x31c, 0x32e, 0xfe22, 0xfe23, 0xfffd, 0xfffd, 0x313,
]

/**
 * The text of MARC-8 octets: ASCII and the extended Latin set. Other sets, which an escape begins (Hebrew, Cyrillic,
 * East Asian), become U+FFFD up to the escape that ends them.
 */
export function decodeMarc8(octets: string): string {
  let text = ''
  let marks = ''
  let isForeign = false
  for (let at = 0; at < octets.length; at++) {
    const code = octets.charCodeAt(at)
    if (code === 0x1b) {
      const [sequence = '', set = ''] = /^\x1b(?:[()$,-][,$]?!?)?(.?)/s.exec(octets.slice(at, at + 5)) ?? []
      // B and s are ASCII, E is the extended Latin set.
      isForeign = !'BsE'.includes(set)
      at += sequence.length - 1
      continue
    }
    const mark = diacritics[code - 0xe0]
    if (mark !== undefined && !isForeign) {
      marks += String.fromCharCode(mark)
      continue
    }
    text += characterOf(code, isForeign) + marks
    marks = ''
  }
  return (text + marks).normalize('NFC')
}

function characterOf(code: number, isForeign: boolean): string {
  if (isForeign && code > 0x20) return '\ufffd'
  if (code < 0x80) return String.fromCharCode(code)
  const letter = letters[code - 0xa1] ?? ' '
  return letter === ' ' ? '\ufffd' : letter
}
