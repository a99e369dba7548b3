import type { LookupAddress, LookupOptions } from 'node:dns'
import type { Advice } from '@retriever/core'

/** Whom to trust, and who the client is, within TLS. */
export interface TlsOptions {
  /** Certificates (PEM) to trust instead of the built-in ones. */
  readonly ca?: string
  /** The same for https proxies. */
  readonly proxyCa?: string
  /** The client's own certificate with its chain (PEM), for servers of the first origin alone that ask for one. */
  readonly cert?: string
  /** Its private key (PEM). */
  readonly key?: string
  /** Of the private key. */
  readonly passphrase?: string
  /** Verify nothing: only ever by the caller's explicit word. */
  readonly insecure?: boolean
}

/** A proxy on the way to a server, as ClientOptions.proxy names it. */
export interface ProxyServer {
  /** What it speaks; `https` is HTTP within TLS. Names are looked up here for `socks5`, by the proxy for all others. */
  readonly kind: 'socks5' | 'socks5h' | 'http' | 'https'
  readonly host: string
  readonly port: number
  /** One octet a character, as the password; null where it wants no login. */
  readonly user: string | null
  readonly password: string | null
  /** Ask for a tunnel also where an HTTP proxy could be asked for the URL itself. */
  readonly tunnel: boolean
  /** `socks5://host:1080`, for people: without user and password. */
  readonly url: string
  /** Tells it from every other, for the keys of pools; user and password are hashed (security.md case 38). */
  readonly key: string
}

/** Of hosts, as the caller's rules have them. */
export interface Addresses {
  /**
   * The allowed ones, in the order to try; empty if all of the host's are refused. Rejects as dns.lookup does.
   */
  of(host: string, port: number, options?: LookupOptions): Promise<readonly LookupAddress[]>
  /** Whether a connection that is open to this address may be used. */
  allows(address: string): boolean
  /** Why none may, behind a colon. */
  readonly rule: string
  /** The option that the rule names. */
  readonly advice: Advice
  /** True: these are the rules for places that a server from elsewhere points to, not the caller. */
  readonly isPointedTo?: boolean
  /** For the keys of pools: what is open under another key may have been made by other rules. */
  keyOf(host: string, port: number): string
}
