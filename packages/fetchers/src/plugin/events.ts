import type { AccessPlan, Advice, Explained, Finding, RetrievalError } from '@retriever/core'

/**
 * The events of retrievals, in order, for progress bars, traces and transcripts. Texts that `redact` takes for secrets
 * are replaced by `***`. `octets` hold one octet a character, and a login in them is `<password>`.
 */
export type RetrievalEvent =
  | {
      readonly type: 'resolved'
      readonly url: string
      readonly plan: AccessPlan
      readonly findings: readonly Finding[]
      /** The output of `retrieve explain --json`, so that explain() need not resolve the URL again. */
      readonly explanation: Explained
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
      /** The proxy's URL without its login, such as `socks5://host:1080`; null: no proxy is used. */
      readonly proxy: string | null
    }
  /** A command or request, as sent. */
  | { readonly type: 'sent'; readonly url: string; readonly octets: string }
  /** A reply or header section, as received. Bodies are not reported; see `progress`. */
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
  | { readonly type: 'retried'; readonly url: string; readonly error: RetrievalError; readonly delay: number }
  /** A remark for people about an unexpected result, such as a name that turned out to be a directory. */
  | { readonly type: 'remark'; readonly url: string; readonly message: string; readonly advice?: Advice }
  /**
   * The body is left unread while other retrievals wait for its connection or its place. Unless it is read within
   * `timeout` milliseconds (limits.unreadTimeout), it ends with an error, or loses its connection.
   */
  | { readonly type: 'unread'; readonly url: string; readonly timeout: number }
  | { readonly type: 'done'; readonly url: string; readonly received: number; readonly error: RetrievalError | null }
