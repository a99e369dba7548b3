import { addAbortSignal } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { extractUrls, RetrievalError } from '@retriever/core'
import type { Run } from '../run.ts'
import type { Streams } from '../terminal/streams.ts'
import { nameOf, openText, readText, unreadable } from '../text-file.ts'

/** One URL of a list. */
export interface Listed {
  readonly operand: string
  /** The name that the list gives to the file; null if it gives none. */
  readonly name: string | null
}

/** The longest line. Servers take far shorter URLs, but those of `data:` may be long. */
const maxLine = 1024 * 1024

/**
 * Reads a list, only as far as it is asked for. A line has a URL, and after a TAB the name of its file, if that
 * is not the URL's. Blank lines and lines that begin with `#` are skipped. Rejects with `file-failed`.
 */
export async function* readList(file: string, streams: Streams, signal: AbortSignal): AsyncGenerator<Listed> {
  // A list typed at a terminal is read to its end first, since prompts must not share standard input with it.
  const isTyped = file === '-' && streams.stdin.isTTY
  const lines = isTyped ? (await readText(file, streams, signal)).split('\n') : linesOf(file, streams, signal)
  for await (const line of lines) {
    const [operand = '', name = null] = line.trim().split(/\t+/)
    if (operand !== '' && !operand.startsWith('#')) yield { operand, name }
  }
}

/** The URLs in a text, in order. Malformed ones are reported. */
export async function* readFromText(file: string, { output, report, signal }: Run): AsyncGenerator<Listed> {
  for (const { url, span, error } of extractUrls(await readText(file, output.streams, signal))) {
    if (error === null) yield { operand: url, name: null }
    else report.notice({ operand: `Characters ${span.join(' to ')}`, message: error })
  }
}

async function* linesOf(file: string, streams: Streams, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for await (const chunk of addAbortSignal(signal, openText(file, streams))) {
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLine) throw tooLong(file)
      yield* lines
    }
  } catch (cause) {
    if (signal.aborted || RetrievalError.is(cause)) throw cause
    throw unreadable(nameOf(file), cause)
  }
  yield rest + decoder.end()
}

function tooLong(file: string): RetrievalError {
  const message = `${nameOf(file)} is no list of URLs: it has a line of more than 1 MiB.`
  return new RetrievalError('limit-exceeded', message, { phase: 'resolve' })
}
