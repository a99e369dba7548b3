import type { ErrorDetails, RetrievalError } from './errors.ts'
import { redact } from './secrets/redact.ts'

/** A RetrievalError as plain data; members that the error does not have are absent. */
export interface ErrorJson extends Omit<ErrorDetails, 'cause'>, Pick<RetrievalError, 'code' | 'message'> {
  readonly name: 'RetrievalError'
  /** Absent if no redirect was followed. */
  readonly redirects?: RetrievalError['redirects']
  readonly cause?: CauseJson
}

/** The cause of an error, as plain data. */
export interface CauseJson {
  /** The name of the error's class; for a thrown value that is no Error, its type. */
  readonly name: string
  /** At most 1000 characters, without secrets. */
  readonly message: string
  /** A system's code, such as `ECONNREFUSED`. */
  readonly code?: string
  readonly cause?: CauseJson
}

/** The longest chain of causes that is kept. The limit also ends a chain that loops. */
const maxCauses = 5
const maxMessage = 1000

/** The error as plain data, without secrets. */
export function errorJson(error: RetrievalError): ErrorJson {
  const { name, code, message, phase, url, reply, status, response, transient, retryAfter } = error
  const { handoff, advice, span, redirects, cause } = error
  const optional = {
    ...{ url, reply, status, response, retryAfter, handoff, advice, span },
    transient: transient || undefined,
    redirects: redirects[0] && redirects,
    cause: cause === undefined ? undefined : causeJson(cause, maxCauses),
  }
  const present = Object.entries(optional).filter(([, value]) => value !== undefined)
  return { name, code, message, phase, ...Object.fromEntries(present) }
}

function causeJson(value: unknown, left: number): CauseJson {
  // A thrown object may hold secrets, so only a primitive value is shown.
  if (!(value instanceof Error)) return { name: typeof value, message: shown(Object(value) === value ? '' : value) }
  const { name, message, cause } = value
  const { code } = value as { code?: unknown }
  return {
    name,
    message: shown(message),
    ...(typeof code === 'string' && { code }),
    ...(cause !== undefined && left > 1 && { cause: causeJson(cause, left - 1) }),
  }
}

/** Rebuilds the cause that causeJson() described. */
export function causeFrom({ name, message, code, cause }: CauseJson): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: causeFrom(cause) })
  return Object.assign(error, { name, ...(code !== undefined && { code }) })
}

function shown(message: unknown): string {
  return redact(String(message)).slice(0, maxMessage)
}
