import type { ErrorDetails, RetrievalError } from './errors.ts'
import { redact } from './secrets/redact.ts'

/** A RetrievalError as plain data; members that it does not have are absent. */
export interface ErrorJson extends Omit<ErrorDetails, 'cause'>, Pick<RetrievalError, 'code' | 'message'> {
  readonly name: 'RetrievalError'
  /** Absent where there was none. */
  readonly redirects?: RetrievalError['redirects']
  readonly cause?: CauseJson
}

/** What led to an error, as plain data. */
export interface CauseJson {
  /** The name of the error's class; for other values, their type. */
  readonly name: string
  /** At most 1000 characters, without secrets. */
  readonly message: string
  /** A system's code, such as `ECONNREFUSED`. */
  readonly code?: string
  readonly cause?: CauseJson
}

/** The longest chain of causes; one that leads back to itself ends here, too. */
const maxCauses = 5
const maxMessage = 1000

/** The error as plain data, without secrets. */
export function errorJson(error: RetrievalError): ErrorJson {
  const { name, code, message, phase, url, reply, status, response, transient, retryAfter } = error
  const { handoff, advice, span, redirects, cause } = error
  return {
    name,
    code,
    message,
    phase,
    ...(url !== undefined && { url }),
    ...(reply !== undefined && { reply }),
    ...(status !== undefined && { status }),
    ...(response !== undefined && { response }),
    ...(transient && { transient }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(handoff !== undefined && { handoff }),
    ...(advice !== undefined && { advice }),
    ...(span !== undefined && { span }),
    ...(redirects.length > 0 && { redirects }),
    ...(cause !== undefined && { cause: causeJson(cause, maxCauses) }),
  }
}

function causeJson(value: unknown, left: number): CauseJson {
  if (!(value instanceof Error)) return { name: typeof value, message: shown(describe(value)) }
  const { name, message, cause } = value
  const code = 'code' in value && typeof value.code === 'string' ? { code: value.code } : {}
  return {
    name,
    message: shown(message),
    ...code,
    ...(cause !== undefined && left > 1 && { cause: causeJson(cause, left - 1) }),
  }
}

/** Only a text is shown: an object may hold anything. */
function describe(value: unknown): string {
  return typeof value === 'object' || typeof value === 'function' ? '' : String(value)
}

function shown(message: string): string {
  return redact(message).slice(0, maxMessage)
}
