import { http as httpScheme, https } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'
import type { RowsOf } from '../../contract/options.ts'
import { connections, fieldValue, flag, virtualHost } from '../../kit/options.ts'

/** The options of a retrieval that HTTP alone honours. */
export interface HttpOptions {
  /**
   * Rejects with `not-modified` if the resource still has this entity tag, or one in this list of them (RFC 9110
   * 13.1.2).
   */
  readonly ifNoneMatch?: string
  /**
   * The name, perhaps with a port, of a virtual host on the URL's server: it is sent in Host, and selects the cookies.
   * TLS still verifies the name in the URL. A redirect to another origin drops it for good.
   */
  readonly virtualHost?: string
  /**
   * True: after a redirect, Referer names the URL that redirected, without its user; another origin gets only the
   * origin of that URL. Default false.
   */
  readonly autoReferer?: boolean
  /**
   * True: asks the server to compress the body for transport, and decodes it. Default false: octets as the server keeps
   * them.
   */
  readonly compressed?: boolean
  /** False: a status of 400 or above is no error, and its body is the result. Default true. */
  readonly fail?: boolean
  /** How many connections share one large body, 1 to 16, if the server proves that it serves ranges. Default 1. */
  readonly split?: number
}

/** Those of them that apply to each retrieval of a tree. */
export type HttpTreeOptions = Pick<HttpOptions, 'compressed' | 'virtualHost'>

declare module '../../contract/options.ts' {
  interface NamedOptions {
    readonly http?: HttpOptions
  }
  interface NamedTreeOptions {
    readonly http?: HttpTreeOptions
  }
}

export const http: About<'http'> = {
  mechanism: 'http',
  schemes: [httpScheme, https],
  title: 'HTTP',
  honours: {
    range: 'all',
    resumeFrom: 'all',
    ifChangedSince: 'all',
    ifUnchangedSince: 'all',
    accept: 'all',
    acceptLanguage: 'all',
    headers: 'all',
    login: 'all',
    digest: 'all',
  },
  options: {
    ifNoneMatch: { kind: fieldValue, extent: 'all' },
    virtualHost: { kind: virtualHost, extent: 'all', inTrees: true },
    autoReferer: { kind: flag, neutral: false, extent: 'all' },
    compressed: { kind: flag, neutral: false, extent: 'all', inTrees: true },
    fail: { kind: flag, neutral: true, extent: 'all' },
    split: { kind: connections, neutral: 1, extent: 'all' },
  } satisfies RowsOf<HttpOptions>,
}
