/**
 * The fragment of a URL that names a part of a page; null: there is none. `#top` is the whole page (HTML Standard,
 * 7.4.6.3).
 */
export function fragmentOf(url: string): string | null {
  const at = url.indexOf('#')
  if (at === -1) return null
  // Behind `:~:` stand directives for browsers (Text Fragments 3.1).
  const fragment = url.slice(at + 1).replace(/:~:.*$/s, '')
  return fragment === '' || fragment.toLowerCase() === 'top' ? null : fragment
}

/** The name that a fragment stands for if no part has the fragment itself as its name. */
export function decodedFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
