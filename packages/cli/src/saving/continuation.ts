import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { Representation, ResumePoint } from '@retriever/fetchers'
import type { ContinueAt } from '../options/transfer.ts'
import { tryFile, writeFailed } from './destination.ts'

/** The length of the file that the retrieval continues. Throws `write-failed` if it cannot be continued. */
export function startIn(path: string, at: ContinueAt): number {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file !== undefined && !file.isFile()) throw writeFailed(path, 'only a regular file can be continued, not a link')
  const size = file?.size ?? 0
  if (at === 'end' || at === size || file === undefined) return at === 'end' ? size : at
  throw writeFailed(path, `it has ${size} octets, but -C says ${at}; use -C - to continue where it ends`)
}

/** The end of a file whose version is unknown: its last octets and its date, which are compared with the resource. */
export function unverifiedEnd(path: string, length: number): ResumePoint {
  const tail = new Uint8Array(Math.min(length, 4096))
  return tryFile(path, () => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const read = readSync(file, tail, 0, tail.length, length - tail.length)
      return { offset: length, tail: tail.subarray(0, read), since: fstatSync(file).mtime }
    } finally {
      closeSync(file)
    }
  })
}

/**
 * Where to resume a file that may be whole. It is whole if it has both the size and the date of the resource, as in
 * `mirror`. Returns 0 if no server gives such a date, because it has a fraction of a second, or if the file may have
 * changed since (threats.md R10).
 */
export function endOfWhole(path: string, length: number): ResumePoint | 0 {
  const { mtime, mtimeMs } = tryFile(path, () => lstatSync(path))
  const isSettled = mtimeMs % 1000 === 0 && Date.now() - mtimeMs >= 60_000
  return isSettled ? { offset: length, size: length, modified: mtime } : 0
}

/**
 * Throws if the server sends the whole resource instead of the rest, and it is shorter than the file that it would
 * replace.
 */
export function checkNotShorter(path: string, start: number, { offset, size, url }: Representation): void {
  if (offset > 0 || size === null || size >= start) return
  const message = `${path} cannot be continued: it has ${start} octets, and ${url} has only ${size}.`
  throw new RetrievalError('resume-failed', message, { phase: 'save', url })
}

/**
 * The octets of the resource from `start` on, even if the server began earlier. Rejects with `resume-failed` if the
 * resource ends before `start`.
 */
export async function* octetsFrom(representation: Representation, start: number): AsyncGenerator<Uint8Array> {
  let at = representation.offset
  for await (const chunk of representation) {
    if (at + chunk.length > start) yield at < start ? chunk.subarray(start - at) : chunk
    at += chunk.length
  }
  if (at >= start) return
  const message = `${representation.url}: It has ${at} octets, so there are none from ${start} on.`
  throw new RetrievalError('resume-failed', message, { phase: 'body', url: representation.url })
}
