import { createHash } from 'node:crypto'
import { type Locator, RetrievalError } from '@retriever/core'
import { bracketed, type HttpPlan } from '@retriever/core/internal'
import type { ProxyServer } from '../../contract/network.ts'
import { invalidOption, optionThrew } from '../../kit/limits.ts'
import { isPromise } from '../../kit/listeners.ts'
import { resolvePlace } from '../resolving.ts'

/** The target of a retrieval, or of one hop of it. */
export interface ProxyTarget {
  /** The URL's scheme: `ftp`, `https`. */
  readonly scheme: string
  readonly host: string
  readonly port: number
}

/** A proxy's URL, null for none, or a function that chooses one for each host. */
export type ProxyOption =
  | string
  | null
  | ((target: ProxyTarget) => string | null | undefined | Promise<string | null | undefined>)

/** Gives the proxy on the way to a target; null: there is none. */
export type ProxyChoice = (target: ProxyTarget) => ProxyServer | null | Promise<ProxyServer | null>

/** The options for proxies beside their URLs. */
interface ProxyRules {
  readonly tunnel?: boolean | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly digest?: boolean | undefined
}

/** Throws `invalid-option` for an invalid proxy: at once for a URL, otherwise when the function has chosen it. */
export function readProxy(option: ProxyOption | undefined, rules: ProxyRules = {}): ProxyChoice {
  if (typeof option === 'function') {
    const read = (chosen: unknown): ProxyServer | null => {
      return chosen === null || chosen === undefined ? null : parseProxy(chosen, rules)
    }
    const refuse = (cause: unknown): never => {
      throw optionThrew('proxy', cause, 'resolve')
    }
    const choose = (target: ProxyTarget): unknown => {
      try {
        return option({ ...target })
      } catch (cause) {
        return refuse(cause)
      }
    }
    return (target) => {
      const chosen = choose(target)
      return isPromise(chosen) ? Promise.resolve(chosen).then(read, refuse) : read(chosen)
    }
  }
  const proxy = option === undefined || option === null ? null : parseProxy(option, rules)
  return () => proxy
}

/** curl's default ports, which people rely on: 1080 for HTTP proxies too. */
const defaultPorts: Readonly<Record<ProxyServer['kind'], number>> = {
  socks4: 1080,
  socks4a: 1080,
  socks5: 1080,
  socks5h: 1080,
  http: 1080,
  https: 443,
}

const expected =
  'socks4, socks4a, socks5, socks5h, http or https with a host and no path, as http://user:password@host:3128'

/** Reads `[PROTOCOL://][USER[:PASSWORD]@]HOST[:PORT][/]`; without a protocol it is http, as in curl. */
function parseProxy(value: unknown, rules: ProxyRules): ProxyServer {
  const { tunnel = false, headers = {}, digest: isDigestOnly = false } = rules
  if (typeof value !== 'string') throw invalidOption('proxy', expected, value)
  const [, scheme = 'http', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(value) ?? []
  const kind = scheme.toLowerCase()
  const place = isKind(kind) ? placeOf(rest) : undefined
  if (!isKind(kind) || place === undefined) throw invalidOption('proxy', expected, withoutLogin(value))
  const { plan, locator } = place
  const { host, user, password } = plan
  checkLogin(kind, user, password)
  const port = locator.port ?? defaultPorts[kind]
  const url = `${kind}://${bracketed(host)}:${port}`
  const key = createHash('sha256')
    .update(JSON.stringify([url, user, password, tunnel, headers, isDigestOnly]))
    .digest('base64')
  return { kind, host, port, user, password, tunnel, headers, isDigestOnly, url, key }
}

function isKind(text: string): text is ProxyServer['kind'] {
  return Object.hasOwn(defaultPorts, text)
}

/** Reads host, login and port as those of an http URL without path, query and fragment. */
function placeOf(rest: string): { readonly plan: HttpPlan; readonly locator: Locator } | undefined {
  try {
    const { plan, locator } = resolvePlace(rest)
    const bare = plan.mechanism === 'http' && plan.target === '/' && locator.fragment === null && locator.port !== 0
    return bare ? { plan, locator } : undefined
  } catch (error) {
    // The error's message could show a password.
    if (RetrievalError.is(error)) return undefined
    throw error
  }
}

/**
 * Checks user and password. RFC 1929 2: 1 to 255 octets each, though an empty password is allowed, since many proxies
 * take one. RFC 7617 2: no `:` in a user.
 */
function checkLogin(kind: ProxyServer['kind'], user: string | null, password: string | null): void {
  // The login is not shown, because it is a secret.
  if (/[\0\r\n]/.test(`${user ?? ''}${password ?? ''}`)) {
    throw invalidOption('proxy', 'a URL with a user and a password of one line each, without NUL', '***')
  }
  const isSocks5 = kind === 'socks5' || kind === 'socks5h'
  const isSocks4 = kind === 'socks4' || kind === 'socks4a'
  if (isSocks4 && (user ?? '').length > 255) {
    throw invalidOption('proxy', 'a URL with a user of up to 255 octets', '***')
  }
  if (isSocks5 && user !== null && (user === '' || user.length > 255 || (password ?? '').length > 255)) {
    throw invalidOption('proxy', 'a URL with a user of 1 to 255 octets and a password of up to 255 (RFC 1929)', '***')
  }
  if (!isSocks4 && !isSocks5 && user?.includes(':'))
    throw invalidOption('proxy', 'a URL with a user without a colon (RFC 7617)', '***')
}

/** Everything before the last `@` may be a password, even in a broken URL. */
function withoutLogin(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@')
}
