import { STATUS_CODES } from 'node:http'
import { type ErrorCode, RetrievalError } from '@retriever/core'
import type { Answer, FieldLine } from './answer.ts'
import { escaped, ownPage, ownPageLines, prefersHtml } from './html.ts'

/** The status for each error that did not come with one of its own. */
const statusOf: Readonly<Record<ErrorCode, number>> = {
  'unknown-scheme': 501,
  'no-fetcher': 501,
  handoff: 501,
  'malformed-url': 400,
  'invalid-option': 400,
  'form-required': 422,
  'no-server': 502,
  'host-not-found': 502,
  'connect-failed': 502,
  'protocol-violation': 502,
  refused: 403,
  'access-denied': 403,
  partial: 502,
  'server-refused': 502,
  'http-error': 502,
  'write-failed': 500,
  timeout: 504,
  'range-refused': 416,
  'resume-failed': 416,
  'tls-failed': 502,
  'file-failed': 500,
  'checksum-failed': 502,
  'too-many-redirects': 502,
  'receive-failed': 502,
  certificate: 502,
  'limit-exceeded': 502,
  'auth-required': 401,
  'auth-failed': 401,
  'not-found': 404,
  'not-modified': 304,
  aborted: 503,
}

/** An error of the gateway itself, with its status and further fields. */
export class Refusal extends Error {
  readonly status: number
  readonly lines: readonly FieldLine[]

  constructor(status: number, message: string, lines: readonly FieldLine[] = []) {
    super(message)
    this.status = status
    this.lines = lines
  }
}

/** What clients are told of an error. */
export interface Problem {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly lines: readonly FieldLine[]
  /** The error; null for one of the gateway itself. */
  readonly error: RetrievalError | null
}

/** Says what an error is. */
export function problemOf(error: unknown, messageOf: (error: RetrievalError) => string): Problem {
  const known = error instanceof Refusal || RetrievalError.is(error) ? error : defect()
  // Offline, a URL that is not there may well exist (RFC 9111 5.2.1.7).
  const status = known instanceof Refusal ? known.status : known.status === 504 ? 504 : statusOf[known.code]
  const title = STATUS_CODES[status] ?? 'Error'
  if (known instanceof Refusal) return { status, title, detail: known.message, lines: known.lines, error: null }
  return { status, title, detail: messageOf(known), lines: linesOf(known), error: known }
}

/** The answer for an error: problem details (RFC 9457), or a small page if the client prefers one. */
export function problem(
  error: unknown,
  accept: string | undefined,
  messageOf: (error: RetrievalError) => string,
): Answer {
  const { status, title, detail, lines, error: known } = problemOf(error, messageOf)
  if (prefersHtml(accept)) {
    const page = ownPage(`${status} ${title}`, `<p>${escaped(detail)}</p>\n`)
    return { status, lines: [...lines, ...ownPageLines], body: page }
  }
  const { code, phase, url, reply } = known ?? nothing
  const members = { type: 'about:blank', title, status, detail, code, phase, url, reply }
  const body = `${JSON.stringify(members, null, 2)}\n`
  return { status, lines: [...lines, ['Content-Type', 'application/problem+json']], body }
}

const nothing = { code: undefined, phase: undefined, url: undefined, reply: undefined }

/** A defect: its own message may hold anything. */
function defect(): Refusal {
  return new Refusal(500, 'The gateway failed; please report it.')
}

function linesOf({ code, retryAfter, url }: RetrievalError): FieldLine[] {
  const lines: FieldLine[] = []
  if (retryAfter !== undefined) lines.push(['Retry-After', String(Math.ceil(retryAfter / 1000))])
  if (code === 'auth-required' || code === 'auth-failed') {
    const realm = /^[a-z][\w+.-]*:\/\/(?:[^/?#@]*@)?([\w.:[\]-]+)/i.exec(url ?? '')?.[1] ?? 'server'
    lines.push(['WWW-Authenticate', `Basic realm="${realm}", charset="UTF-8"`])
  }
  return lines
}
