/**
 * The fragment of a URL that names a part of a page; null if it names none. `#top` means the whole page (HTML Standard,
 * 7.4.6.3).
 */
export function fragmentOf(url: string): string | null {
  const at = url.indexOf('#')
  if (at === -1) return null
  // Directives for browsers follow `:~:` (Text Fragments 3.1), and are removed.
  const fragment = url.slice(at + 1).replace(/:~:.*$/s, '')
  return fragment === '' || fragment.toLowerCase() === 'top' ? null : fragment
}

/** The decoded name, which counts if no part of the page has the fragment itself as its name. */
export function decodedFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
