/**
 * Whether a name matches patterns such as `retriever.*,!*.empty`: the last pattern that fits decides (RFC 3977, 4.2).
 */
export function wildmat(patterns: string, name: string): boolean {
  let matches = false
  for (const pattern of patterns.split(',')) {
    const negated = pattern.startsWith('!')
    if (fits(negated ? pattern.slice(1) : pattern, name)) matches = !negated
  }
  return matches
}

/**
 * Whether a name fits a pattern with `*` and `?`. It tries each part between two `*` only at its first place; a regular
 * expression would try all places.
 */
export function fits(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*')
  if (parts.length === 0) return first.length === name.length && standsAt(name, 0, first)
  const last = parts.pop() ?? ''
  const end = name.length - last.length
  let at = first.length
  if (at > end || !standsAt(name, 0, first) || !standsAt(name, end, last)) return false
  for (const part of parts) {
    while (at + part.length <= end && !standsAt(name, at, part)) at++
    at += part.length
    if (at > end) return false
  }
  return true
}

function standsAt(name: string, at: number, part: string): boolean {
  return [...part].every((character, index) => character === '?' || character === name[at + index])
}
