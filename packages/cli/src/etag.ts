import { readFileSync, writeFileSync } from 'node:fs'
import type { Representation } from '@retriever/fetchers'
import { attempt } from './destination.ts'
import { usageError } from './exit-codes.ts'
import type { CommandLine } from './parse.ts'

/** The entity tag in the file of --etag-compare; null where there is none yet. Throws `invalid-option`. */
export function readEtag(line: CommandLine): string | null {
  const file = fileOf(line, 'etag-compare')
  if (file === null) return null
  const text = contentOf(file).trim()
  // RFC 9110 8.8.3; octets beyond ASCII are allowed there, but nobody sends them.
  if (text === '' || /^(?:W\/)?"[\x21\x23-\x7E]*"$/.test(text)) return text || null
  throw usageError(`--etag-compare ${file} holds no entity tag, such as "5f3a"; name the file that --etag-save wrote.`)
}

/** The file of --etag-save, or null. Throws `invalid-option`. */
export function readEtagFile(line: CommandLine): string | null {
  return fileOf(line, 'etag-save')
}

/**
 * Writes it where the whole has come: a part proves nothing of the rest. Empty where the server gives none, as curl
 * does.
 */
export function saveEtag(file: string | null, { etag, metadata }: Representation): void {
  if (file === null || metadata.status !== 200) return
  attempt(file, () => writeFileSync(file, etag === null ? '' : `${etag}\n`, 'latin1'))
}

function fileOf(line: CommandLine, option: 'etag-compare' | 'etag-save'): string | null {
  const file = line.value(option)
  if (file === undefined) return null
  if (file === '') throw usageError(`--${option} needs the name of a file.`)
  if (line.operands.length > 1) throw usageError(`--${option} is of one URL, and there are ${line.operands.length}.`)
  return file
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw usageError(`--etag-compare ${file} cannot be read (${code}).`)
  }
}
