import type { AccessPlan, Advice, Explained, Finding, RetrievalError } from '@retriever/core'
import type { Timings } from './timings.ts'

/** The members that each event has beside those of its type. */
export interface EventStamp {
  /** The number of the retrieval, unique in its client: 1, 2, ... A redirect keeps it. */
  readonly id: number
  /** Milliseconds by performance.now(): a clock that never goes back, and counts from performance.timeOrigin. */
  readonly time: number
  /** The number of the try, from 1: one more after each `retried` of the retrieval. */
  readonly attempt: number
}

/**
 * The events of retrievals, in order, for progress bars, traces and transcripts. Texts that `redact` takes for secrets
 * are replaced by `***`. `octets` hold one octet a character, and a login in them is `<password>`.
 */
export type RetrievalEvent = EmittedEvent & EventStamp

/** An event as a mechanism emits it; the client adds the stamp, and removes secrets. */
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
   * The retrieval waits for a connection, since all that the server may have are in use. `ahead` is the number of
   * retrievals that wait before it.
   */
  | {
      readonly type: 'waiting'
      readonly url: string
      readonly for: 'connection'
      readonly ahead: number
    }
  /** The addresses of a host name, at least one, and the milliseconds that the lookup took. None for an address. */
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
       * The server's address; through a proxy, the host that the proxy was told, which may be a name. The proxy's own
       * address if it was asked for the whole URL.
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
   * TLS has begun on a connection, `connected` before: at once, or after commands (STARTTLS, AUTH TLS, FTP's data
   * connections).
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
   * fresh (`stale`), or it kept the server's answer (`stored`).
   */
  | {
      readonly type: 'cached'
      readonly url: string
      readonly how: 'hit' | 'revalidated' | 'stale' | 'stored'
      /** Seconds since the server made or confirmed the answer; null if the answer comes from the server. */
      readonly age: number | null
    }
  /** The error that is tried again after `delay` milliseconds, on a new connection or with fewer features. */
  | {
      readonly type: 'retried'
      readonly url: string
      readonly error: RetrievalError
      readonly delay: number
      /** The octet of the resource at which the next try resumes. Absent: it begins as the first one did. */
      readonly offset?: number
    }
  /** A remark for people about an unexpected result, such as a name that turned out to be a directory. */
  | { readonly type: 'remark'; readonly url: string; readonly message: string; readonly advice?: Advice }
  /**
   * The body is left unread while other retrievals wait for its connection or its place. Unless it is read within
   * `timeout` milliseconds (limits.unreadTimeout), it ends with an error, or loses its connection.
   */
  | { readonly type: 'unread'; readonly url: string; readonly timeout: number }
  | {
      readonly type: 'done'
      readonly url: string
      readonly received: number
      readonly error: RetrievalError | null
      readonly timings: Timings
    }

/** The agreement of TLS and the server's certificate. The names in it are the server's: untrusted text. */
export interface TlsFacts {
  /** The host whose certificate it is: the URL's, or that of an https proxy. */
  readonly host: string
  /** `TLSv1.3`; null: not known. */
  readonly version: string | null
  /** The name of the standard: `TLS_AES_256_GCM_SHA384`. */
  readonly cipher: string
  /** The protocol that was agreed on within TLS (RFC 7301): `h2`, `http/1.1`; null: none. */
  readonly alpn: string | null
  /** Names as in `CN=www.example.org, O=Example`; null: the certificate names none, or there is none. */
  readonly subject: string | null
  readonly issuer: string | null
  /** The end of the certificate's validity, as in `2030-01-31T00:00:00.000Z`; null: not known. */
  readonly expires: string | null
  /** False where the option `tls.insecure` let a certificate pass that is not valid for this host. */
  readonly trusted: boolean
  /** True: an earlier TLS session was resumed. */
  readonly resumed: boolean
}
