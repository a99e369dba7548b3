/**
 * Query and header-like names whose values are secrets (security.md section 2). Those hidden already stay as they are, so that a
 * sentence keeps the `:` behind a URL.
 */
const secretKey =
  /([?&;](?:[\w.-]*(?:token|secret|signature|password|passwd|api[-_]?key)|sig|key|code|auth|x-amz-[\w-]+)=)(?!\*\*\*(?:[:&;#\s]|$))[^&;#\s]*/gi

/**
 * The text with the password of every URL in it, and the values of query keys that name secrets, replaced
 * by `***`. An empty password stays: it is no secret, and `u:@h` differs from `u@h`. Works on any text, also on
 * URLs too broken to parse. Better too much hidden than too little.
 */
export function redact(text: string): string {
  return hidePasswords(text, '\\s').replace(secretKey, '$1***')
}

/** As redact, for a text that is one URL, however broken: a blank in its password does not end it. */
export function redactUrl(url: string): string {
  return hidePasswords(url, '').replace(secretKey, '$1***')
}

/**
 * Looks behind every `//`; a scanner and no pattern, since it must stay linear on whatever a server sends.
 * `space` is what ends a word, as in a character class.
 */
function hidePasswords(text: string, space: string): string {
  // Nearly every text has none.
  if (!text.includes('@')) return text
  const nextAt = cachedSearch(text, /@/g)
  const nextEnd = cachedSearch(text, new RegExp(`[${space}]`, 'g'))
  const delimiter = new RegExp(`[${space}/:@?#]|$`, 'g')
  const port = new RegExp(`\\d*(?:[${space}/?#]|$)`, 'y')
  let hidden = ''
  let done = 0
  for (let slashes = text.indexOf('//'); slashes !== -1; slashes = text.indexOf('//', Math.max(done, slashes + 1))) {
    const colon = search(delimiter, text, addressEnd(text, slashes + 2))
    if (text[colon] !== ':' || search(port, text, colon + 1) === colon + 1) continue
    const end = nextEnd(colon)
    const at = passwordEnd(text, colon, end, nextAt)
    if (at === -1) continue
    hidden += `${text.slice(done, colon + 1)}${at === colon + 1 ? '' : '***'}`
    done = at
  }
  return hidden + text.slice(done)
}

/** Behind an IPv6 address, whose colons begin no password; else the start. */
function addressEnd(text: string, start: number): number {
  const address = /\[[\da-f:.]*(?:%25[\w.~-]*)?\]|/iy
  search(address, text, start)
  return address.lastIndex
}

/**
 * The last `@` before the next `/`. A password with a raw `/` in it ends the authority early (`ftp://u:p/w@h/`):
 * that one is caught by the next `@` in the word.
 */
function passwordEnd(text: string, colon: number, end: number, nextAt: (from: number) => number): number {
  const slash = text.indexOf('/', colon)
  const authority = text.slice(colon, slash === -1 ? end : Math.min(slash, end))
  const last = authority.lastIndexOf('@')
  if (last !== -1) return colon + last
  const next = nextAt(colon)
  return next < end ? next : -1
}

/** Where the pattern is found next, the text's length for nowhere. Asked from left to right, the text is read once in all. */
function cachedSearch(text: string, pattern: RegExp): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) found = search(pattern, text, from)
    return found
  }
}

/** Where the pattern (g or y) matches first at or after `from`; the text's length for nowhere. */
function search(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}
