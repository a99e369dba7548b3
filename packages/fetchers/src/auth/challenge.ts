/** One way to log in that a server or proxy offers (RFC 9110 11.3). Strings hold one octet a character. */
export interface AuthChallenge {
  /** In lower case: `digest`. */
  readonly scheme: string
  readonly token68: string | null
  /** By lower-case name, the values without their quotes. */
  readonly params: ReadonlyMap<string, string>
}

/**
 * Reads WWW-Authenticate or Proxy-Authenticate (RFC 9110 11.6.1), several fields of which are joined by commas:
 * `Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple"`. What stands behind a fault is not
 * read, nor is the challenge it is in: half of one may be another one. Basic alone needs no parameter, and many devices
 * write its realm without quotes (`Basic realm=My Camera`): with a fault, it has none. It is not taken so beside
 * Digest, which could be what is behind the fault, and shows nobody the password.
 */
export function readChallenges(field: string): AuthChallenge[] {
  const scanner = new Scanner(field)
  const challenges: AuthChallenge[] = []
  scanner.take(separators)
  while (!scanner.atEnd) {
    const scheme = readScheme(scanner)
    const challenge = scheme === null ? null : readChallenge(scheme, scanner)
    if (challenge !== null) challenges.push(challenge)
    else if (scheme === 'basic' && !/digest/i.test(field)) challenges.push({ scheme, token68: null, params: new Map() })
    if (challenge === null) break
    scanner.take(separators)
  }
  return challenges
}

// Sticky patterns that do not go back over what they have read: the peer chooses the text.
const token = /[\w!#$%&'*+.^`|~-]+/y
const schemeEnd = /[ \t]+|(?=,|$)/y
/** RFC 9110 5.6.1: empty elements of a list are to be put up with. */
const separators = /[ \t,]*/y
const elementEnd = /[ \t]*(?:,|$)/y
const token68 = /[\w.~+/-]+=*(?=[ \t]*(?:,|$))/y
const assignment = /([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*/y
const quoted = /"((?:[^"\\]|\\.)*)"/sy

/** In lower case, with the blanks behind it. Null: there is none. */
function readScheme(scanner: Scanner): string | null {
  const scheme = scanner.take(token)?.[0].toLowerCase()
  return scheme === undefined || scanner.take(schemeEnd) === null ? null : scheme
}

/** From behind its scheme to the comma. Null: it breaks the syntax. */
function readChallenge(scheme: string, scanner: Scanner): AuthChallenge | null {
  const params = new Map<string, string>()
  if (scanner.take(elementEnd) !== null) return { scheme, token68: null, params }
  const single = scanner.take(token68)?.[0]
  if (single !== undefined) return scanner.take(elementEnd) && { scheme, token68: single, params }
  let name = scanner.take(assignment)?.[1]?.toLowerCase()
  if (name === undefined) return null
  while (name !== undefined) {
    const value = readValue(scanner)
    // RFC 9110 11.2: no parameter comes twice; nobody could tell which of the two is meant.
    if (value === null || params.has(name) || scanner.take(elementEnd) === null) return null
    params.set(name, value)
    scanner.take(separators)
    name = scanner.take(assignment)?.[1]?.toLowerCase()
  }
  return { scheme, token68: null, params }
}

function readValue(scanner: Scanner): string | null {
  const text = scanner.take(quoted)
  return text === null ? (scanner.take(token)?.[0] ?? null) : (text[1] ?? '').replace(/\\(.)/gs, '$1')
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

  /** What the sticky pattern matches here, and goes behind it; null: nothing. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at = pattern.lastIndex
    return match
  }
}
