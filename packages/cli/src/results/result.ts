import { type Finding, type FollowedRedirect, RetrievalError, redact } from '@retriever/core'
import { type ServerState, serverStateOf, type TlsFacts } from '@retriever/fetchers/internal'
import { exitCodeOf } from '../exit-codes.ts'
import { shownFinding } from '../options/option-hints.ts'
import { type ErrorRecord, errorRecord } from '../terminal/report.ts'
import { type Facts, statusOf } from '../write-out/facts.ts'

/** The object of --json for one URL: docs/json.md. All members are always there; null means unknown or absent. */
export interface Result {
  /** The URL as it was typed, without secrets. */
  readonly url: string
  /** The URL after redirects. */
  readonly finalUrl: string | null
  /**
   * `not-modified`: the condition of -z or --etag-compare was not met, so nothing came. `deleted`: mirror deleted the
   * file.
   */
  readonly outcome: 'retrieved' | 'not-modified' | 'skipped' | 'failed' | 'deleted'
  /** The exit status that this URL alone would give the command. */
  readonly exit: number
  /** The status of HTTP, or the code of the last reply of FTP and News. */
  readonly status: number | null
  readonly mediaType: string | null
  /** The octets of the whole saved file, or of the body. */
  readonly size: number | null
  readonly modified: string | null
  /** With --sha256, the checksum of these octets. */
  readonly sha256: string | null
  readonly seconds: number | null
  /** The file that was saved. */
  readonly file: string | null
  readonly redirects: readonly FollowedRedirect[]
  readonly tls: TlsFacts | null
  readonly findings: readonly ShownFinding[]
  readonly error: ErrorRecord | null
  /** Of several URLs: the server that caused the error, if it takes no requests now. */
  readonly server: ServerRecord | null
}

/** The state of a server, as the line of a URL has it. */
interface ServerRecord extends Omit<ServerState, 'until'> {
  /** The time when it is asked again. */
  readonly until: string
}

type ShownFinding = Omit<Finding, 'remedy' | 'advice'>

/** A URL whose retrieval has ended. */
export interface Done {
  readonly operand: string
  readonly facts: Facts
  /** Why the retrieval failed; null if it did not. */
  readonly error: unknown
}

export function resultOf({ operand, facts, error }: Done): Result {
  const isUnmodified = RetrievalError.is(error) && error.code === 'not-modified'
  const isFailed = error !== null && !isUnmodified
  const { representation, file, hash, timings } = facts
  const came = error === null ? representation : null
  const redirects = came?.redirects ?? (RetrievalError.is(error) ? error.redirects : [])
  return {
    url: redact(operand),
    finalUrl: came?.url ?? (facts.url || null),
    outcome: isFailed ? 'failed' : isUnmodified ? 'not-modified' : 'retrieved',
    exit: isFailed ? exitCodeOf(error) : 0,
    status: statusOf(facts, error) || null,
    mediaType: came?.mediaType ?? null,
    size: came === null ? null : (facts.size ?? came.size ?? (facts.received || null)),
    modified: came?.modified?.toISOString() ?? null,
    sha256: came === null ? null : (hash?.hex() ?? null),
    seconds: timings?.ended == null ? null : Math.round(timings.ended * 1000) / 1e6,
    file: came === null ? null : file,
    redirects: redirects.map(({ url, status, location }) => ({ url, status, location })),
    tls: facts.tls,
    findings: facts.findings.map(shownFinding),
    error: isFailed ? errorRecord(error) : null,
    server: serverOf(error),
  }
}

function serverOf(error: unknown): ServerRecord | null {
  const state = serverStateOf(error)
  return state === null ? null : { ...state, until: state.until.toISOString() }
}
