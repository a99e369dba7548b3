import type { Advice } from './advice.ts'
import { causeFrom, type ErrorJson, errorJson } from './error-json.ts'
import { redactUnknown, redactUrl } from './secrets/redact.ts'

/** The steps of a retrieval at which something can go wrong, in their order. */
export type Phase =
  | 'resolve' // reading the URL: nothing was contacted
  | 'policy' // our own refusal: nothing was contacted
  | 'lookup' // host name to address
  | 'connect'
  | 'tls'
  | 'greeting' // waiting for the server's first line
  | 'login'
  | 'request' // a command or request was sent, its answer is awaited
  | 'body' // the representation is under way
  | 'save' // writing to a local file

/**
 * Every code that a RetrievalError can carry, with the exit status of the command (curl's number for the same thing).
 * error-meanings.ts says when each happens.
 */
export const errorCodes = {
  'unknown-scheme': { exit: 1 },
  'no-fetcher': { exit: 1 },
  handoff: { exit: 1 },
  'malformed-url': { exit: 3 },
  'invalid-option': { exit: 2 },
  'form-required': { exit: 2 },
  'no-server': { exit: 6 },
  'host-not-found': { exit: 6 },
  'connect-failed': { exit: 7 },
  'protocol-violation': { exit: 8 },
  refused: { exit: 9 },
  'access-denied': { exit: 9 },
  partial: { exit: 18 },
  'server-refused': { exit: 8 },
  'http-error': { exit: 22 },
  'write-failed': { exit: 23 },
  timeout: { exit: 28 },
  'range-refused': { exit: 33 },
  'resume-failed': { exit: 36 },
  'tls-failed': { exit: 35 },
  'file-failed': { exit: 37 },
  // aria2's number, which curl leaves free.
  'checksum-failed': { exit: 32 },
  'too-many-redirects': { exit: 47 },
  'receive-failed': { exit: 56 },
  certificate: { exit: 60 },
  'limit-exceeded': { exit: 63 },
  'auth-required': { exit: 67 },
  'auth-failed': { exit: 67 },
  'not-found': { exit: 78 },
  'not-modified': { exit: 0 },
  aborted: { exit: 130 },
} as const

export type ErrorCode = keyof typeof errorCodes

export interface ErrorDetails {
  readonly phase: Phase
  /** The URL in question; its password is removed here. */
  readonly url?: string | undefined
  /** The server's own words, where it gave any: `550 No such file`. */
  readonly reply?: string | undefined
  /** The HTTP status, where there is one. */
  readonly status?: number | undefined
  /** The header fields and the beginning of the body that came with the status. */
  readonly response?: ErrorResponse | undefined
  /** The option of the library that may help, which the message names as adviceText() writes it. */
  readonly advice?: Advice | undefined
  /** True: trying again may help, since the cause is likely to pass. */
  readonly transient?: boolean
  /** Milliseconds to wait before the next try, as the server asks. */
  readonly retryAfter?: number | undefined
  /** The service that the URL names in place of data. */
  readonly handoff?: HandoffDetails | undefined
  /** The [start, end) of the offending text within the URL as given. */
  readonly span?: readonly [number, number] | undefined
  readonly cause?: unknown
}

/** A program of this system for a URL, to be run without a shell: each argument is passed as it is. */
export interface HandoffProgram {
  readonly program: string
  /** The arguments without the user. A password is never among them: the process list shows arguments to all users. */
  readonly args: readonly string[]
  /** The arguments that tell the program the user, too; absent where there is none, or the program takes none. */
  readonly argsWithUser?: readonly string[]
  /** The package that brings the program, for people: `Debian's package inetutils-telnet`. */
  readonly install?: string
}

/** A service that a URL names, and the program with which a person may use it. */
export interface HandoffDetails extends HandoffProgram {
  /** The name of the service: `telnet`, or the scheme of the URL. */
  readonly service: string
  /** The host and its port; null where the URL names none. */
  readonly host: string | null
  readonly port: number | null
  /** Advice for the login. Untrusted text. */
  readonly user: string | null
  /** The password, shown as `***`; null where the URL gives none. */
  readonly password: string | null
  /** Other programs for the same, for a system that does not have the first. */
  readonly alternatives?: readonly HandoffProgram[]
}

/** The parts of an error's answer that people want to see. Untrusted text. */
export interface ErrorResponse {
  /** The header fields by lower-case name, without cookies. */
  readonly headers: Readonly<Record<string, string>>
  /** The first KiB of the body, as text. */
  readonly excerpt: string
}

/** One redirect that was followed. */
export interface FollowedRedirect {
  /** The URL that redirected. */
  readonly url: string
  readonly status: number
  /** The new URL as the server wrote it, without secrets. */
  readonly location: string
}

/**
 * The only error class. `code` is closed (see errorCodes) and says what happened, `phase` says when, `message` says
 * what, where, and what to do next, for people. No field contains secrets: the URL is redacted, and the cause is kept
 * unchanged.
 */
export class RetrievalError extends Error {
  override readonly name = 'RetrievalError'
  readonly code: ErrorCode
  readonly phase: Phase
  readonly url: string | undefined
  readonly reply: string | undefined
  readonly status: number | undefined
  readonly response: ErrorResponse | undefined
  readonly transient: boolean
  readonly retryAfter: number | undefined
  readonly handoff: HandoffDetails | undefined
  readonly advice: Advice | undefined
  readonly span: readonly [number, number] | undefined
  /** The redirects that were followed before, in order; the client sets them. */
  redirects: readonly FollowedRedirect[] = []

  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.phase = details.phase
    const hide = code === 'unknown-scheme' ? redactUnknown : redactUrl
    this.url = details.url === undefined ? undefined : hide(details.url)
    this.reply = details.reply
    this.status = details.status
    this.response = details.response
    this.transient = details.transient ?? false
    this.retryAfter = details.retryAfter
    this.handoff = details.handoff
    this.advice = details.advice
    this.span = details.span
  }

  /** The error as plain data, for JSON.stringify() and logs: with the message, and without secrets. */
  toJSON(): ErrorJson {
    return errorJson(this)
  }

  /**
   * The error that toJSON() has described, in another thread or process: structuredClone() keeps nothing of an error
   * but its message, stack and causes.
   */
  static from(json: ErrorJson): RetrievalError {
    const { code, message, redirects = [], cause, ...details } = json
    const error = new RetrievalError(code, message, {
      ...details,
      ...(cause !== undefined && { cause: causeFrom(cause) }),
    })
    error.redirects = redirects
    return error
  }

  /** Whether a value is a RetrievalError of this or another copy of the package (bundles, realms). */
  static is(value: unknown): value is RetrievalError {
    return value instanceof Error && value.name === 'RetrievalError' && 'code' in value && 'phase' in value
  }
}
