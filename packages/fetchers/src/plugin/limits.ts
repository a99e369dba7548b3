import { type AdvisedOption, adviceText, RetrievalError } from '@retriever/core'

/** Every limit can be set by the caller; times are milliseconds, sizes octets. `Infinity` switches one off. */
export interface Limits {
  /** Name lookup, TCP and TLS handshakes together. */
  readonly connectTimeout: number
  /**
   * Silence: the longest wait for the server's next octets, whatever the phase. Does not run while the consumer pauses.
   */
  readonly idleTimeout: number
  /** The whole retrieval, redirects included. */
  readonly totalTimeout: number
  /**
   * Octets a second: a body that comes slower for minSpeedTime ends with `timeout`. Counts only the time spent waiting
   * for the server. 0: no such rule. Default 0; 10 with policy.publicOnly.
   */
  readonly minSpeed: number
  /** How long a body may come slower than minSpeed. */
  readonly minSpeedTime: number
  /** Of a body, wherever it goes. */
  readonly maxSize: number
  /** Of a body collected in memory: text(), json(), bytes(). */
  readonly maxCollected: number
  /**
   * Of a listing that entries() reads: FTP directory, menu, overview. One that must be held whole keeps to maxCollected
   * too.
   */
  readonly maxListing: number
  /** Of one line of a control dialogue. */
  readonly maxLine: number
  /** Of one reply or header block, all its lines together. */
  readonly maxReply: number
  /** Followed in one retrieval; 0: none is. */
  readonly maxRedirects: number
  /**
   * How often what failed for a cause that may pass is tried again; each wait is longer than the one before. One budget
   * for a retrieval, renewed once 1 MiB of its body has come since the last failure.
   */
  readonly maxRetries: number
  /** The longest wait before trying again; a server that asks for more (Retry-After) is given up. */
  readonly maxRetryDelay: number
}

/** What holds where the caller sets nothing. */
export const defaultLimits: Limits = {
  // security.md section 2: fail fast where browsers wait for minutes; a slow server still has a minute for each answer.
  connectTimeout: 30_000,
  idleTimeout: 60_000,
  totalTimeout: Number.POSITIVE_INFINITY,
  minSpeed: 0,
  // security.md section 2: slower than a teletype of 110 baud.
  minSpeedTime: 120_000,
  maxSize: Number.POSITIVE_INFINITY,
  // What a script can well hold in memory; a file on disk has no limit.
  maxCollected: 64 * 1024 * 1024,
  // Entries are read one by one, and none is kept: a directory of millions is listed to its end.
  maxListing: Number.POSITIVE_INFINITY,
  // RFC 3977 allows 512 octets, FTP servers stop at 4 KiB: twice that.
  maxLine: 8 * 1024,
  maxReply: 64 * 1024,
  // fetch's number; curl has 50.
  maxRedirects: 20,
  // security.md section 2: scripts expect an end.
  maxRetries: 3,
  maxRetryDelay: 120_000,
}

/**
 * The defaults with the caller's changes. Throws `invalid-option` for an unknown name or a value that is no number >=
 * 0.
 */
export function readLimits(changes: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(defaultLimits, name))
      throw invalidOption(`limits.${name}`, `one of ${Object.keys(defaultLimits).join(', ')}`, name)
    if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
      throw invalidOption(`limits.${name}`, 'a number of 0 or more', value)
    }
  }
  return { ...defaultLimits, ...changes }
}

/** The same where a listing must be held whole before its first entry is known. */
export function whenHeld(limits: Limits): Limits {
  return { ...limits, maxListing: Math.min(limits.maxListing, limits.maxCollected) }
}

/**
 * minSpeed where policy.publicOnly holds and the caller sets none: a server of others' choice must not hold a
 * connection for days.
 */
export const publicMinSpeed = 10

/** Every option that a message may name. */
export const advisedOptions: Readonly<Record<AdvisedOption, true>> = {
  'policy.allow': true,
  'policy.allowPorts': true,
  'policy.allowDowngrade': true,
  'policy.allowInward': true,
  'policy.publicOnly': true,
  'limits.connectTimeout': true,
  'limits.idleTimeout': true,
  'limits.totalTimeout': true,
  'limits.minSpeed': true,
  'limits.minSpeedTime': true,
  'limits.maxSize': true,
  'limits.maxCollected': true,
  'limits.maxReply': true,
  'limits.maxRetryDelay': true,
  'tls.ca': true,
  'tls.proxyCa': true,
  'tls.cert': true,
  'tls.key': true,
  'tls.passphrase': true,
  'defaults.newsServer': true,
  'defaults.requireTls': true,
  schemes: true,
  fetchers: true,
  credentials: true,
  addresses: true,
  proxy: true,
  proxyTunnel: true,
  'httpFetcher.http2': true,
  range: true,
  resumeFrom: true,
  ifChangedSince: true,
  ifNoneMatch: true,
  accept: true,
  acceptLanguage: true,
  form: true,
  limit: true,
  headers: true,
  head: true,
  compressed: true,
  fail: true,
  split: true,
  charset: true,
  'error.response': true,
}

function isAdvised(name: string): name is AdvisedOption {
  return Object.hasOwn(advisedOptions, name)
}

/** The error for an option, or a `key` of it: what was expected, and what came, with its type. */
export function invalidOption(name: string, expected: string, value: unknown, key?: string): RetrievalError {
  const advice = isAdvised(name) ? { option: name, ...(key !== undefined && { value: key }) } : undefined
  const shown = typeof value === 'string' ? JSON.stringify(value) : typeof value === 'function' ? 'one' : String(value)
  const message = `Expected ${advice ? adviceText(advice) : `\`${name}\``} to be ${expected}, got ${shown} (${value === null ? 'null' : typeof value}).`
  return new RetrievalError('invalid-option', message, { phase: 'resolve', ...(advice && { advice }) })
}
