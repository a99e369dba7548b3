import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { Representation } from '@retriever/fetchers'
import { whyUnreadable } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import type { GivenOptions } from '../options/option.ts'
import { checkTarget } from './destination.ts'
import { ownPath } from './own-file.ts'
import { replaceFile } from './replace-file.ts'

/** The entity tag in the file of --etag-compare. */
export interface ComparedEtag {
  /** The entity tag; null if there is none yet, or it is damaged. */
  readonly tag: string | null
  /** The file, if it holds anything but an entity tag. */
  readonly damaged: string | null
}

/** An entity tag (RFC 9110 8.8.3). */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7E\x80-\xFF]*"$/
/** The most octets of the file that are read, the limit of a header section. A longer file holds no entity tag. */
const maxLength = 64 * 1024

/** Reads the file of --etag-compare. Throws `invalid-option` if the file cannot be read. */
export function readEtag(line: EtagOptions, count: number): ComparedEtag {
  const file = fileOf(line, 'etag-compare', count)
  const text = file === null ? '' : contentOf(file).trim()
  if (text === '' || entityTag.test(text)) return { tag: text || null, damaged: null }
  return { tag: null, damaged: file }
}

/** The file of --etag-save; null if it is not given. Throws `invalid-option`. */
export function readEtagFile(line: EtagOptions, count: number): string | null {
  return fileOf(line, 'etag-save', count)
}

/** Throws `write-failed` if no tag could be written to this file. */
export function checkEtagFile(file: string): void {
  checkTarget(file, true, false)
  ownPath(file)
}

/**
 * Writes the entity tag of a complete response; the tag of a range says nothing about the rest. As in curl, the file is
 * empty if there is no valid tag. An existing file keeps its content until the new one is complete.
 */
export function saveEtag(file: string | null, representation: Representation): void {
  const { etag } = representation
  if (file === null || representation.mechanism !== 'http' || representation.metadata.status !== 200) return
  const content = etag === null || !entityTag.test(etag) ? '' : `${etag}\n`
  replaceFile(file, content, 0o666)
}

type EtagOptions = GivenOptions<'etag-compare' | 'etag-save' | 'from'>

/** The file that the option names; null if it is not given. `count` is how many URLs there are. */
function fileOf(line: EtagOptions, option: 'etag-compare' | 'etag-save', count: number): string | null {
  const file = line.value(option)
  if (file === undefined) return null
  if (file === '') throw usageError(`--${option} needs the name of a file.`)
  if (count > 1) throw usageError(`--${option} goes with one URL, and ${count} are given.`)
  if (line.has('from')) throw usageError(`--${option} goes with one URL, and --from gives many.`)
  return file
}

/** The content of the file, up to the limit. This does not wait for a FIFO. */
function contentOf(file: string): string {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      if (!fstatSync(descriptor).isFile())
        throw usageError(`--etag-compare ${file} is no regular file; name the file that --etag-save wrote.`)
      const buffer = Buffer.alloc(maxLength)
      return buffer.toString('latin1', 0, readSync(descriptor, buffer))
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    if (RetrievalError.is(error)) throw error
    throw usageError(`--etag-compare ${file} cannot be read: ${whyUnreadable(error)}.`)
  }
}
