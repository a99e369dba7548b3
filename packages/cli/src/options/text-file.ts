import { readFileSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'

/** The text of the file that follows `@` in an option; `-` is standard input. Throws `file-failed`. */
export function readTextFile(option: string, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    const message = `${option} @${file} cannot be read (${(cause as NodeJS.ErrnoException).code}).`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  }
}
