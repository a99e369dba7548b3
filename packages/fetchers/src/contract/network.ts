import type { LookupAddress, LookupOptions } from 'node:dns'
import type { Advice } from '@retriever/core'

/** A version of TLS, as Node names it. */
export type TlsVersion = 'TLSv1.2' | 'TLSv1.3'

/** The rules for TLS with a server or a proxy, and the certificate to show there. */
export interface TlsRules {
  /** The client's own certificate with its chain (PEM). Only servers of the first origin that ask for one get it. */
  readonly cert?: string
  /** The certificate's private key (PEM). */
  readonly key?: string
  /** The passphrase of the private key. */
  readonly passphrase?: string
  /** True: no certificate is verified. Only the caller may set it. */
  readonly insecure?: boolean
  /** The oldest version to accept. Default TLS 1.2. */
  readonly minVersion?: TlsVersion
  /** The newest version to offer. Default TLS 1.3. */
  readonly maxVersion?: TlsVersion
  /** The ciphers of TLS 1.2 to offer, as OpenSSL's list. Default: Node's. */
  readonly ciphers?: string
  /** The cipher suites of TLS 1.3 to offer, with colons between them. Default: Node's. */
  readonly cipherSuites?: string
  /** The groups for the key exchange to offer, such as `X25519:P-256`. Default: Node's. */
  readonly curves?: string
  /**
   * The public keys to accept, each as `sha256//` and the base64 of the SHA-256 of its SubjectPublicKeyInfo (RFC 7469).
   * Another key is `certificate`, even with `insecure`.
   */
  readonly pins?: readonly string[]
  /** Lists of revoked certificates (PEM): each certificate of the chain needs a list of its issuer. */
  readonly crl?: string
}

/** The certificates that TLS trusts, the client's own, and the rules for connections. */
export interface TlsOptions extends TlsRules {
  /** Certificates (PEM) to trust instead of the built-in ones. A function is called when TLS first begins. */
  readonly ca?: string | (() => string)
  /** Certificates (PEM) to trust beside the built-in ones, if `ca` is not given. A function as for `ca`. */
  readonly extraCa?: string | (() => string)
  /** Certificates (PEM) to trust for https proxies. Default: `ca`. */
  readonly proxyCa?: string
  /** False: no protocols are offered within TLS (RFC 7301), so HTTP/1.1 is spoken. Default true. */
  readonly alpn?: boolean
  /** The rules for https proxies. Default: certificates are verified, and none is shown. */
  readonly proxy?: TlsRules
}

/** The way to servers: which addresses, from where, or another place than the URL names. */
export interface NetworkOptions {
  /** Connect to addresses of this family only: 4 or 6. */
  readonly family?: 4 | 6
  /** Connect from an address of this network interface, such as `eth0`. */
  readonly interface?: string
  /** Connect from this address of this machine, or from the one of this name. Not with `interface`. */
  readonly localAddress?: string
  /** [first, last] of the local ports to connect from, which are tried in turn: 1 to 65535. */
  readonly localPort?: readonly [number, number]
  /**
   * The path of a Unix domain socket: all connections go there instead of to hosts, also past proxies, except FTP's for
   * data. Refused under policy.publicOnly.
   */
  readonly socketPath?: string
  /**
   * Other places to connect to: `{ 'www.example.org:443': 'localhost:8443' }`. An empty host or port on the left stands
   * for any, on the right for the same; the first pair that fits counts. Host, and the name in TLS, stay the same. An
   * HTTP proxy is asked for a tunnel there.
   */
  readonly connectTo?: Readonly<Record<string, string>>
}

/** A host and a port; null: any. */
export interface Place {
  readonly host: string | null
  readonly port: number | null
}

/** NetworkOptions as a client has checked them. */
export interface Network extends Omit<NetworkOptions, 'connectTo'> {
  readonly connectTo: readonly (readonly [from: Place, to: Place])[]
  /** Tells these options from all others, in the keys of pools and caches. */
  readonly key: string
}

/** A proxy on the way to a server, as ClientOptions.proxy names it. */
export interface ProxyServer {
  /**
   * The proxy's protocol; `https` is HTTP within TLS. For `socks4` and `socks5` the client looks names up, for all
   * others the proxy does.
   */
  readonly kind: 'socks4' | 'socks4a' | 'socks5' | 'socks5h' | 'http' | 'https'
  readonly host: string
  readonly port: number
  /** The user, one octet a character; null if the proxy wants no login. The password likewise. */
  readonly user: string | null
  readonly password: string | null
  /** Additional header fields for an HTTP proxy, by name. */
  readonly headers?: Readonly<Record<string, string>>
  /** True: the login is sent by Digest alone, once an HTTP proxy asks for it. */
  readonly isDigestOnly: boolean
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
  /** Whether a connection that is open to this address and port may be used. */
  allows(address: string, port?: number): boolean
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

/** The cookies of a client (RFC 6265). It decides by the URL which host, path and connection each of them is for. */
export interface CookieStore {
  /** The value of Cookie for a request of this URL, such as `a=1; b=2`; null or "": no cookie is sent. */
  cookiesFor(url: string): string | null | Promise<string | null>
  /** Gets the values of the Set-Cookie fields of an answer from this URL, in their order, one octet a character. */
  keep(url: string, setCookies: readonly string[]): void | Promise<void>
}
