/** `retriever.*,!*.empty`: the last pattern that matches decides (RFC 3977, 4.2). */
export function wildmat(patterns: string, name: string): boolean {
  let matches = false
  for (const pattern of patterns.split(',')) {
    const negated = pattern.startsWith('!')
    const source = (negated ? pattern.slice(1) : pattern)
      .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
    if (new RegExp(`^${source}$`, 's').test(name)) matches = !negated
  }
  return matches
}
