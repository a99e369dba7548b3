import { RetrievalError } from './errors.ts'
import { type Finding, findAll } from './findings.ts'
import { type Host, parseHost } from './host.ts'
import { type Locator, malformed, type Part, type SplitUrl, schemeOf, splitUrl } from './locator.ts'
import { decodeOctets, octetsToText } from './percent.ts'
import type { AccessPlan } from './plan.ts'
import { resolveReference } from './reference.ts'
import type { Defaults, Place, Scheme } from './scheme.ts'
import { builtinSchemes } from './schemes/index.ts'

export interface ResolveOptions {
  /** Schemes beside the built-in ones; one of the same name replaces it. */
  readonly schemes?: readonly Scheme[]
  /** The URL against which a relative reference is resolved (RFC 3986 5). */
  readonly base?: string
  readonly defaults?: Defaults
  /** Turns an internationalised host name into A-labels: `domainToASCII` of node:url. Without it such names are refused. */
  readonly domainToAscii?: (name: string) => string
}

/** What a URL means: its parts, its scheme, what retrieval will do, and what to know before. */
export interface Resolution {
  /** As given, or made absolute against the base. */
  readonly url: string
  readonly locator: Locator
  readonly scheme: Scheme
  readonly plan: AccessPlan
  /** The gravest first. */
  readonly findings: readonly Finding[]
}

/**
 * Works out what a URL means (RFC 3986 1.2.2 "resolution"). Pure: no I/O, and the same answer always.
 * Throws RetrievalError `malformed-url`, `unknown-scheme` or `limit-exceeded`, each with phase `resolve`.
 */
export function resolve(url: string, options: ResolveOptions = {}): Resolution {
  const text = options.base === undefined || schemeOf(url) !== undefined ? url : resolveReference(url, options.base)
  const name = schemeOf(text)
  const scheme = name === undefined ? undefined : findScheme(name, options.schemes)
  const split = splitUrl(text, () => scheme?.query ?? true)
  if (scheme === undefined) throw unknownScheme(text, split.locator.scheme)
  const host = checkHost(text, split, scheme, options)
  const place: Place = {
    host: host?.name ?? '',
    port: split.locator.port ?? scheme.defaultPort ?? 0,
    defaults: options.defaults ?? {},
    fail: (what: string, part: Part) => {
      throw malformed(text, what, split.spans[part] ?? [0, text.length])
    },
  }
  checkLogin(split, scheme, place)
  const plan = scheme.resolve(split.locator, place)
  const findings = findAll({ text, split, scheme, plan, place, host })
  return { url: text, locator: split.locator, scheme, plan, findings }
}

/** The scheme of that name, lower case; `extra` goes before the built-in ones. */
export function findScheme(name: string, extra: readonly Scheme[] = []): Scheme | undefined {
  return extra.find((scheme) => scheme.name === name) ?? builtinSchemes.find((scheme) => scheme.name === name)
}

function checkHost(text: string, split: SplitUrl, scheme: Scheme, options: ResolveOptions): Host | undefined {
  const written = split.locator.host
  const span = split.spans.host ?? [0, text.length]
  if (written === null || written === '') {
    if (scheme.host !== 'required') return undefined
    throw malformed(text, `${scheme.name} needs a host, as in ${scheme.name}://host/`, span)
  }
  if (scheme.host === 'none') throw malformed(text, `${scheme.name} URLs have no host part`, span)
  const decoded = written.startsWith('[') ? written : octetsToText(decodeOctets(written))
  const host = parseHost(decoded, options.domainToAscii)
  if (host === undefined) throw malformed(text, 'this is no legal host name or address', span)
  return host
}

function checkLogin(split: SplitUrl, scheme: Scheme, place: Place): void {
  if (split.locator.user === null || scheme.userinfo === 'allowed') return
  place.fail(`${scheme.name} URLs have no user; leave out what stands before the @`, 'user')
}

function unknownScheme(text: string, name: string): RetrievalError {
  const message = `The scheme "${name}" is not known. \`retrieve schemes\` lists those that are; a library adds one by createClient({ schemes, fetchers }).`
  return new RetrievalError('unknown-scheme', message, { phase: 'resolve', url: text, span: [0, name.length] })
}
