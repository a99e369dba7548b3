import { octetsToText, printable } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { AnswerError, type Diagnostic, readAnswer, type WaisAnswer } from './answer.ts'
import type { WaisDialogue } from './packets.ts'

/** Sends a request and reads its answer. */
export async function searchAnswer(
  request: string,
  phase: 'request' | 'body',
  dialogue: WaisDialogue,
  context: RetrievalContext,
): Promise<WaisAnswer> {
  const apdu = await dialogue.ask(request, phase)
  try {
    return readAnswer(apdu)
  } catch (cause) {
    if (!(cause instanceof AnswerError)) throw cause
    throw context.error('protocol-violation', `The server's answer is damaged: ${cause.message}.`, { phase, cause })
  }
}

/** The server's words for people: `S1 query syntax error`. */
export function wordsOf({ code, words }: Diagnostic): string {
  return printable(octetsToText(`${code} ${words}`.trim())).slice(0, 300)
}
