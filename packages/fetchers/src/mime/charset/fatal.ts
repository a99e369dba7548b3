/** Decodes octets in a charset of TextDecoder. Returns null if they are no text of it. */
export function decodeFatal(octets: Uint8Array, name: string): string | null {
  try {
    const decoder = new TextDecoder(name, { fatal: true })
    // Two steps, as in kit/text/text.ts: if TextDecoder gets all at once, Node 20 reads windows-1252 as ISO 8859-1.
    return decoder.decode(octets, { stream: true }) + decoder.decode()
  } catch {
    return null
  }
}
