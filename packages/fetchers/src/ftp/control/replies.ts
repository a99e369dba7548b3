import { type ErrorCode, octetsToText, printable, type RetrievalError } from '@retriever/core'
import type { FTPResponse } from 'basic-ftp'
import type { ErrorExtras, RetrievalContext } from '../../plugin/fetcher.ts'
import { type Reply, refusal, replyWords } from '../../wire/framing/reply.ts'

/**
 * A reply of RFC 959 4.2: three digits and text, on one line (`250 Done.`) or on several (`230-Welcome,`, `230 in.`), which are
 * kept apart by LF in `text`.
 */
export type { Reply }

/** What basic-ftp has parsed, one octet a character, without the codes. */
export function readReply({ code, message }: FTPResponse): Reply {
  const marker = new RegExp(`^${code}[ -]?`)
  return {
    code,
    text: message
      .replace(/\r/g, '')
      .split('\n')
      .map((line) => line.replace(marker, ''))
      .join('\n'),
  }
}

/** The reply on one line, for people. */
export function wordsOf({ code, text }: Reply): string {
  return replyWords({ code, text: text.replace(/\s+/g, ' ').trim() })
}

/** 2yz: done. */
export function isPositive({ code }: Reply): boolean {
  return code >= 200 && code < 300
}

/** 5yz: no, and asking again does not help. */
export function isPermanent({ code }: Reply): boolean {
  return code >= 500
}

/** The command is not known, or not implemented: RFC 959 4.2.2. */
export function isUnknownCommand({ code }: Reply): boolean {
  return code === 500 || code === 502
}

export interface Meaning {
  readonly code: ErrorCode
  readonly advice: string
  /** What else the error has: the option that the advice names. */
  readonly extras?: ErrorExtras
  /** It may be granted another time. Default: what 4yz says (RFC 959 4.2.1). */
  readonly transient?: boolean
}

/**
 * What a refusal means, by its code alone (RFC 959 4.2.2, RFC 2228 5): the text differs from server to server, and 550 is both
 * "no such file" and "permission denied".
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

/** The error for a reply that refuses `what`; a reply that is no refusal does not belong here, and breaks the protocol. */
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

/** The error for words of the server that are not where the protocol has them. */
export function violation(context: RetrievalContext, message: string, words?: string): RetrievalError {
  const shown = words === undefined ? undefined : printable(words).slice(0, 300)
  return context.error('protocol-violation', message, shown === undefined ? {} : { reply: shown })
}

/** A name of the URL, for people. */
export function shownName(octets: string): string {
  return `"${printable(octetsToText(octets))}"`
}

/** Whether the reply says what is to be used, and stays as it is: the password may be `2`, and a port hold one. */
export function isRead(verb: string | undefined, code: number): boolean {
  return /^(?:EPSV|PASV|SIZE|MDTM|PWD)$/.test(verb ?? '') && code >= 200 && code < 300
}

/** 227, 228, 229: the answers to PASV, LPSV and EPSV. */
export function isPassive({ code }: Reply): boolean {
  return code >= 227 && code <= 229
}
