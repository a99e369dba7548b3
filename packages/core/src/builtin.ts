/** What is known of URLs, with the built-in schemes beside the caller's own. */
import { type Explained, type Explanation, explainBy, explainResolutionBy } from './explain/explain.ts'
import { absoluteBy, type Resolution, resolveBy, splitBy } from './resolve.ts'
import type { FindingOptions, ResolveOptions, Scheme, SchemeFinder } from './scheme.ts'
import { builtinSchemes } from './schemes/index.ts'
import { maskBy } from './secrets/mask-resolution.ts'
import type { Locator, SplitUrl } from './url/locator.ts'

/** Made when it is first needed: bundlers keep what is made when a module is loaded, and with it all schemes. */
let byName: ReadonlyMap<string, Scheme> | null = null

const findBuiltin: SchemeFinder = (name) => {
  byName ??= new Map(builtinSchemes.map((scheme) => [scheme.name, scheme]))
  return byName.get(name)
}

/** The scheme of that name, which is in lower case; `extra` overrides the built-in ones. */
export function findScheme(name: string, extra?: readonly Scheme[]): Scheme | undefined {
  return extra?.find((scheme) => scheme.name === name) ?? findBuiltin(name)
}

function finder(schemes: readonly Scheme[] | undefined): SchemeFinder {
  return schemes === undefined ? findBuiltin : (name) => findScheme(name, schemes)
}

const noOptions: FindingOptions = { find: findBuiltin }

function finding(options: ResolveOptions | undefined): FindingOptions {
  return options === undefined ? noOptions : { ...options, find: finder(options.schemes) }
}

/**
 * Works out what a URL means (RFC 3986 1.2.2 "resolution"). It is pure: it does no I/O and always gives the same
 * answer. Throws RetrievalError `malformed-url`, `unknown-scheme` or `limit-exceeded`, each with phase `resolve`.
 */
export function resolve(url: string, options?: ResolveOptions): Resolution {
  return resolveBy(url, finding(options))
}

/**
 * The absolute URL of a reference (RFC 3986 5.2), as `resolve()` makes it. A base such as `mailto:a@b` has no
 * hierarchy, so only a fragment can be relative to it. Throws `malformed-url`.
 */
export function absoluteUrl(reference: string, base: string, schemes?: readonly Scheme[]): string {
  return absoluteBy(reference, base, finder(schemes))
}

/** Splits a URL by its scheme's syntax, or by RFC 3986 if the scheme is unknown. Throws what splitUrl throws. */
export function splitByScheme(url: string, schemes?: readonly Scheme[]): SplitUrl {
  return splitBy(url, finder(schemes))
}

/**
 * The parts of a URL, undecoded; formatLocator joins them again. The scheme may be unknown. Throws RetrievalError
 * `malformed-url` or `limit-exceeded`.
 */
export function parseUrl(url: string, schemes?: readonly Scheme[]): Locator {
  return splitByScheme(url, schemes).locator
}

/** Explains a URL without touching the network. A bad URL never throws: its explanation is the error. */
export function explain(url: string, options?: ResolveOptions): Explanation {
  return explainBy(url, finding(options))
}

/** Explains a URL that has been resolved with the same options. */
export function explainResolution(resolution: Resolution, options?: ResolveOptions): Explained {
  return explainResolutionBy(resolution, finding(options))
}

/**
 * The resolution without its secrets, for explain() and for the events of a client; only this function masks a plan. It
 * also resolves the URL without its secrets, and shows a string only if both resolutions have it, so that no part or
 * decoded form of a secret appears. Structure and numbers are those of the URL as given. `options` must be those of the
 * resolution.
 */
export function maskResolution(resolution: Resolution, options?: ResolveOptions): Resolution {
  return maskBy(resolution, finding(options))
}
