import type { LookupAddress, LookupOptions } from 'node:dns'
import type { Advice } from '@retriever/core'

/** The certificates that TLS trusts, and the client's own. */
export interface TlsOptions {
  /** Certificates (PEM) to trust instead of the built-in ones. */
  readonly ca?: string
  /** Certificates (PEM) to trust for https proxies. Default: `ca`. */
  readonly proxyCa?: string
  /** The client's own certificate with its chain (PEM). Only servers of the first origin that ask for one get it. */
  readonly cert?: string
  /** The certificate's private key (PEM). */
  readonly key?: string
  /** The passphrase of the private key. */
  readonly passphrase?: string
  /** True: no certificate is verified. Only the caller may set it. */
  readonly insecure?: boolean
}

/** A proxy on the way to a server, as ClientOptions.proxy names it. */
export interface ProxyServer {
  /**
   * The proxy's protocol; `https` is HTTP within TLS. For `socks5` the client looks names up, for all others the proxy
   * does.
   */
  readonly kind: 'socks5' | 'socks5h' | 'http' | 'https'
  readonly host: string
  readonly port: number
  /** The user, one octet a character; null if the proxy wants no login. The password likewise. */
  readonly user: string | null
  readonly password: string | null
  /** True: ask for a tunnel even if an HTTP proxy could retrieve the URL itself. */
  readonly tunnel: boolean
  /** The proxy's URL for people, without user and password: `socks5://host:1080`. */
  readonly url: string
  /**
   * Tells the proxy from every other in the keys of pools; user and password are hashed (security.md case 38: no secret
   * in the key of a pool).
   */
  readonly key: string
}

/** The addresses of hosts under the caller's rules. */
export interface Addresses {
  /** The allowed addresses of a host, in the order to try; empty if none is allowed. Rejects as dns.lookup does. */
  of(host: string, port: number, options?: LookupOptions): Promise<readonly LookupAddress[]>
  /** Whether a connection that is open to this address may be used. */
  allows(address: string): boolean
  /** The reason why no address is allowed, for the end of a message. */
  readonly rule: string
  /** The option that the rule names. */
  readonly advice: Advice
  /** True: these rules are for places that a server points to, not the caller. */
  readonly isPointedTo?: boolean
  /**
   * The part of a pool's key that stands for these rules, so that a connection opened under other rules is not reused.
   */
  keyOf(host: string, port: number): string
}
