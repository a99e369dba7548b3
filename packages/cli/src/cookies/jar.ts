import { isIP } from 'node:net'
import { bracketed } from '@retriever/core/internal'
import { Cookie, CookieJar } from 'tough-cookie'
import { CookieLimits, isTooLong, withoutLongAttributes } from './limits.ts'

/** The longest line of a cookie file that is read, as in curl. */
const maxLine = 5000

/**
 * The cookies of a command, by domain, path, secure and public suffix (RFC 6265). It reads and writes the Netscape file
 * format as curl does.
 */
export class CommandJar {
  readonly #jar = new CookieJar(undefined, { looseMode: true, prefixSecurity: 'silent' })
  readonly #limits = new CookieLimits(this.#jar)
  /** The order in which cookies came, by domain, path and name; the file lists the newest first. */
  readonly #order = new Map<string, number>()
  #count = 0

  cookiesFor(url: string): string | null {
    return this.#jar.getCookieStringSync(url)
  }

  /** Keeps the cookie of a Set-Cookie field. Skips a cookie that is damaged, too long or not for this URL. */
  keep(url: string, setCookie: string | Cookie): void {
    const cookie = typeof setCookie === 'string' ? parseField(setCookie) : setCookie
    // A cookie without name and value is none (RFC 6265bis 5.7): the field would begin with `; `.
    if (cookie?.key === '' && cookie.value === '') return
    // A TAB or line end would begin another column or row of the file.
    if (cookie === null || isTooLong(cookie) || /[\0-\x1F\x7F]/.test(cookie.path ?? '')) return
    if (typeof setCookie === 'string' && this.#hidesSecure(cookie, url)) return
    const kept = this.#jar.setCookieSync(cookie, url, { ignoreError: true })
    if (kept === undefined) return
    this.#order.set(keyOf(kept), ++this.#count)
    this.#limits.add(kept)
  }

  /**
   * Whether a cookie that came without TLS would hide a secure one. It must not (RFC 6265bis 5.7), since anybody on the
   * way could have set it.
   */
  #hidesSecure({ key, path }: Cookie, url: string): boolean {
    const { protocol, hostname, pathname } = new URL(url)
    if (protocol === 'https:' || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return false
    const all = this.#jar.getCookiesSync(`https://${hostname}${path?.startsWith('/') ? path : pathname}`)
    return all.some((other) => other.key === key && other.secure)
  }

  /**
   * Reads the lines of a cookie file, or the `Set-Cookie:` fields that -D writes. A field without a domain is for this
   * host only; curl sends it everywhere.
   */
  load(text: string, junkSession: boolean, ownHost: string): void {
    for (const line of text.split(/\r?\n/)) {
      const [, field] = /^Set-Cookie:[ \t]*(.*)$/is.exec(line) ?? []
      const cookie = line.length > maxLine ? null : field === undefined ? readLine(line) : parseField(field)
      if (cookie === null || (junkSession && isForSession(cookie))) continue
      const host = cookie.domain ?? ownHost
      cookie.path ??= '/'
      // A row for one host must not state a domain, so that tough-cookie takes the host of the URL.
      const isForHost = cookie.hostOnly === true
      if (isForHost) cookie.domain = null
      cookie.hostOnly = null
      const url = `${cookie.secure ? 'https' : 'http'}://${bracketed(host.replace(/^\[|\]$/g, ''))}${cookie.path}`
      if (isUrl(url)) this.keep(url, cookie)
    }
  }

  /** The text of the cookie file, one octet a character. */
  get text(): string {
    const cookies = this.#jar.serializeSync()?.cookies.map((cookie) => Cookie.fromJSON(cookie)) ?? []
    const lines = cookies
      .filter((cookie) => cookie !== undefined)
      .filter((cookie) => (cookie.expiryTime() ?? Number.POSITIVE_INFINITY) > Date.now())
      .sort((one, other) => (this.#order.get(keyOf(other)) ?? 0) - (this.#order.get(keyOf(one)) ?? 0))
      .map(lineOf)
    return `# Netscape HTTP Cookie File\n# Written by retrieve; it may hold secrets.\n\n${lines.join('')}`
  }
}

function parseField(setCookie: string): Cookie | null {
  return Cookie.parse(withoutLongAttributes(setCookie), { loose: true }) ?? null
}

function isForSession({ expires, maxAge }: Cookie): boolean {
  return expires === 'Infinity' && maxAge === null
}

/** Whether a row has a valid domain; an empty one, for example, is not. */
function isUrl(text: string): boolean {
  try {
    return new URL(text).hostname !== ''
  } catch {
    return false
  }
}

function keyOf({ domain, path, key }: Cookie): string {
  return JSON.stringify([domain, path, key])
}

/**
 * Reads a row: domain, whether subdomains count, path, secure, end in seconds since 1970 (0: end of session), name,
 * value.
 */
function readLine(line: string): Cookie | null {
  const httpOnly = line.startsWith('#HttpOnly_')
  if (line.startsWith('#') && !httpOnly) return null
  const [domain = '', tail = '', path = '', secure, expires = '', key, value = ''] = line
    .slice(httpOnly ? '#HttpOnly_'.length : 0)
    .split('\t')
  if (key === undefined || !/^\d{1,17}$/.test(expires)) return null
  const host = domain.replace(/^\./, '')
  return new Cookie({
    key,
    value,
    domain: host,
    path: path.startsWith('/') ? path : '/',
    secure: isTrue(secure),
    httpOnly,
    hostOnly: !isTrue(tail) || isIP(host) !== 0,
    expires: Number(expires) === 0 ? 'Infinity' : new Date(Math.min(Number(expires) * 1000, 8.64e15)),
  })
}

function lineOf(cookie: Cookie): string {
  const { domain, path, secure, httpOnly, hostOnly, key, value } = cookie
  const expires = cookie.expiryTime()
  const seconds = expires === undefined || expires === Number.POSITIVE_INFINITY ? 0 : Math.floor(expires / 1000)
  const host = `${hostOnly ? '' : '.'}${domain}`
  const columns = [host, truth(!hostOnly), path ?? '/', truth(secure), seconds, key, value]
  return `${httpOnly ? '#HttpOnly_' : ''}${columns.join('\t')}\n`
}

/** As in curl, in any case: a cookie for TLS alone must not go out in the clear since a program wrote `true`. */
function isTrue(column: string | undefined): boolean {
  return column?.toUpperCase() === 'TRUE'
}

function truth(value: boolean | null): string {
  return value === true ? 'TRUE' : 'FALSE'
}
