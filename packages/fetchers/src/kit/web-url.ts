/**
 * Reads the URL as the web does (URL Standard). Returns null if it is none. We do not use `URL.canParse()`: once Node
 * 20 has optimised it, after some 4,000 calls, it refuses every URL with a Latin-1 letter.
 */
export function webUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
