import { encodeOctets, RetrievalError } from '@retriever/core'

/** RFC 9309 2.5: at least 500 KiB must be read. */
const maxRobots = 512 * 1024
/** The name that is compared to the groups of a robots.txt (RFC 9309 2.2.1). */
const product = 'retriever'

/** Whether the value of `<meta name=robots>` asks programs to follow no link. */
export function saysNofollow(directives: string): boolean {
  return /(?:^|[\s,])(?:nofollow|none)(?:[\s,]|$)/i.test(directives)
}

/** Directives with a value, which are no names of programs. */
const valued = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)$/i

/**
 * Whether a field X-Robots-Tag asks us, or all programs, to follow no link of a page: `nofollow`, `retriever: none`. A
 * name counts for the directives behind it, up to the next one.
 */
export function forbidsFollowing(fields: Iterable<readonly [name: string, value: string]>): boolean {
  for (const [name, value] of fields) {
    if (name.toLowerCase() !== 'x-robots-tag') continue
    let isForUs = true
    for (const part of value.split(',')) {
      const [, agent, directive = part] = /^\s*([\w-]+)\s*:(.*)$/s.exec(part) ?? []
      if (agent !== undefined && !valued.test(agent)) isForUs = agent.toLowerCase() === product
      if (isForUs && saysNofollow(directive)) return true
    }
  }
  return false
}

interface Rule {
  readonly allows: boolean
  /** The decoded path; `*` stands for any text and `$` at its end for the end. */
  readonly pattern: string
}

/** The rules in the robots.txt of a server (RFC 9309). */
export class Robots {
  readonly #rules: readonly Rule[]
  /** How many seconds are to lie between two requests (Crawl-delay, which no RFC has); null: it does not say. */
  readonly crawlDelay: number | null

  constructor(rules: readonly Rule[], crawlDelay: number | null = null) {
    this.#rules = rules
    this.crawlDelay = crawlDelay
  }

  /**
   * Whether a path may be retrieved. The longest rule that fits decides; of two equally long ones, the one that allows
   * (RFC 9309 2.2.2).
   */
  allows(path: string): boolean {
    // A file may have 60,000 rules: the path is decoded once, and only rules that may still decide are tried.
    const asked = decoded(path).replace(/[*$]/g, escaped)
    let longest = 0
    let isAllowed = true
    for (const { allows, pattern } of this.#rules) {
      const decides = pattern.length > longest || (pattern.length === longest && allows && !isAllowed)
      if (!decides || !fits(pattern, asked)) continue
      longest = pattern.length
      isAllowed = allows
    }
    return isAllowed
  }
}

/** The method of a Client that asks for a robots.txt. */
interface Retriever<Request> {
  retrieve(
    url: string,
    options: Request & { readonly limits: { readonly maxCollected: number } },
  ): Promise<{
    text(): Promise<string>
  }>
}

/**
 * Asks a server for its robots.txt. If there is none, all is allowed; if the server fails, nothing is (RFC 9309 2.3.1).
 * Rejects with the error if the server does not answer, since then it cannot give the tree either.
 */
export async function robotsOf<Request extends object>(
  origin: string,
  client: Retriever<Request>,
  request: Request,
): Promise<Robots> {
  return readRobots(await robotsTextOf(origin, client, request))
}

/** Does the same, and gives a text with these rules, which others can read. */
export async function robotsTextOf<Request extends object>(
  origin: string,
  client: Retriever<Request>,
  request: Request,
): Promise<string> {
  try {
    const limits = { maxCollected: maxRobots }
    return await (await client.retrieve(`${origin}/robots.txt`, { ...request, limits })).text()
  } catch (error) {
    if (!RetrievalError.is(error) || error.code === 'aborted') throw error
    const { status = 0 } = error
    if (status === 0 && error.code !== 'limit-exceeded') throw error
    return status >= 400 && status < 500 ? '' : 'User-agent: *\nDisallow: /\n'
  }
}

/** Reads a robots.txt: the rules of all groups for us, or those for `*` if there are none for us. */
export function readRobots(text: string): Robots {
  const groups = { own: [] as Rule[], any: [] as Rule[] }
  const delays: { own: number | null; any: number | null } = { own: null, any: null }
  let isOwn = false
  let isAny = false
  let hasOwn = false
  let inAgents = false
  for (const line of text.split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^[ \t]*([a-z-]+)[ \t]*:[ \t]*([^#]*)/i.exec(line) ?? []
    const key = name.toLowerCase()
    const content = value.trim()
    if (key === 'user-agent') {
      if (!inAgents) isOwn = isAny = false
      inAgents = true
      // Only the name counts; a version behind it is ignored.
      const agent = (/^[a-z_-]+/i.exec(content)?.[0] ?? content).toLowerCase()
      isOwn ||= agent === product
      isAny ||= content === '*'
      hasOwn ||= isOwn
    } else if (key === 'allow' || key === 'disallow') {
      inAgents = false
      if (content === '') continue
      const rule = { allows: key === 'allow', pattern: decoded(content).replace(/\$(?!$)/g, escaped) }
      if (isOwn) groups.own.push(rule)
      if (isAny) groups.any.push(rule)
    } else if (key === 'crawl-delay') {
      inAgents = false
      const delay = /^\d{1,6}(?:\.\d{1,6})?$/.test(content) ? Number(content) : null
      if (isOwn) delays.own ??= delay
      if (isAny) delays.any ??= delay
    }
  }
  const kind = hasOwn ? 'own' : 'any'
  return new Robots(groups[kind], delays[kind])
}

function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    const found = isLast && isWhole ? Math.max(at, path.length - part.length) : path.indexOf(part, at)
    if (found < 0 || !path.startsWith(part, found)) return false
    at = found + part.length
  }
  return !isWhole || at === path.length
}

const escaped = (delimiter: string): string => encodeOctets(delimiter)

/**
 * The path with its escapes decoded, so that different spellings compare equal. Escapes of delimiters stay: `%2F` is
 * another path than `/` (RFC 9309 2.2.2), and `%2A` and `%24` are how a rule names `*` and `$` themselves (2.2.3).
 */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes).replace(/[%/?#*$]/g, escaped)
    } catch {
      return escapes.toUpperCase()
    }
  })
}
