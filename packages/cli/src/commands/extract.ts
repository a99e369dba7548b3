import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { type ExtractedUrl, extractUrls, printable, RetrievalError } from '@retriever/core'
import { systemReason } from '@retriever/fetchers'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'
import { guessedDecoder } from '../terminal/text-guess.ts'

/** The longest text that is read: a book has about 1 MiB, and a longer file is hardly text. */
const maxText = 64 * 1024 * 1024
/** The number of characters that are printed at once. */
const batch = 64 * 1024

/** `retrieve extract [FILE|-]`: prints the URLs of a text, in order. Malformed URLs are reported on standard error. */
export async function extract({ config, output, report, signal }: Run): Promise<number> {
  const [file = '-', ...others] = config.operands
  if (others.length > 0) throw usageError('extract reads one file. To read several: cat FILE... | retrieve extract')
  let lines = ''
  for (const found of extractUrls(await readText(file, signal))) {
    if (config.json) lines += jsonLine(record(found))
    else if (found.error === null) lines += `${printable(found.url)}\n`
    else report.notice({ operand: `Characters ${found.span.join(' to ')}`, message: found.error })
    if (lines.length < batch) continue
    await output.write(lines)
    lines = ''
  }
  if (lines !== '') await output.write(lines)
  return 0
}

/** Spans count UTF-16 code units, like JavaScript strings and the spans of `explain --json`. */
function record({ url, alternates, span, form, error }: ExtractedUrl): Record<string, unknown> {
  return { url, alternates, span, form, error }
}

/** The text of a file, or of standard input (`-`), in the charset that it seems to have. */
export async function readText(file: string, signal: AbortSignal): Promise<string> {
  const name = file === '-' ? 'Standard input' : file
  const octets = await readAll(file === '-' ? process.stdin : createReadStream(file), name, signal)
  return guessedDecoder(octets, true).decode(octets)
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
  const message = `${name} has more than 64 MiB, the most that extract reads; split it first.`
  return new RetrievalError('limit-exceeded', message, { phase: 'body' })
}

/** Reasons worded for a file that is read. */
const reasons: Readonly<Record<string, string>> = { EISDIR: 'it is a directory', ENOENT: 'there is no such file' }

function unreadable(name: string, cause: unknown): RetrievalError {
  const { code = '' } = cause as NodeJS.ErrnoException
  const message = `${name} cannot be read: ${reasons[code] ?? systemReason(cause) ?? String(cause)}.`
  return new RetrievalError('file-failed', message, { phase: 'resolve', cause })
}
