import type { LookupAddress, LookupOptions } from 'node:dns'
import type { Duplex } from 'node:stream'
import type { Advice } from '@retriever/core'

/** A version of TLS, as Node names it. */
export type TlsVersion = 'TLSv1.2' | 'TLSv1.3'

/** Rules for TLS with a server or a proxy, and the certificate to show there. */
export interface TlsRules {
  /**
   * The client's own certificate with its chain (PEM). Only servers of the first origin get it, and only if they ask.
   */
  readonly cert?: string
  /** The certificate's private key (PEM). */
  readonly key?: string
  /** The passphrase of the private key. */
  readonly passphrase?: string
  /** True: certificates are not verified. Only the caller may set this. */
  readonly insecure?: boolean
  /** The oldest version to accept. Default TLS 1.2. */
  readonly minVersion?: TlsVersion
  /** The newest version to offer. Default TLS 1.3. */
  readonly maxVersion?: TlsVersion
  /** The ciphers of TLS 1.2 to offer, as OpenSSL's list. Default: Node's. */
  readonly ciphers?: string
  /** The cipher suites of TLS 1.3 to offer, with colons between them. Default: Node's. */
  readonly cipherSuites?: string
  /** The groups to offer for the key exchange, such as `X25519:P-256`. Default: Node's. */
  readonly curves?: string
  /**
   * The public keys to accept, each as `sha256//` and the base64 of the SHA-256 of its SubjectPublicKeyInfo (RFC 7469).
   * Any other key is the error `certificate`, even with `insecure`.
   */
  readonly pins?: readonly string[]
  /** Lists of revoked certificates (PEM): each certificate of the chain needs a list of its issuer. */
  readonly crl?: string
}

/** Which certificates TLS trusts, the client's own certificate, and the rules for connections. */
export interface TlsOptions extends TlsRules {
  /** Certificates (PEM) to trust instead of the built-in ones. A function is called when TLS first begins. */
  readonly ca?: string | (() => string)
  /**
   * Certificates (PEM) to trust in addition to the built-in ones, if `ca` is not given. It may be a function, like
   * `ca`.
   */
  readonly extraCa?: string | (() => string)
  /** Certificates (PEM) to trust for https proxies. Default: `ca`. */
  readonly proxyCa?: string
  /** False: TLS offers no protocols (RFC 7301), so HTTP/1.1 is spoken. Default true. */
  readonly alpn?: boolean
  /** The rules for https proxies. Default: certificates are verified, and the client shows none. */
  readonly proxy?: TlsRules
}

/** How to reach servers: by which addresses, from where, or at another place than the URL names. */
export interface NetworkOptions {
  /** Connect to addresses of this family only: 4 or 6. */
  readonly family?: 4 | 6
  /** Connect from an address of this network interface, such as `eth0`. */
  readonly interface?: string
  /** Connect from this address of this machine, or from the address of this name. Not with `interface`. */
  readonly localAddress?: string
  /** [first, last] of the local ports to connect from, which are tried in turn: 1 to 65535. */
  readonly localPort?: readonly [number, number]
  /**
   * The path of a Unix domain socket. All connections go there instead of to hosts or proxies, except FTP's data
   * connections. Refused under policy.publicOnly.
   */
  readonly socketPath?: string
  /**
   * Other places to connect to: `{ 'www.example.org:443': 'localhost:8443' }`. An empty host or port means any on the
   * left, and the same on the right. The first pair that fits counts. Host, and the name in TLS, stay the same. An HTTP
   * proxy is asked for a tunnel to that place.
   */
  readonly connectTo?: Readonly<Record<string, string>>
}

declare module '@retriever/core' {
  interface AdvisedOptions
    extends Readonly<
      Record<`tls.${keyof TlsOptions}` | `tls.proxy.${keyof TlsRules}` | `network.${keyof NetworkOptions}`, true>
    > {}
}

/**
 * Makes a connection in place of the client (ClientOptions.connect): through another program or a tunnel, for example.
 * It gives a stream that is open or opens, such as a net.Socket, and the client begins TLS on it. If it gives null, the
 * client connects by itself.
 */
export type Connect = (target: ConnectTarget) => Duplex | null | undefined | Promise<Duplex | null | undefined>

/** The place to connect to. The policy has allowed it. */
export interface ConnectTarget {
  readonly host: string
  readonly port: number
  /**
   * The allowed addresses of the host, at least one; the connection must lead to one of them. Null if no rule asks for
   * addresses, or if a server leads to a name that this machine does not know. policy.publicOnly is such a rule, and so
   * are those for redirects and links.
   */
  readonly addresses: readonly string[] | null
  /** Aborts when the retrieval ends before the connection is open. */
  readonly signal: AbortSignal
}

/**
 * Gives the addresses of a name in place of the system's resolver (ClientOptions.lookup), in the order to try. An empty
 * list means that there is no such host, and null that the system is asked. The policy judges these addresses like all
 * others.
 */
export type Lookup = (
  host: string,
  port: number,
) => readonly string[] | null | undefined | Promise<readonly string[] | null | undefined>

/** A host and a port. Null means any. */
export interface Place {
  readonly host: string | null
  readonly port: number | null
}

/** NetworkOptions as a client has checked them. */
export interface Network extends Omit<NetworkOptions, 'connectTo'> {
  readonly connect?: Connect | undefined
  readonly connectTo: readonly (readonly [from: Place, to: Place])[]
  /** Identifies these options in the keys of pools and caches. */
  readonly key: string
}

/** A proxy on the way to a server, as ClientOptions.proxy names it. */
export interface ProxyServer {
  /**
   * The proxy's protocol; `https` is HTTP within TLS. With `socks4` and `socks5` the client looks names up, with all
   * others the proxy does.
   */
  readonly kind: 'socks4' | 'socks4a' | 'socks5' | 'socks5h' | 'http' | 'https'
  readonly host: string
  readonly port: number
  /** The user, one octet a character, as is the password. Null if the proxy wants no login. */
  readonly user: string | null
  readonly password: string | null
  /** Additional header fields for an HTTP proxy, by name. */
  readonly headers?: Readonly<Record<string, string>>
  /** True: the login is sent only by Digest, after an HTTP proxy asks for it. */
  readonly isDigestOnly: boolean
  /** True: ask for a tunnel even if an HTTP proxy could retrieve the URL itself. */
  readonly tunnel: boolean
  /** The proxy's URL for people, without user and password: `socks5://host:1080`. */
  readonly url: string
  /**
   * Identifies the proxy in the keys of pools. User and password are hashed (threats.md case 38: no secret in the key
   * of a pool).
   */
  readonly key: string
}

/** Looks up the addresses of hosts, and applies the caller's rules. */
export interface Addresses {
  /**
   * Returns the allowed addresses of a host in the order to try; empty if none is allowed. Rejects as dns.lookup does.
   */
  of(host: string, port: number, options?: LookupOptions): Promise<readonly LookupAddress[]>
  /** Whether an open connection to this address and port may be used. */
  allows(address: string, port?: number): boolean
  /** Says why no address is allowed; it ends a message. */
  readonly rule: string
  /** The option that the rule names. */
  readonly advice: Advice
  /** True if these rules are for places that a server points to, not the caller. */
  readonly isPointedTo?: boolean
  /** True if only public addresses are allowed, and those that the policy names. */
  readonly isPublicOnly?: boolean
  /** The part of a pool's key for these rules, so that a connection that was opened under other rules is not reused. */
  keyOf(host: string, port: number): string
}

/** The cookies of a client (RFC 6265). It decides by the URL which cookies go to which host, path and connection. */
export interface CookieStore {
  /** Returns the value of Cookie for a request of this URL, such as `a=1; b=2`. Null or "": no cookie is sent. */
  cookiesFor(url: string): string | null | Promise<string | null>
  /** Called with the values of the Set-Cookie fields in an answer from this URL, in order, one octet a character. */
  keep(url: string, setCookies: readonly string[]): void | Promise<void>
}
