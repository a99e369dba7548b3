import type { Cookie, CookieJar } from 'tough-cookie'

/** The most octets of name and value together, and of the value of an attribute (RFC 6265bis 5.6). */
const maxPair = 4096
const maxAttribute = 1024
/** The most cookies of a domain, and of all domains: the least that RFC 6265bis 6.1 asks of a browser. */
const maxOfDomain = 50
const maxCookies = 3000

/** A Set-Cookie field without its attributes that are too long, which RFC 6265bis ignores. */
export function withoutLongAttributes(setCookie: string): string {
  const [pair, ...attributes] = setCookie.split(';')
  const short = attributes.filter((each) => each.slice(each.indexOf('=') + 1).trim().length <= maxAttribute)
  return [pair, ...short].join(';')
}

/** Whether a cookie is too long to keep. Its strings have one octet a character. */
export function isTooLong({ key, value, path, domain }: Cookie): boolean {
  return (
    key.length + value.length > maxPair || (path?.length ?? 0) > maxAttribute || (domain?.length ?? 0) > maxAttribute
  )
}

/** Bounds the number of cookies in a jar: the cookies whose last use is longest ago are removed first. */
export class CookieLimits {
  readonly #jar: CookieJar
  /** The cookies by domain, then by path and name. */
  readonly #domains = new Map<string, Map<string, Cookie>>()
  #count = 0

  constructor(jar: CookieJar) {
    this.#jar = jar
  }

  /** Notes a cookie that the jar has just stored, and removes one if there are too many. */
  add(cookie: Cookie): void {
    const domain = cookie.domain ?? ''
    const cookies = this.#domains.get(domain) ?? new Map<string, Cookie>()
    const key = JSON.stringify([cookie.path, cookie.key])
    this.#domains.set(domain, cookies)
    if (!cookies.delete(key)) this.#count++
    cookies.set(key, cookie)
    if (cookies.size > maxOfDomain) this.#remove(leastOf(cookies.values()))
    if (this.#count > maxCookies)
      this.#remove(leastOf([...this.#domains.values()].flatMap((each) => [...each.values()])))
  }

  #remove(cookie: Cookie | undefined): void {
    if (cookie === undefined) return
    const { domain, path, key } = cookie
    this.#domains.get(domain ?? '')?.delete(JSON.stringify([path, key]))
    this.#count--
    // The store is in memory, so the callback is not needed.
    this.#jar.store.removeCookie(domain, path, key, () => {})
  }
}

/** The cookie to remove: an expired one, else one that is not secure, else the one that was used longest ago. */
function leastOf(cookies: Iterable<Cookie>): Cookie | undefined {
  let least: { readonly cookie: Cookie; readonly rank: readonly number[] } | undefined
  const now = Date.now()
  for (const cookie of cookies) {
    const rank = [(cookie.expiryTime() ?? Infinity) > now ? 1 : 0, cookie.secure ? 1 : 0, lastUse(cookie)]
    if (least === undefined || isBefore(rank, least.rank)) least = { cookie, rank }
  }
  return least?.cookie
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((each, index) => each !== other[index])
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
}

function lastUse({ lastAccessed }: Cookie): number {
  return lastAccessed instanceof Date ? lastAccessed.getTime() : 0
}
