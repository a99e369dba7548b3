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
  | 'request' // a request was sent, and the client waits for the answer
  | 'body' // the body is being received
  | 'save' // writing to a local file

/**
 * Every code that a RetrievalError can carry, with the exit status of the command, which is curl's number for the same
 * error. error-meanings.ts says when each happens.
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
  // aria2 uses this number, and curl does not.
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
  /** The URL of the retrieval; the error removes its password. */
  readonly url?: string | undefined
  /** The server's own words, if it gave any: `550 No such file`. */
  readonly reply?: string | undefined
  /** The HTTP status, if there is one. */
  readonly status?: number | undefined
  /** The header fields and the beginning of the body that came with the status. */
  readonly response?: ErrorResponse | undefined
  /** The option of the library that may help, which the message names as adviceText() writes it. */
  readonly advice?: Advice | undefined
  /** True if trying again may help, since the cause is likely to pass. */
  readonly transient?: boolean
  /** Milliseconds that the server asks the client to wait before it tries again. */
  readonly retryAfter?: number | undefined
  /** The service that the URL names instead of data. */
  readonly handoff?: HandoffDetails | undefined
  /** The [start, end) of the wrong text within the URL as given. */
  readonly span?: readonly [number, number] | undefined
  readonly cause?: unknown
}

/** A program of this system that opens a URL. No shell runs it, so each argument is passed unchanged. */
export interface HandoffProgram {
  readonly program: string
  /** The arguments without the user. A password is never among them: the process list shows arguments to all users. */
  readonly args: readonly string[]
  /** The arguments that also tell the program the user; absent if the URL has no user or the program takes none. */
  readonly argsWithUser?: readonly string[]
  /** The package that brings the program, for people: `Debian's package inetutils-telnet`. */
  readonly install?: string
}

/** A service that a URL names, and the program with which a person can use it. */
export interface HandoffDetails extends HandoffProgram {
  /** The name of the service: `telnet`, or the scheme of the URL. */
  readonly service: string
  /** The host and its port; null if the URL names none. */
  readonly host: string | null
  readonly port: number | null
  /** The user that the URL suggests for the login. Untrusted text. */
  readonly user: string | null
  /** The password, shown as `***`; null if the URL gives none. */
  readonly password: string | null
  /** Other programs for the same service, if the system does not have the first. */
  readonly alternatives?: readonly HandoffProgram[]
}

/** The parts of an error response that help people. Untrusted text. */
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
  /** The new URL as the server wrote it; its secrets are hidden. */
  readonly location: string
}

/**
 * The only error class. `code` says what happened, and errorCodes lists all codes; `phase` says when; `message` tells
 * people what happened, where, and what to do next. `message` and `url` contain no secrets; `cause` is kept unchanged.
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
  /** The redirects that were followed before the error, in order; the client sets them. */
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
   * Rebuilds the error that toJSON() described, in another thread or process: of an error, structuredClone() keeps only
   * message, stack and causes.
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

  /** Whether a value is a RetrievalError, even one of another copy of the package (another bundle or realm). */
  static is(value: unknown): value is RetrievalError {
    return value instanceof Error && value.name === 'RetrievalError' && 'code' in value && 'phase' in value
  }
}
