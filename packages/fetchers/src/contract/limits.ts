import { type AdvisedOption, adviceText, RetrievalError } from '@retriever/core'

/** The caller can set every limit. Times are in milliseconds, sizes in octets. `Infinity` switches a limit off. */
export interface Limits {
  /** Name lookup, TCP and TLS handshakes together. */
  readonly connectTimeout: number
  /** The longest wait for the server's next octets, in any phase. It does not run while the consumer pauses. */
  readonly idleTimeout: number
  /** The whole retrieval, redirects included. */
  readonly totalTimeout: number
  /**
   * Octets a second: a body that is slower for minSpeedTime ends with `timeout`, and so does the wait for an answer of
   * which nothing comes for that time. Only the time spent waiting for the server counts. 0: no minimum. Default 0; 10
   * with policy.publicOnly.
   */
  readonly minSpeed: number
  /** The time for which a body may be slower than minSpeed. */
  readonly minSpeedTime: number
  /**
   * Octets a second: a body comes no faster on average, in pieces for a tenth of a second, and the server has to wait.
   * A number above 0. Default: no limit.
   */
  readonly maxRate: number
  /** The size of a body, wherever it goes. */
  readonly maxSize: number
  /** The size of a body collected in memory: text(), json(), bytes(). */
  readonly maxCollected: number
  /**
   * The size of a listing that entries() reads: FTP directory, menu, overview. A listing that must be held whole is
   * also limited by maxCollected.
   */
  readonly maxListing: number
  /** The length of one line of a control connection. */
  readonly maxLine: number
  /** The size of one reply or header section, all its lines together. */
  readonly maxReply: number
  /** The number of redirects followed in one retrieval; 0: none. */
  readonly maxRedirects: number
  /**
   * The number of further tries after errors that may pass; each wait is longer than the one before. A retrieval has
   * one such budget. It is renewed once 1 MiB of the body has come since the last failure.
   */
  readonly maxRetries: number
  /**
   * How long a body may stay unread that keeps others waiting: one of a batch once it has given its place back, one of
   * News before it loses its connection. The event `unread` comes first.
   */
  readonly unreadTimeout: number
  /** The longest wait before trying again. If a server asks for a longer one (Retry-After), the retrieval fails. */
  readonly maxRetryDelay: number
  /** The wait before each further try, unless the server asks for one. 0: each wait is longer than the one before. */
  readonly retryDelay: number
  /** The time since the beginning of the retrieval after which no further try begins. */
  readonly maxRetryTime: number
}

/** The limits that hold if the caller sets none. */
export const defaultLimits: Limits = {
  // security.md section 2: fail fast where browsers wait for minutes; a slow server still has a minute for each answer.
  connectTimeout: 30_000,
  idleTimeout: 60_000,
  totalTimeout: Number.POSITIVE_INFINITY,
  minSpeed: 0,
  // security.md section 2: this is slower than a teletype of 110 baud.
  minSpeedTime: 120_000,
  maxRate: Number.POSITIVE_INFINITY,
  maxSize: Number.POSITIVE_INFINITY,
  // A script can hold this much in memory; a file on disk has no limit.
  maxCollected: 64 * 1024 * 1024,
  // Entries are read one by one and not kept, so a directory of millions is listed to its end.
  maxListing: Number.POSITIVE_INFINITY,
  // RFC 3977 allows 512 octets and FTP servers stop at 4 KiB; this is twice that.
  maxLine: 8 * 1024,
  maxReply: 64 * 1024,
  // fetch follows 20, too; curl follows 50.
  maxRedirects: 20,
  // A program that has begun to read goes on within milliseconds.
  unreadTimeout: 10_000,
  // security.md section 2: scripts expect an end.
  maxRetries: 3,
  maxRetryDelay: 120_000,
  retryDelay: 0,
  maxRetryTime: Number.POSITIVE_INFINITY,
}

/**
 * The defaults with the caller's changes; undefined counts as absent. Throws `invalid-option` for an unknown name or a
 * value that is no number >= 0.
 */
export function readLimits(changes: Partial<Limits> = {}): Limits {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    if (!Object.hasOwn(defaultLimits, name))
      throw invalidOption(`limits.${name}`, `one of ${Object.keys(defaultLimits).join(', ')}`, name)
    if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
      throw invalidOption(`limits.${name}`, 'a number of 0 or more', value)
    }
    if (name === 'maxRate' && value === 0) throw invalidOption(`limits.${name}`, 'a number above 0', value)
  }
  return { ...defaultLimits, ...Object.fromEntries(given) }
}

/** The limits for a listing that must be held whole before its first entry is known. */
export function whenHeld(limits: Limits): Limits {
  return { ...limits, maxListing: Math.min(limits.maxListing, limits.maxCollected) }
}

/**
 * The default minSpeed under policy.publicOnly: a server that somebody else has chosen must not hold a connection for
 * days.
 */
export const publicMinSpeed = 10

/** Every option that a message may name. */
export const advisedOptions: Readonly<Record<AdvisedOption, true>> = {
  'policy.allow': true,
  'policy.allowPorts': true,
  'policy.allowDowngrade': true,
  'policy.allowInward': true,
  'policy.publicOnly': true,
  'policy.allowAddresses': true,
  'policy.schemes': true,
  'policy.redirectSchemes': true,
  'limits.connectTimeout': true,
  'limits.idleTimeout': true,
  'limits.totalTimeout': true,
  'limits.minSpeed': true,
  'limits.minSpeedTime': true,
  'limits.maxSize': true,
  'limits.maxCollected': true,
  'limits.maxListing': true,
  'limits.maxReply': true,
  'limits.maxRetryDelay': true,
  'limits.unreadTimeout': true,
  'tls.ca': true,
  'tls.proxyCa': true,
  'tls.cert': true,
  'tls.key': true,
  'tls.passphrase': true,
  'tls.minVersion': true,
  'tls.maxVersion': true,
  'tls.ciphers': true,
  'tls.cipherSuites': true,
  'tls.curves': true,
  'tls.pins': true,
  'tls.crl': true,
  'tls.proxy.cert': true,
  'tls.proxy.key': true,
  'tls.proxy.passphrase': true,
  'tls.proxy.ciphers': true,
  'tls.proxy.cipherSuites': true,
  'tls.proxy.curves': true,
  'tls.proxy.maxVersion': true,
  'tls.proxy.pins': true,
  'tls.proxy.crl': true,
  'defaults.newsServer': true,
  'defaults.ldapServer': true,
  'defaults.requireTls': true,
  schemes: true,
  gateways: true,
  fetchers: true,
  builtins: true,
  credentials: true,
  addresses: true,
  'network.family': true,
  'network.interface': true,
  'network.localAddress': true,
  'network.localPort': true,
  'network.socketPath': true,
  'network.connectTo': true,
  'nfs.uid': true,
  'nfs.mountPort': true,
  'ssh.hostKeys': true,
  'ssh.privateKey': true,
  'ssh.passphrase': true,
  proxy: true,
  proxyTunnel: true,
  proxyHeaders: true,
  'httpFetcher.http2': true,
  base: true,
  range: true,
  resumeFrom: true,
  ifChangedSince: true,
  ifUnchangedSince: true,
  ifNoneMatch: true,
  accept: true,
  acceptLanguage: true,
  form: true,
  limit: true,
  count: true,
  jsonMessages: true,
  relevantTo: true,
  headers: true,
  virtualHost: true,
  autoReferer: true,
  login: true,
  digest: true,
  cookies: true,
  head: true,
  compressed: true,
  fail: true,
  split: true,
  followAccess: true,
  charset: true,
  folders: true,
  delete: true,
  'error.response': true,
}

function isAdvised(name: string): name is AdvisedOption {
  return Object.hasOwn(advisedOptions, name)
}

/** The error for an option (or its part `key`): the expected value, and the given one with its type. */
export function invalidOption(name: string, expected: string, value: unknown, key?: string): RetrievalError {
  const advice = isAdvised(name) ? { option: name, ...(key !== undefined && { value: key }) } : undefined
  // A login in the wrong form is a secret all the same.
  const got = name === 'login' ? typeof value : shownValue(value)
  const message = `Expected ${advice ? adviceText(advice) : `\`${name}\``} to be ${expected}, got ${got}.`
  return new RetrievalError('invalid-option', message, { phase: 'resolve', ...(advice && { advice }) })
}

/** A value with its type: `"x" (string)`, `an object`. The members of an object may be secrets. */
function shownValue(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return `${typeof value === 'string' ? JSON.stringify(value) : String(value)} (${typeof value})`
}
