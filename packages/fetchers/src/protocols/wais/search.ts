import { octetsToText, printable } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { AnswerError, type Diagnostic, readAnswer, type WaisAnswer } from './answer.ts'

/** Reads the records of an answer. */
export function recordsOf(apdu: Buffer, phase: 'request' | 'body', context: RetrievalContext): WaisAnswer {
  try {
    return readAnswer(apdu)
  } catch (cause) {
    if (!(cause instanceof AnswerError)) throw cause
    throw context.error('protocol-violation', `The server's answer is damaged: ${cause.message}.`, { phase, cause })
  }
}

/** Shows the server's words to people: `S1 query syntax error`. */
export function wordsOf({ code, words }: Diagnostic): string {
  return printable(octetsToText(`${code} ${words}`.trim())).slice(0, 300)
}
