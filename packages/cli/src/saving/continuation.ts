import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { Representation, ResumePoint } from '@retriever/fetchers'
import type { ContinueAt } from '../options/transfer.ts'
import { attempt, writeFailed } from './destination.ts'

/** How many octets the file has that the retrieval is to go on with. Throws `write-failed` where it cannot. */
export function startIn(path: string, at: ContinueAt): number {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file !== undefined && !file.isFile()) throw writeFailed(path, 'only a regular file can be continued, and no link')
  const size = file?.size ?? 0
  if (at === 'end' || at === size) return size
  throw writeFailed(path, `it has ${size} octets, and -C says ${at}; -C - goes on where it ends`)
}

/** The last octets of those that the file has up to `length`, and when they were written: for a comparison. */
export function tailOf(path: string, length: number): Required<Pick<ResumePoint, 'tail' | 'since'>> {
  const tail = new Uint8Array(Math.min(length, 4096))
  return attempt(path, () => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const read = readSync(file, tail, 0, tail.length, length - tail.length)
      return { tail: tail.subarray(0, read), since: fstatSync(file).mtime }
    } finally {
      closeSync(file)
    }
  })
}

/**
 * Throws where the whole comes in place of the rest, and is shorter than the file that it would replace: whatever that
 * holds, it is no beginning of this.
 */
export function checkNotShorter(path: string, start: number, { offset, size, url }: Representation): void {
  if (offset > 0 || size === null || size >= start) return
  const advice = 'leave -C out to replace it, or name another file'
  const message = `${path} cannot be continued: it has ${start} octets, and ${url} has only ${size}; ${advice}.`
  throw new RetrievalError('resume-failed', message, { phase: 'save', url })
}

/**
 * The octets of the resource from `start` on: a server that cannot begin there sends what comes before as well. Rejects with
 * `resume-failed` where there are fewer.
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
