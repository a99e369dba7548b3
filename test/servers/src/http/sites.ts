import { isIP } from 'node:net'
import { texts } from '../options.ts'

export interface SiteOptions {
  /**
   * The names for which the server answers besides those of this machine: 127.0.0.0/8, [::1], localhost and the names
   * below it. `*` means any name. Default none.
   */
  readonly hosts?: readonly string[]
}

export const siteChecks: { readonly hosts: typeof texts } = { hosts: texts }

/** The fields that show for which site a browser asks. */
export interface Asking {
  /** The authority of the request: that of its target, or else its Host. */
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

export interface Refusal {
  readonly status: 403 | 421
  readonly reason: string
}

/**
 * Refuses requests that a page of another site makes. Such a page can give its own name the address 127.0.0.1 (DNS
 * rebinding) and then read the server's answers; only Host shows this. It can also send requests here directly, and
 * open WebSockets; Origin and Sec-Fetch-Site show this. Undefined means that the request is answered.
 */
export function refusalOf({ host, origin, fetchSite }: Asking, hosts: readonly string[]): Refusal | undefined {
  // HTTP/1.0 may lack Host, but browsers always send it.
  if (host !== undefined && !isServed(hostname(`http://${host}`), hosts)) {
    return {
      status: 421,
      reason:
        'This server answers only for 127.0.0.0/8, [::1], localhost, and the names of `--serve-host` or its option `hosts`.',
    }
  }
  const isCross = origin === undefined ? fetchSite === 'cross-site' : !isServed(hostname(origin), hosts)
  return isCross ? { status: 403, reason: 'This server does not answer pages of other sites.' } : undefined
}

function isServed(name: string | undefined, hosts: readonly string[]): boolean {
  if (hosts.includes('*')) return true
  if (name === undefined) return false
  const isHere = name === 'localhost' || name.endsWith('.localhost') || name === '[::1]'
  return isHere || (isIP(name) === 4 && name.startsWith('127.')) || hosts.some((host) => host.toLowerCase() === name)
}

/** The host of an origin as WHATWG URLs write it: in lower case, 127.0.0.1 for 127.1, and without the final dot. */
function hostname(origin: string): string | undefined {
  // With a user, a path or a backslash, another text would be the host.
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(origin)) return undefined
  // URL.canParse is not used: once Node 20 has optimised it, it refuses every URL with a Latin-1 letter.
  try {
    return new URL(origin).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}
