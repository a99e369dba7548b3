import type { AccessPlan, Advice, Finding, RetrievalError } from '@retriever/core'
import type { Explained } from '@retriever/core/internal'
import type { Timings } from './timings.ts'

/** What each event has in addition to the members of its type. */
export interface EventStamp {
  /** The number of the retrieval, unique in its client: 1, 2, ... A redirect keeps it. */
  readonly id: number
  /** Milliseconds by performance.now(): a clock that never goes back, and counts from performance.timeOrigin. */
  readonly time: number
  /** The number of the try, from 1. Each `retried` of the retrieval adds one. */
  readonly attempt: number
}

/**
 * The events of retrievals, in order, for progress bars, traces and transcripts. `***` replaces texts that `redact`
 * treats as secrets. `octets` hold one octet a character, and `<password>` replaces a login in them.
 */
export type RetrievalEvent = EmittedEvent & EventStamp

/** An event as a mechanism emits it. The client adds the stamp and removes secrets. */
export type EmittedEvent =
  | {
      readonly type: 'resolved'
      readonly url: string
      readonly plan: AccessPlan
      readonly findings: readonly Finding[]
      /** The output of `retrieve explain --json`, so that explain() need not resolve the URL again. */
      readonly explanation: Explained
    }
  /**
   * The retrieval waits for a connection, since all that the server may have are in use. `ahead` retrievals wait before
   * it.
   */
  | {
      readonly type: 'waiting'
      readonly url: string
      readonly for: 'connection'
      readonly ahead: number
    }
  /**
   * The addresses of a host name, at least one, and how many milliseconds the lookup took. No such event comes for an
   * address.
   */
  | {
      readonly type: 'looked-up'
      readonly url: string
      readonly host: string
      readonly addresses: readonly string[]
      readonly ms: number
    }
  | {
      readonly type: 'connected'
      readonly url: string
      /**
       * The server's address. Through a proxy, it is the host that the proxy was told, perhaps a name. If a proxy was
       * asked for the whole URL, it is the proxy's own address.
       */
      readonly address: string
      readonly port: number
      readonly tls: boolean
      /** The address and port of this machine's end; absent for a Unix socket. */
      readonly localAddress?: string
      readonly localPort?: number
      /** The proxy's URL without its login, such as `socks5://host:1080`; null: no proxy is used. */
      readonly proxy: string | null
    }
  /**
   * TLS is ready on a connection that was `connected` before. TLS begins at once, or after commands (STARTTLS, AUTH
   * TLS, FTP's data connections).
   */
  | ({
      readonly type: 'secured'
      readonly url: string
      /** Certificates in DER: the server's own, and those of its issuers without the root's. */
      readonly chain: readonly Uint8Array[]
    } & TlsFacts)
  /** A command or request, as sent. */
  | { readonly type: 'sent'; readonly url: string; readonly octets: string }
  /** A reply or header section, as received. Bodies are not reported; see `progress` and `onBody`. */
  | { readonly type: 'received'; readonly url: string; readonly octets: string }
  | { readonly type: 'progress'; readonly url: string; readonly received: number; readonly size: number | null }
  | { readonly type: 'redirected'; readonly url: string; readonly location: string; readonly status: number }
  /**
   * The cache served an answer that is fresh (`hit`), that the server confirmed (`revalidated`) or that is no longer
   * fresh (`stale`), or the cache kept the server's answer (`stored`).
   */
  | {
      readonly type: 'cached'
      readonly url: string
      readonly how: 'hit' | 'revalidated' | 'stale' | 'stored'
      /** Seconds since the server made or confirmed the answer; null if the answer comes from the server. */
      readonly age: number | null
    }
  /**
   * After this error, the retrieval is tried again in `delay` milliseconds, on a new connection or with fewer features.
   */
  | {
      readonly type: 'retried'
      readonly url: string
      readonly error: RetrievalError
      readonly delay: number
      /** The octet of the resource from which the next try resumes. Absent: the try begins as the first one did. */
      readonly offset?: number
    }
  /** A remark for people about an unexpected result, such as a name that turned out to be a directory. */
  | { readonly type: 'remark'; readonly url: string; readonly message: string; readonly advice?: Advice }
  /**
   * Nobody reads the body while other retrievals wait for its connection or its place. If it is not read within
   * `timeout` milliseconds (limits.unreadTimeout), it ends with an error or loses its connection.
   */
  | { readonly type: 'unread'; readonly url: string; readonly timeout: number }
  | {
      readonly type: 'done'
      readonly url: string
      readonly received: number
      readonly error: RetrievalError | null
      readonly timings: Timings
    }

/** What TLS agreed on, and the server's certificate. The names in it come from the server: they are untrusted text. */
export interface TlsFacts {
  /** The host whose certificate it is: the URL's, or that of an https proxy. */
  readonly host: string
  /** `TLSv1.3`; null: not known. */
  readonly version: string | null
  /** The cipher's standard name: `TLS_AES_256_GCM_SHA384`. */
  readonly cipher: string
  /** The protocol that was agreed on within TLS (RFC 7301): `h2`, `http/1.1`; null: none. */
  readonly alpn: string | null
  /** Names as in `CN=www.example.org, O=Example`; null: the certificate names none, or there is none. */
  readonly subject: string | null
  readonly issuer: string | null
  /** When the certificate expires, as in `2030-01-31T00:00:00.000Z`; null: not known. */
  readonly expires: string | null
  /** False if the certificate is not valid for this host and the option `tls.insecure` let it pass. */
  readonly trusted: boolean
  /** True if an earlier TLS session was resumed. */
  readonly resumed: boolean
}
