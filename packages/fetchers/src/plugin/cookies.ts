import type { OptionKind } from './options.ts'

/** The cookies of a client (RFC 6265). It decides by the URL which host, path and connection each of them is for. */
export interface CookieStore {
  /** The value of Cookie for a request of this URL, such as `a=1; b=2`; null or "": no cookie is sent. */
  cookiesFor(url: string): string | null | Promise<string | null>
  /** Gets the values of the Set-Cookie fields of an answer from this URL, in their order, one octet a character. */
  keep(url: string, setCookies: readonly string[]): void | Promise<void>
}

export const cookieStore: OptionKind = [
  'an object with the functions `cookiesFor` and `keep`',
  (value) => {
    const { cookiesFor, keep } = Object(value) as Partial<Record<keyof CookieStore, unknown>>
    return typeof cookiesFor === 'function' && typeof keep === 'function'
  },
]
