import { readFileSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import { whyUnreadable } from '@retriever/fetchers/internal'

/**
 * The octets of a file; `-` is standard input. Messages name it as `typed`, the option with the file. Throws
 * `file-failed`.
 */
export function readOptionFile(file: string, typed: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch (cause) {
    const message = `${typed} cannot be read: ${whyUnreadable(cause)}.`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  }
}

/** The text of the file that follows `@` in an option; `-` is standard input. Throws `file-failed`. */
export function readOptionText(option: string, file: string): string {
  return readOptionFile(file, `${option} @${file}`).toString()
}
