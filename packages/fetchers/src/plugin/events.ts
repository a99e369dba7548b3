import type { AccessPlan, Advice, Explained, Finding, RetrievalError } from '@retriever/core'

/**
 * What happens during retrievals, in order. Progress bars, traces and transcripts are built on these alone.
 * What `redact` takes for a secret is `***` in all of it; `octets` hold one octet a character, a login as `<password>`.
 */
export type RetrievalEvent =
  | {
      readonly type: 'resolved'
      readonly url: string
      readonly plan: AccessPlan
      readonly findings: readonly Finding[]
      /** The same as `retrieve explain --json` gives it: explain() need not resolve the URL again. */
      readonly explanation: Explained
    }
  | {
      readonly type: 'connected'
      readonly url: string
      /**
       * Of the server; through a proxy what that was told, which may be a name. Of the proxy, where it is asked for
       * whole URLs.
       */
      readonly address: string
      readonly port: number
      readonly tls: boolean
      /** `socks5://host:1080`, without its login; null: there is no proxy on the way. */
      readonly proxy: string | null
    }
  /** A command or request, as sent. */
  | { readonly type: 'sent'; readonly url: string; readonly octets: string }
  /** A reply or header block, as received; bodies are not reported, but see progress. */
  | { readonly type: 'received'; readonly url: string; readonly octets: string }
  | { readonly type: 'progress'; readonly url: string; readonly received: number; readonly size: number | null }
  | { readonly type: 'redirected'; readonly url: string; readonly location: string; readonly status: number }
  /**
   * What the cache did: served what it has (`hit`), once the server had said that it is still the same (`revalidated`),
   * or although it is no longer fresh (`stale`); or kept what came (`stored`).
   */
  | {
      readonly type: 'cached'
      readonly url: string
      readonly how: 'hit' | 'revalidated' | 'stale' | 'stored'
      /** Seconds since the server made it, or said so; null where it comes from there. */
      readonly age: number | null
    }
  /** What went wrong, and is tried again in `delay` milliseconds: on a new connection, or more carefully. */
  | { readonly type: 'retried'; readonly url: string; readonly error: RetrievalError; readonly delay: number }
  /** What a person should know of what came back, and did not ask for: a name that turned out to be a directory. */
  | { readonly type: 'remark'; readonly url: string; readonly message: string; readonly advice?: Advice }
  | { readonly type: 'done'; readonly url: string; readonly received: number; readonly error: RetrievalError | null }
