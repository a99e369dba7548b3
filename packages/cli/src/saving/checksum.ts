import { RetrievalError } from '@retriever/core'
import { fileNameOf } from '@retriever/fetchers'
import type { BodyHash, Checksum } from '@retriever/fetchers/internal'
import type { HashOptions } from '../options/checksum.ts'
import type { Retrieval } from '../retrieval.ts'

/** The URL whose body is saved. */
export type Saved = Pick<Retrieval, 'resolution' | 'index'>

/**
 * The sum that a body must have; null if any will do. A list of --checksum may name the file `path`, or the last part
 * of the URL.
 */
export function expectedSum(options: HashOptions | null, retrieval: Saved, path: string | null): Checksum | null {
  const named = fileNameOf(retrieval.resolution)
  const names = [path, named].filter((name) => name !== null)
  return options?.expected(retrieval.index, names) ?? null
}

/** Throws `checksum-failed` if the body, which went to standard output, has another sum. */
export function checkSum(expected: Checksum, hash: BodyHash, url: string): void {
  const { algorithm, value } = expected
  if (hash.hex() === value.toLowerCase()) return
  const message = `The ${algorithm} of the body is ${hash.hex()}, but should be ${value.toLowerCase()}: do not use it.`
  throw new RetrievalError('checksum-failed', message, { phase: 'save', url })
}
