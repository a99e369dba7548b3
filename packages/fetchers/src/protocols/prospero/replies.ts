import { TokenError, tokenLines } from './tokens.ts'

/** Where an object is: the tokens of LINK and FORWARDED, one octet a character. */
export interface Target {
  readonly hostType: string
  /** `host` or `host(port)`. */
  readonly host: string
  readonly hsoname: string
  /** The version as the server wrote it. "0" is the newest. */
  readonly version: string
}

export interface Attribute {
  readonly appliesTo: string
  readonly namespace: string
  readonly name: string
  readonly value: readonly string[]
}

/** A line LINK, and the lines that belong to it. */
export interface Link extends Target {
  /** L: a normal link. U: a union link: merge that directory's links. I: a link that is not shown. */
  readonly type: string
  readonly target: string
  readonly name: string
  readonly attributes: Attribute[]
}

/** A failure in the server's words: `FAILURE NOT-FOUND`, `ERROR ...`, `VERSION-NOT-SUPPORTED ...`. */
export interface Failure {
  readonly kind: 'FAILURE' | 'ERROR' | 'VERSION-NOT-SUPPORTED'
  readonly words: readonly string[]
}

/** The server's answer to the commands of one request. */
export interface Reply {
  readonly links: Link[]
  /** The attributes of the object itself. */
  readonly attributes: Attribute[]
  /** The components that another server has to resolve. */
  unresolved: readonly string[]
  forwarded: Target | null
  failure: Failure | null
  readonly warnings: string[]
}

/** How many warnings are kept. */
const maxWarnings = 10

/** Reads a message. Throws TokenError for one that no server of version 5 sends. */
export function readReply(text: string): Reply {
  const reply: Reply = {
    links: [],
    attributes: [],
    unresolved: [],
    forwarded: null,
    failure: null,
    warnings: [],
  }
  let isKnown = false
  for (const [word = '', ...rest] of tokenLines(text)) isKnown = readLine(word, rest, reply) || isKnown
  if (!isKnown) throw new TokenError('its message has no line that an answer of version 5 has')
  return reply
}

/** Whether the line is one of an answer. */
function readLine(word: string, rest: readonly string[], reply: Reply): boolean {
  switch (word) {
    case 'LINK':
      reply.links.push(readLink(rest))
      return true
    case 'ATTRIBUTE':
      keepAttribute(rest, reply)
      return true
    case 'ID':
      ownerOf(reply).push({ appliesTo: 'LINK', namespace: 'FIELD', name: 'ID', value: rest })
      return true
    case 'UNRESOLVED':
      // The components are one token, or one token each.
      reply.unresolved = rest
      return true
    case 'FORWARDED':
      reply.forwarded = readTarget(rest)
      return true
    case 'FAILURE':
    case 'ERROR':
    case 'VERSION-NOT-SUPPORTED':
      reply.failure ??= { kind: word, words: rest }
      return true
    case 'WARNING':
      if (reply.warnings.length < maxWarnings) reply.warnings.push(rest.join(' '))
      return true
    case 'NONE-FOUND':
    case 'SUCCESS':
    case 'VERSION':
      return true
    default:
      // These are answers to commands that were not sent (AUTHENTICATED, PARAMETER), and lines of later servers.
      return false
  }
}

function readLink([type, target, name, ...rest]: readonly string[]): Link {
  if (type === undefined || target === undefined || name === undefined) throw new TokenError('a LINK has no name')
  return { type, target, name, ...readTarget(rest), attributes: [] }
}

/** Reads `INTERNET-D host ASCII hsoname version`. The version may be missing. */
function readTarget([hostType, host, nameType, hsoname, version = '0']: readonly string[]): Target {
  if (hostType === undefined || host === undefined || nameType === undefined || hsoname === undefined) {
    throw new TokenError('a line that names an object is cut')
  }
  return { hostType, host, hsoname, version }
}

/** The types of a value. Lines of FIELD may omit them. */
const valueTypes: ReadonlySet<string> = new Set(['SEQUENCE', 'LINK', 'FILTER'])

const namespaces: ReadonlySet<string> = new Set(['FIELD', 'INTRINSIC', 'APPLICATION'])

/**
 * Reads `OBJECT INTRINSIC SIZE SEQUENCE '20 bytes'`. Old servers omit the first word. Leaves out a line with the
 * attributes of an attribute (`ATTRIBUTE>`, `>` in place of the first word).
 */
function keepAttribute(words: readonly string[], reply: Reply): void {
  const [first = ''] = words
  if (first.startsWith('>')) return
  const [appliesTo = '', namespace = '', name, ...rest] = namespaces.has(first) ? ['OBJECT', ...words] : words
  if (name === undefined) throw new TokenError('an ATTRIBUTE has no name')
  const [type = ''] = rest
  const value = valueTypes.has(type) ? rest.slice(1) : rest
  ownerOf(reply).push({ appliesTo, namespace, name, value })
}

/** Returns the attributes to which further ones belong. In a listing they follow their link. */
function ownerOf(reply: Reply): Attribute[] {
  return (reply.links.at(-1) ?? reply).attributes
}
