import { type AdvisedOption, adviceText, RetrievalError } from '@retriever/core'
import type { Limits } from '../contract/limits.ts'

/** The limits that apply if the caller sets none. */
export const defaultLimits: Limits = {
  // Fail sooner than browsers, which wait for minutes. A slow server still has a minute for each answer (threats.md
  // section 2).
  connectTimeout: 30_000,
  idleTimeout: 60_000,
  totalTimeout: Number.POSITIVE_INFINITY,
  minSpeed: 0,
  // With minSpeed 1, this is slower than a teletype of 110 baud (threats.md section 2).
  minSpeedTime: 120_000,
  maxRate: Number.POSITIVE_INFINITY,
  maxSize: Number.POSITIVE_INFINITY,
  // A script can hold this much in memory. A file on disk has no limit.
  maxCollected: 64 * 1024 * 1024,
  // Entries are read one by one and not kept, so a directory with millions is listed to its end.
  maxListing: Number.POSITIVE_INFINITY,
  // RFC 3977 allows 512 octets and FTP servers stop at 4 KiB. This is twice that.
  maxLine: 8 * 1024,
  maxReply: 64 * 1024,
  // fetch follows 20, too; curl follows 50.
  maxRedirects: 20,
  // A program that has begun to read continues within milliseconds.
  unreadTimeout: 10_000,
  // Scripts expect an end (threats.md section 2).
  maxRetries: 3,
  maxRetryDelay: 120_000,
  retryDelay: 0,
  maxRetryTime: Number.POSITIVE_INFINITY,
}

/**
 * Returns the defaults with the caller's changes. Undefined counts as absent. Throws `invalid-option` for an unknown
 * name or a value that is no number >= 0.
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

/** Returns the limits for a listing that must be held whole before its first entry is known. */
export function whenHeld(limits: Limits): Limits {
  return { ...limits, maxListing: Math.min(limits.maxListing, limits.maxCollected) }
}

/**
 * The default minSpeed under policy.publicOnly. A server that somebody else has chosen must not hold a connection for
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

/** Makes the error for an option (or its part `key`). It says the expected value, and the given one with its type. */
export function invalidOption(name: string, expected: string, value: unknown, key?: string): RetrievalError {
  const advice = isAdvised(name) ? { option: name, ...(key !== undefined && { value: key }) } : undefined
  // A login in the wrong form is a secret, too.
  const got = name === 'login' ? typeof value : shownValue(value)
  const message = `Expected ${advice ? adviceText(advice) : `\`${name}\``} to be ${expected}, got ${got}.`
  return new RetrievalError('invalid-option', message, { phase: 'resolve', ...(advice && { advice }) })
}

/** Shows a value with its type: `"x" (string)`, `an object`. The members of an object may be secrets. */
function shownValue(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return `${typeof value === 'string' ? JSON.stringify(value) : String(value)} (${typeof value})`
}
