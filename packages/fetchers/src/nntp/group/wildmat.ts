/**
 * Whether a newsgroup fits a wildmat (RFC 3977 4.2): patterns with commas between, of which the last one that fits
 * decides; `!` before one means not. Both as text: `?` is one character, of however many octets.
 */
export function fitsWildmat(wildmat: string, newsgroup: string): boolean {
  let fits = false
  for (const pattern of wildmat.split(',')) {
    const isNegated = pattern.startsWith('!')
    if (fitsPattern(isNegated ? pattern.slice(1) : pattern, newsgroup)) fits = !isNegated
  }
  return fits
}

/** `*` any characters, `?` any one. Back to the last `*` alone: none takes longer than the product of both lengths. */
function fitsPattern(pattern: string, text: string): boolean {
  let at = 0
  let star = -1
  let starAt = 0
  let from = 0
  while (at < text.length) {
    if (pattern[from] === '*') {
      star = from++
      starAt = at
    } else if (pattern[from] === '?' || pattern[from] === text[at]) {
      from++
      at++
    } else if (star === -1) return false
    else {
      from = star + 1
      at = ++starAt
    }
  }
  return /^\**$/.test(pattern.slice(from))
}
