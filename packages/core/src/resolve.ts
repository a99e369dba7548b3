import { adviceText } from './advice.ts'
import { type Asked, nothingAsked } from './asked.ts'
import { RetrievalError } from './errors.ts'
import type { Finding, FindingCode } from './finding.ts'
import { findAll } from './findings.ts'
import { gatewayScheme, gatewayUrl } from './gateway.ts'
import type { AccessPlan } from './plan.ts'
import type { Defaults, FindingOptions, Place, Scheme, SchemeFinder } from './scheme.ts'
import { redactUrl } from './secrets/redact.ts'
import { type Host, lowerAscii, readHost } from './url/host.ts'
import { type Locator, malformed, type Part, type Span, type SplitUrl } from './url/locator.ts'
import { resolveReference } from './url/reference.ts'
import { schemeOf, spanOf, splitAfterScheme, splitUrl, type View } from './url/split.ts'

/** What a URL means: its parts, its scheme, the retrieval's plan, and the findings. */
export interface Resolution {
  /** The URL as given, or made absolute against the base. */
  readonly url: string
  /** The parts as written, except that the host is in lower case. */
  readonly locator: Locator
  readonly scheme: Scheme
  readonly plan: AccessPlan
  /** The findings, the gravest first. */
  readonly findings: readonly Finding[]
  /** The gateway's URL, which is retrieved instead. */
  readonly gateway?: string
}

/** Does what resolve() does, with the schemes that `find` knows. */
export function resolveBy(url: string, options: FindingOptions): Resolution {
  const { base } = options
  if (base === undefined || schemeOf(url) !== undefined) return resolveAbsolute(url, options)
  const text = absoluteBy(url, base, options.find)
  try {
    const resolution = resolveAbsolute(text, options)
    const findings = resolution.findings.map((finding) => ({ ...finding, span: spanIn(url, text, finding.span) }))
    return { ...resolution, findings }
  } catch (error) {
    if (!RetrievalError.is(error) || error.span === undefined) throw error
    const { code, message, phase, advice } = error
    const details = { phase, url: error.url ?? text, span: spanIn(url, text, error.span) }
    throw new RetrievalError(code, message, advice === undefined ? details : { ...details, advice })
  }
}

/**
 * Maps a span of the absolute URL to the reference as given. If the base gave that part, the whole reference is marked.
 */
function spanIn(reference: string, text: string, [start, end]: Span): Span {
  const shift = text.length - reference.length
  let shared = reference.length
  while (shared > 0 && shared + shift > 0 && reference[shared - 1] === text[shared - 1 + shift]) shared--
  return start - shift >= shared ? [start - shift, end - shift] : [0, reference.length]
}

function resolveAbsolute(text: string, options: FindingOptions): Resolution {
  const name = schemeOf(text) ?? ''
  const scheme = options.find(name) ?? gatewayScheme(name, options.gateways)
  const split = splitAfterScheme(text, name, scheme ?? anyScheme)
  if (scheme === undefined) throw unknownScheme(text, name, options.adding)
  const host = checkHost(split, scheme, options)
  lowerHost(split, scheme)
  const place = new UrlPlace(split, host?.name ?? '', scheme.defaultPort ?? 0, options)
  if (split.locator.user !== null && scheme.userinfo === 'forbidden') {
    place.fail(`${scheme.name} URLs have no user; leave out what stands before the @`, 'user')
  }
  const plan = scheme.resolve(split.locator, place)
  const findings = findAll({ split, scheme, plan, place, host, options })
  const resolution = { url: text, locator: split.locator, scheme, plan, findings }
  const gateway = gatewayOf(split.locator, place.port, plan, options)
  if (gateway === undefined) return resolution
  return { ...resolution, gateway, findings: findings.filter(({ code }) => !ofContact.has(code)) }
}

/** Does what absoluteUrl() does, with the schemes that `find` knows. */
export function absoluteBy(reference: string, base: string, find: SchemeFinder): string {
  const fail = (why: string): never => {
    throw malformed(reference, `it is relative, and ${why}`, [0, reference.length])
  }
  if (/^(?:#|$)/.test(reference) || schemeOf(reference) !== undefined) return resolveReference(reference, base)
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\//.test(base)) fail(`the base ${redactUrl(base)} has no hierarchy`)
  const name = schemeOf(base) ?? ''
  // `/c` and `//host/c` work without a slash in the base, but a dot-segment needs a hierarchy.
  const needsHierarchy = !reference.startsWith('/') || /\/\.\.?(?:[/?#]|$)/.test(reference)
  if (needsHierarchy && find(name)?.opaquePath === true) {
    fail(`slashes have no meaning in the names of ${name}, as in the base ${redactUrl(base)}; give the whole URL`)
  }
  return resolveReference(reference, base)
}

const noDefaults: Defaults = {}
const anyScheme: View = { query: true }

/**
 * Splits a URL by its scheme's syntax, or by RFC 3986 if `find` does not know the scheme. Throws what splitUrl throws.
 */
export function splitBy(url: string, find: SchemeFinder): SplitUrl {
  return splitUrl(url, (name) => find(name) ?? anyScheme)
}

class UrlPlace implements Place {
  readonly host: string
  readonly port: number
  readonly defaults: Defaults
  readonly asked: Asked
  readonly domainToAscii: FindingOptions['domainToAscii']
  readonly split: SplitUrl

  constructor(split: SplitUrl, host: string, defaultPort: number, options: FindingOptions) {
    this.host = host
    this.port = split.locator.port ?? defaultPort
    this.defaults = options.defaults ?? noDefaults
    this.asked = options.asked ?? nothingAsked
    this.domainToAscii = options.domainToAscii
    this.split = split
  }

  fail(what: string, part: Part): never {
    const { text } = this.split
    throw malformed(text, what, spanOf(this.split, part) ?? [0, text.length])
  }
}

function checkHost(split: SplitUrl, scheme: Scheme, options: FindingOptions): Host | undefined {
  const { text, locator } = split
  const written = locator.host
  const fail = (what: string): never => {
    throw malformed(text, what, spanOf(split, 'host') ?? [0, text.length])
  }
  if (written === null || written === '') {
    return scheme.host === 'required' ? fail(`${scheme.name} needs a host, as in ${scheme.name}://host/`) : undefined
  }
  if (scheme.host === 'none') return fail(`${scheme.name} URLs have no host part`)
  if (scheme.host === 'socket') return undefined
  return readHost(written, options.domainToAscii) ?? fail('this is no legal host name or address')
}

/** The URL at the caller's gateway, else the one at which the publisher of a URN keeps the named thing. */
function gatewayOf(locator: Locator, port: number, plan: AccessPlan, options: FindingOptions): string | undefined {
  const hasHost = (name: string): boolean => options.find(name)?.host === 'required'
  const own = options.gateways && gatewayUrl(locator, port, options.gateways, hasHost)
  return own ?? ('locatedAt' in plan && plan.locatedAt !== null ? plan.locatedAt : undefined)
}

/** Findings about contacting a URL's host; they do not apply if a gateway is contacted instead. */
const ofContact: ReadonlySet<FindingCode> = new Set(['cleartext-secret', 'no-data-object', 'no-fetcher'])

/** Hosts are compared without regard to case (RFC 1738 3.1). */
function lowerHost(split: SplitUrl, scheme: Scheme): void {
  const { host } = split.locator
  if (host === null || scheme.host === 'socket' || !/[A-Z]/.test(host)) return
  split.locator = {
    ...split.locator,
    host: host.replace(/%..|[A-Z]+/g, (text) => (text[0] === '%' ? text : lowerAscii(text))),
  }
}

function unknownScheme(text: string, name: string, option: FindingOptions['adding'] = 'schemes'): RetrievalError {
  const advice = { option } as const
  const isOpaque = !text.startsWith('//', name.length + 1)
  const reason =
    name === 'url'
      ? 'URL: is a label before a URL (RFC 1738 appendix); leave it out. Or check'
      : name.startsWith('x-')
        ? 'Names that begin with x- are for experiments (RFC 1738 4). Check'
        : 'Check its spelling and'
  const relative = isOpaque && name !== 'url' ? ' A relative reference is written with ./ before it.' : ''
  const message = `The scheme "${name}" is not known. ${reason} ${adviceText(advice)}.${relative}`
  return new RetrievalError('unknown-scheme', message, { phase: 'resolve', url: text, span: [0, name.length], advice })
}
