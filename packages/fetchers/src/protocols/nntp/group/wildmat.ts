/**
 * Whether a newsgroup matches a wildmat (RFC 3977 4.2), which is a list of patterns separated by commas. The last
 * pattern that matches decides, and `!` before it means no. Both are text: `?` matches one character, however many
 * octets it has.
 */
export function matchesWildmat(wildmat: string, newsgroup: string): boolean {
  let matches = false
  for (const pattern of wildmat.split(',')) {
    const isNegated = pattern.startsWith('!')
    if (matchesPattern(isNegated ? pattern.slice(1) : pattern, newsgroup)) matches = !isNegated
  }
  return matches
}

/**
 * Whether a text matches a pattern, in which `*` means any characters and `?` one. Only the last `*` is tried again, so
 * that it takes at most length times length steps.
 */
function matchesPattern(pattern: string, text: string): boolean {
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
