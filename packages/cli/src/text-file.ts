import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { RetrievalError } from '@retriever/core'
import { whyUnreadable } from '@retriever/fetchers/internal'
import type { Streams } from './terminal/streams.ts'
import { guessedDecoder } from './terminal/text-guess.ts'

/** The longest text that is read as a whole. A book has about 1 MiB, and a longer file is hardly text. */
const maxText = 64 * 1024 * 1024

/** A text of unknown charset, from a file, or from standard input if the name is `-`. Rejects with `file-failed`. */
export async function readText(file: string, streams: Streams, signal: AbortSignal): Promise<string> {
  const name = nameOf(file)
  const octets = await readAll(openText(file, streams), name, signal)
  return guessedDecoder(octets, true).decode(octets)
}

/** Opens a file, or standard input for `-`. */
export function openText(file: string, streams: Streams): Readable {
  return file === '-' ? streams.stdin : createReadStream(file)
}

export function nameOf(file: string): string {
  return file === '-' ? 'Standard input' : file
}

async function readAll(stream: Readable, name: string, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of addAbortSignal(signal, stream)) {
      size += chunk.length
      if (size > maxText) throw tooLong(name)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (signal.aborted || RetrievalError.is(cause)) throw cause
    throw unreadable(name, cause)
  }
  return Buffer.concat(chunks)
}

function tooLong(name: string): RetrievalError {
  const message = `${name} has more than 64 MiB, the most that is read; split it first.`
  return new RetrievalError('limit-exceeded', message, { phase: 'body' })
}

/** The error for a file that cannot be read. */
export function unreadable(name: string, cause: unknown): RetrievalError {
  const message = `${name} cannot be read: ${whyUnreadable(cause)}.`
  return new RetrievalError('file-failed', message, { phase: 'resolve', cause })
}
