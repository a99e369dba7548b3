/** One authentication scheme that a server or proxy offers (RFC 9110 11.3). Strings hold one octet a character. */
export interface AuthChallenge {
  /** In lower case: `digest`. */
  readonly scheme: string
  readonly token68: string | null
  /** The values without their quotes, by lower-case name. */
  readonly params: ReadonlyMap<string, string>
}

/**
 * Reads WWW-Authenticate or Proxy-Authenticate (RFC 9110 11.6.1). Commas join several fields: `Newauth realm="apps",
 * type=1, title="Login to \"apps\"", Basic realm="simple"`. At a syntax error, reading ends and drops the challenge
 * that has the error, because the rest could be misread as another challenge. Basic is an exception: it needs no
 * parameter, and many devices write its realm without quotes (`Basic realm=My Camera`), so after an error it counts
 * without a realm. But not if the field names Digest anywhere, perhaps after the error: Digest keeps the password
 * secret.
 */
export function readChallenges(field: string): AuthChallenge[] {
  const scanner = new Scanner(field)
  const challenges: AuthChallenge[] = []
  scanner.read(separators)
  while (!scanner.atEnd) {
    const scheme = readScheme(scanner)
    const challenge = scheme === null ? null : readChallenge(scheme, scanner)
    if (challenge !== null) challenges.push(challenge)
    else if (scheme === 'basic' && !/digest/i.test(field)) challenges.push({ scheme, token68: null, params: new Map() })
    if (challenge === null) break
    scanner.read(separators)
  }
  return challenges
}

// The peer chooses the text, so these sticky patterns never backtrack over what they have read.
const token = /[\w!#$%&'*+.^`|~-]+/y
const schemeEnd = /[ \t]+|(?=,|$)/y
/** RFC 9110 5.6.1: a list may have empty elements. */
const separators = /[ \t,]*/y
const elementEnd = /[ \t]*(?:,|$)/y
const token68 = /[\w.~+/-]+=*(?=[ \t]*(?:,|$))/y
const assignment = /([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*/y
const quoted = /"((?:[^"\\]|\\.)*)"/sy

/** Reads a scheme and the blanks after it. Returns it in lower case, or null if there is none. */
function readScheme(scanner: Scanner): string | null {
  const scheme = scanner.read(token)?.[0].toLowerCase()
  return scheme === undefined || scanner.read(schemeEnd) === null ? null : scheme
}

/** Reads a challenge from the end of its scheme to the comma. Returns null at a syntax error. */
function readChallenge(scheme: string, scanner: Scanner): AuthChallenge | null {
  const params = new Map<string, string>()
  if (scanner.read(elementEnd) !== null) return { scheme, token68: null, params }
  const single = scanner.read(token68)?.[0]
  if (single !== undefined) return scanner.read(elementEnd) && { scheme, token68: single, params }
  let name = scanner.read(assignment)?.[1]?.toLowerCase()
  if (name === undefined) return null
  while (name !== undefined) {
    const value = readValue(scanner)
    // A parameter comes only once (RFC 9110 11.2). If it comes twice, nobody knows which one counts.
    if (value === null || params.has(name) || scanner.read(elementEnd) === null) return null
    params.set(name, value)
    scanner.read(separators)
    name = scanner.read(assignment)?.[1]?.toLowerCase()
  }
  return { scheme, token68: null, params }
}

function readValue(scanner: Scanner): string | null {
  const text = scanner.read(quoted)
  return text === null ? (scanner.read(token)?.[0] ?? null) : (text[1] ?? '').replace(/\\(.)/gs, '$1')
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** Reads what the sticky pattern matches here. Returns null if it does not match. */
  read(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at = pattern.lastIndex
    return match
  }
}
