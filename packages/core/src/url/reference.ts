/** Relative references (RFC 3986 5.2); all examples of 5.4 hold. This works on text only and decodes nothing. */

interface Components {
  readonly scheme: string | undefined
  readonly authority: string | undefined
  readonly path: string
  readonly query: string | undefined
  readonly fragment: string | undefined
}

/**
 * The target URL of a reference found in a resource whose URL is `base`. A reference with a scheme of its own is its
 * own target.
 */
export function resolveReference(reference: string, base: string): string {
  const r = components(reference)
  if (r.scheme !== undefined) return reference
  const b = components(base)
  if (r.authority !== undefined) return recompose({ ...r, scheme: b.scheme, path: removeDotSegments(r.path) })
  const inherited = { scheme: b.scheme, authority: b.authority, fragment: r.fragment }
  if (r.path === '') return recompose({ ...inherited, path: b.path, query: r.query ?? b.query })
  const path = r.path.startsWith('/') ? r.path : merge(b, r.path)
  return recompose({ ...inherited, path: removeDotSegments(path), query: r.query })
}

/**
 * Splits a reference (RFC 3986 appendix B). The scheme's own alphabet tells `a:b` in a path from a scheme, as 4.2 asks.
 */
function components(text: string): Components {
  const match = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/.exec(text)
  const [, scheme, authority, path = '', query, fragment] = match ?? []
  return { scheme, authority, path, query, fragment }
}

/** Merges the paths (RFC 3986 5.2.3). */
function merge(base: Components, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`
  return base.path.slice(0, base.path.lastIndexOf('/') + 1) + path
}

/**
 * Removes dot-segments (RFC 3986 5.2.4). `..` also removes the segment before it; nothing climbs above the root. A path
 * without a root gets one if it loses its first segment in this way.
 */
export function removeDotSegments(path: string): string {
  const output: string[] = []
  const segments = path.split('/')
  let rooted = path.startsWith('/')
  if (rooted) segments.shift()
  // Dots at the beginning of such a path are left out, and remove nothing (2A and 2D).
  let begun = rooted
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    const isDots = segment === '.' || segment === '..'
    if (segment === '..' && begun && output.pop() !== undefined && output.length === 0) rooted = true
    if (!isDots) {
      output.push(segment)
      begun = true
    } else if (isLast && begun) output.push('')
  }
  return `${rooted ? '/' : ''}${output.join('/')}`
}

/**
 * Joins the components (RFC 3986 5.3). Without an authority a path may not begin with `//`, since a reader would take
 * what follows for an authority (3.3).
 */
function recompose({ scheme, authority, path, query, fragment }: Components): string {
  return (
    (scheme === undefined ? '' : `${scheme}:`) +
    (authority === undefined ? (path.startsWith('//') ? '/.' : '') : `//${authority}`) +
    path +
    (query === undefined ? '' : `?${query}`) +
    (fragment === undefined ? '' : `#${fragment}`)
  )
}
