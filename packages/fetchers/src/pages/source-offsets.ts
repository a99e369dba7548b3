/** Matches what may be an entity. In an attribute, one without `;` counts only if no letter, digit or `=` follows. */
const entity = /&(?:#x[0-9a-f]+|#\d+|[a-z][a-z0-9]*);?/iy
const ampersand = /^&(?:amp|#0*38|#x0*26);?$/i

/**
 * Finds where the characters of an attribute's value stand in its source, in which entities may stand for them. Returns
 * null if that cannot be told.
 */
export function sourceOffsets(source: string, value: string): ((index: number) => number) | null {
  if (source === value) return (index) => index
  const offsets: number[] = []
  let at = 0
  while (offsets.length < value.length) {
    const index = offsets.length
    const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(value.slice(index, index + 2))
    entity.lastIndex = at
    const [found = ''] = source.charAt(at) === '&' ? (entity.exec(source) ?? []) : []
    const isDecoded = found !== '' && (value.charAt(index) !== '&' || ampersand.test(found))
    if (!isDecoded && source.charAt(at) !== value.charAt(index)) return null
    offsets.push(...(isPair && isDecoded ? [at, at] : [at]))
    at += isDecoded ? found.length : 1
  }
  return at === source.length ? (index) => offsets[index] ?? source.length : null
}
