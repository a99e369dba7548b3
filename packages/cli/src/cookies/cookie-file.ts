import { readFileSync, statSync } from 'node:fs'
import { octetsToText } from '@retriever/core'
import { tryFile } from '../saving/destination.ts'
import { writeInPlace } from '../saving/own-file.ts'
import { replaceFile } from '../saving/replace-file.ts'
import { showText } from '../terminal/terminal-text.ts'

/** The text of a cookie file, one octet a character. As in curl, a file that cannot be read counts as empty. */
export function readCookieFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Writes a cookie file; only its owner may read a new one. An existing file keeps its content until the new one is
 * complete. Throws `write-failed`.
 */
export function writeCookies(file: string, text: string): void {
  const stats = tryFile(file, () => statSync(file, { throwIfNoEntry: false }))
  if (stats === undefined || stats.isFile()) replaceFile(file, text, 0o600)
  else writeInPlace(file, Buffer.from(text, 'latin1'))
}

/** Makes the text of a cookie file safe for a terminal, since servers chose the names and values. */
export function shownCookies(text: string): string {
  return showText(octetsToText(text))
}
