import { type ErrorCode, octetsToText, printable, RetrievalError } from '@retriever/core'
import { ftpLine } from '@retriever/core/internal'
import type { FTPResponse } from 'basic-ftp'
import type { ErrorExtras, RetrievalContext } from '../../../contract/fetcher.ts'
import { secretForms } from '../../../kit/text/secret-forms.ts'
import { type Reply, refusal, replyWords } from '../../../wire/framing/reply.ts'
import { receiveError } from '../../../wire/transport/socket-error.ts'

/**
 * A reply of RFC 959 4.2: three digits and text, on one line (`250 Done.`) or on several (`230-Welcome,`, `230 in.`),
 * which LF separates in `text`.
 */
export type { Reply }

/** Converts a reply that basic-ftp has parsed: one octet a character, without the codes. */
export function parsedReply({ code, message }: FTPResponse): Reply {
  const lines = message.replace(/\r/g, '').split('\n')
  return { code, text: lines.map((line) => withoutCode(line, String(code))).join('\n') }
}

/** Removes the code and the blank or hyphen after it from a line. Inner lines may have none. */
function withoutCode(line: string, code: string): string {
  if (!line.startsWith(code)) return line
  const mark = line[code.length]
  return line.slice(mark === ' ' || mark === '-' ? code.length + 1 : code.length)
}

/** Returns the reply on one line, for people. */
export function wordsOf({ code, text }: Reply): string {
  return replyWords({ code, text: text.replace(/\s+/g, ' ').trim() })
}

/** Whether the reply is 2yz: the command is done. */
export function isPositive({ code }: Reply): boolean {
  return code >= 200 && code < 300
}

/** Whether the reply is 5yz: the refusal is final. */
export function isPermanent({ code }: Reply): boolean {
  return code >= 500
}

/** Whether the server does not know the command, or has not implemented it (RFC 959 4.2.2). */
export function isUnknownCommand({ code }: Reply): boolean {
  return code === 500 || code === 502
}

export interface Meaning {
  readonly code: ErrorCode
  readonly advice: string
  /** Further members of the error, such as the option that the advice names. */
  readonly extras?: ErrorExtras
  /** Whether another try may succeed. Default: true for 4yz (RFC 959 4.2.1). */
  readonly transient?: boolean
}

/**
 * What a refusal means by its code alone (RFC 959 4.2.2, RFC 2228 5): the text differs from server to server, and 550
 * means both "no such file" and "permission denied".
 */
const meanings: Readonly<Record<number, Meaning>> = {
  421: { code: 'server-refused', advice: 'The server closes the connection; try again later' },
  430: { code: 'auth-failed', advice: 'Check user and password' },
  450: { code: 'server-refused', advice: 'It is in use or not available now; try again later' },
  530: { code: 'auth-failed', advice: 'The server wants another login' },
  532: { code: 'access-denied', advice: 'The server wants an account for it' },
  550: { code: 'not-found', advice: 'It does not exist, or may not be read; check the path' },
  553: { code: 'access-denied', advice: 'The server does not allow this name' },
}

/** Makes the error for a reply that refuses `what`. */
export function refusedByServer(
  context: RetrievalContext,
  reply: Reply,
  what: string,
  own?: Partial<Meaning>,
): RetrievalError {
  const meaning = meanings[reply.code]
  const code = own?.code ?? meaning?.code ?? 'server-refused'
  const advice = own?.advice ?? meaning?.advice ?? (reply.code < 500 ? 'Try again later' : undefined)
  const message = `The server refused ${what}.${advice === undefined ? '' : ` ${advice}.`} It said`
  const oneLine = { code: reply.code, text: reply.text.replace(/\s+/g, ' ').trim() }
  const transient = own?.transient ?? (code === 'server-refused' && reply.code < 500)
  return refusal(context, code, message, oneLine, { transient, ...own?.extras })
}

/** Makes the error for a reply that the protocol does not allow here. */
export function violation(context: RetrievalContext, message: string, words: string): RetrievalError {
  return context.error('protocol-violation', message, { reply: printable(words).slice(0, 300) })
}

/** Shows a name of the URL to people. */
export function shownName(octets: string): string {
  return `"${printable(octetsToText(octets))}"`
}

/**
 * Whether a value is read from this reply, such as a port or a size. It is then not masked, since it may hold the
 * digits of the password.
 */
export function isRead(verb: string | undefined, code: number): boolean {
  return /^(?:EPSV|PASV|SIZE|MDTM|PWD)$/.test(verb ?? '') && code >= 200 && code < 300
}

/** Whether the reply is 227, 228 or 229, the answers to PASV, LPSV and EPSV. */
export function isPassive({ code }: Reply): boolean {
  return code >= 227 && code <= 229
}

/** Makes the error for an unexpected reply. `words` hold no secrets. */
export function outOfStep(context: RetrievalContext, words: string): RetrievalError {
  const shown = printable(words).slice(0, 300)
  const message = `The server sent an unexpected reply ("${shown}"); the connection was closed.`
  return violation(context, message, shown)
}

/** Makes the error for a control connection that has ended. `cause` is basic-ftp's error. */
export function controlLost(
  context: RetrievalContext,
  cause: Error | FTPResponse,
  isWithinReply: boolean,
): RetrievalError {
  if (RetrievalError.is(cause)) return cause
  if (cause instanceof Error && 'code' in cause && cause.code !== '0') return receiveError(context, cause)
  const within = isWithinReply ? ' within a reply' : ''
  return context.error('receive-failed', `The server closed the control connection${within}; try again.`, {
    transient: true,
    cause,
  })
}

/**
 * Waits for a reply for less time than the deadline allows, if there is another way to continue. Rejects with
 * `receive-failed` and `words` after `milliseconds`, or after half the idle timeout if that is less.
 */
export function withReplyTimeout<T>(
  context: RetrievalContext,
  pending: Promise<T>,
  milliseconds: number,
  words: string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = Math.min(milliseconds, context.limits.idleTimeout / 2)
    const timer = setTimeout(() => reject(context.error('receive-failed', words)), limit)
    pending.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Returns the part of a command that may always be shown: the argument may be a password. */
export function verbOf(command: string): string {
  return command.split(' ')[0] ?? command
}

/**
 * The arguments of PASS and ACCT. If servers do not understand a command, they repeat it, at once or later: `500 'PASS
 * secret': ...`.
 */
export class Secrets {
  readonly #secrets: string[] = []
  #forms: readonly string[] = []

  /** Returns a command as it may be shown, with its line end. Masks its secret from now on. */
  shown(command: string): string {
    const verb = verbOf(command)
    if (verb !== 'PASS' && verb !== 'ACCT') return ftpLine(command)
    const secret = command.slice(verb.length + 1)
    this.#secrets.push(ftpLine(secret).slice(0, -2), secret)
    this.#forms = secretForms(...this.#secrets)
    return `${verb} <password>\r\n`
  }

  masked(octets: string): string {
    return this.#forms.reduce((shown, secret) => shown.replaceAll(secret, '<password>'), octets)
  }
}
