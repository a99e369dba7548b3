import { decodeFatal } from './fatal.ts'

/**
 * Decodes Korean as Windows writes it (code page 949): EUC-KR, and in further pairs of octets the syllables that it
 * lacks. Node's TextDecoder knows EUC-KR alone, under the labels of both. Returns null for octets that are no text.
 */
export function decodeKorean(octets: Uint8Array): string | null {
  let text = ''
  let begin = 0
  for (let at = 0; at < octets.length; at++) {
    const lead = octets[at] ?? 0
    if (lead < 0x81) continue
    const trail = octets[at + 1] ?? 0
    const sign = lead === 0xa2 ? furtherSigns.get(trail) : undefined
    if (lead < 0xa1 || trail < 0xa1 || sign !== undefined) {
      const before = decodeFatal(octets.subarray(begin, at), 'euc-kr')
      const character = sign ?? furtherSyllable(lead, trail)
      if (before === null || character === undefined) return null
      text += before + character
      begin = at + 2
    }
    at++
  }
  const rest = decodeFatal(octets.subarray(begin), 'euc-kr')
  return rest === null ? null : text + rest
}

/** In row 2, behind KS X 1001 of 1992. */
const furtherSigns: ReadonlyMap<number, string> = new Map([
  [0xe6, '€'],
  [0xe7, '®'],
])

let further: readonly string[] | null = null

/** The second octets of these pairs: letters of ASCII, and octets beyond it. */
const trails: readonly number[] = [
  ...Array.from({ length: 26 }, (_, index) => 0x41 + index),
  ...Array.from({ length: 26 }, (_, index) => 0x61 + index),
  ...Array.from({ length: 126 }, (_, index) => 0x81 + index),
]

/** The pairs number the syllables of Unicode that KS X 1001 lacks, in the order of Unicode. */
function furtherSyllable(lead: number, trail: number): string | undefined {
  const column = trails.indexOf(trail)
  if (column < 0 || lead > 0xc6) return undefined
  // Below 0xA1 a row has 178 pairs; from there on 84, as EUC-KR has the others.
  const row = lead < 0xa1 ? (lead - 0x81) * 178 : 32 * 178 + (lead - 0xa1) * 84
  further ??= syllablesBeyond(ksX1001())
  return further[row + column]
}

/** The syllables of KS X 1001: rows 16 to 40, in EUC-KR. */
function ksX1001(): ReadonlySet<string> {
  const octets = new Uint8Array(25 * 94 * 2)
  for (let at = 0; at < octets.length; at += 2) {
    octets[at] = 0xb0 + Math.floor(at / 188)
    octets[at + 1] = 0xa1 + (at % 188) / 2
  }
  return new Set(decodeFatal(octets, 'euc-kr') ?? '')
}

function syllablesBeyond(known: ReadonlySet<string>): readonly string[] {
  const all = Array.from({ length: 0xd7a4 - 0xac00 }, (_, index) => String.fromCharCode(0xac00 + index))
  return all.filter((syllable) => !known.has(syllable))
}
