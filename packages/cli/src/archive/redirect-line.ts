/** The media type of the dialogue of a retrieval, by the name of its mechanism. */
export function dialogueType(mechanism: string): string {
  return `text/x-${mechanism}-control-conversation`
}

/** The last line of a dialogue that ended with a redirect. */
export function redirectLine(status: number, location: string): string {
  return `* redirected (${status}) to ${location}`
}

/** The redirect with which a dialogue ended; null if it did not. `end` is its last octets. */
export function redirectOf(
  contentType: string | null | undefined,
  end: string,
): { readonly status: number; readonly location: string } | null {
  if (!/^text\/x-[\w-]+-control-conversation$/.test(contentType ?? '')) return null
  const [, status, location] = /(?:^|\n)\* redirected \((\d+)\) to (\S+)\r\n$/.exec(end) ?? []
  return location === undefined ? null : { status: Number(status), location }
}
