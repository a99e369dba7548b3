import { decodeOctets, octetsToText, type Resolution, RetrievalError } from '@retriever/core'
import type { Handoff } from '../../contract/fetcher.ts'
import { checkOptions, text } from '../../kit/options.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { hostRefusal, isHostWord, withHiddenPassword } from './handoff.ts'
import { programsFor, type Target } from './programs.ts'

export interface HandoffOptions {
  /**
   * The system whose programs are named, as process.platform has it: `linux`, `darwin`, `win32`; others are taken for
   * relatives of Linux. Default: this system.
   */
  readonly platform?: string
}

export interface HandUrlOptions extends HandoffOptions, Pick<RetrieveOptions, 'base' | 'linkedFrom'> {}

const handoffKinds = { platform: text }

/** Throws `invalid-option`. */
export function checkHandUrl(options: HandUrlOptions): HandUrlOptions {
  checkOptions(options, { ...handoffKinds, base: text, linkedFrom: text })
  return options
}

/**
 * The program to which this system hands a URL of any scheme, with its arguments: telnet, a mail composer, a browser.
 * Pure: nothing is looked up, contacted or run. No argument holds a password, and none from the URL is an option.
 * Throws RetrievalError `refused` for a URL whose host or user a program would read as an option, and `invalid-option`.
 * It enforces no policy: Client.handoff() does.
 */
export function handoffOf(resolution: Resolution, options: HandoffOptions = {}): Handoff {
  checkOptions(options, handoffKinds)
  const { platform = process.platform } = options
  const { scheme } = resolution
  const { service, host, port, user, password } = serviceOf(resolution)
  const isSafe = user === null || isUserWord(user)
  if (!isSafe && (scheme.handoff || scheme.program)) throw userRefusal(user, resolution)
  if (setsOtherFields(resolution))
    throw refused('A header field holds a line break; the URL is not handed over.', resolution)
  const target: Target = { resolution, host, port }
  const [first, ...alternatives] = programsFor(service, platform, target, isSafe ? user : null)
  // Each platform has a program that takes all URLs.
  if (first === undefined) throw new TypeError(`no program for ${service} on ${platform}`)
  if (host !== null && !isHostWord(host)) throw refused(hostRefusal(first.program), resolution)
  return withHiddenPassword({
    outcome: 'handoff',
    service,
    host,
    port,
    user,
    ...(password !== null && { password }),
    ...first,
    ...(alternatives.length > 0 && { alternatives }),
  })
}

interface Service extends Pick<Handoff, 'service' | 'host' | 'port' | 'user'> {
  readonly password: string | null
}

function serviceOf({ plan, locator, scheme }: Resolution): Service {
  const host = 'host' in plan && plan.host ? plan.host : null
  const port = host !== null && 'port' in plan ? plan.port : null
  // A session of a menu (RFC 1436 3.8: types 8 and T): its selector is the name to log in with.
  if (plan.mechanism === 'gopher' && (plan.gophertype === '8' || plan.gophertype === 'T')) {
    const service = plan.gophertype === '8' ? 'telnet' : 'tn3270'
    return { service, host, port, user: shown(plan.selector), password: null }
  }
  // Parameters such as ;fingerprint= belong to the login, not to its name.
  const user = plan.mechanism === 'sftp' ? shown(plan.user) : decoded(locator.user)
  return { service: scheme.name, host, port, user, password: decoded(locator.password) }
}

function decoded(part: string | null): string | null {
  return part === null ? null : shown(decodeOctets(part))
}

/** The octets as text; null if there are none. */
function shown(octets: string | null): string | null {
  return octets === null || octets === '' ? null : octetsToText(octets)
}

/**
 * Whether a user can be a word of a command line. One that begins with `-` or `+` could be read as an option by the
 * program, or by the login program of its server (CVE-2007-0882, CVE-2026-24061).
 */
function isUserWord(user: string): boolean {
  return /^[^-+\0-\x1F\x7F-\x9F][^\0-\x1F\x7F-\x9F]*$/.test(user)
}

/** Whether a URL of a mail would begin header fields of its own: no policy lets that reach a mail program. */
function setsOtherFields({ plan }: Resolution): boolean {
  if (plan.mechanism !== 'mailto' && plan.mechanism !== 'mailserver') return false
  const { body: _, ...fields } = plan.headers
  return [...plan.to, ...Object.values(fields)].some((value) => /[\0\r\n]/.test(value))
}

function userRefusal(user: string, resolution: Resolution): RetrievalError {
  const message = /^[-+]/.test(user)
    ? "The server's login program could read the user as an option; the URL is not handed over."
    : 'The user holds control characters; the URL is not handed over.'
  return refused(message, resolution)
}

function refused(message: string, { url }: Resolution): RetrievalError {
  return new RetrievalError('refused', message, { phase: 'policy', url })
}
