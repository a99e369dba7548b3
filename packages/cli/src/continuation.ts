import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { Representation, ResumePoint } from '@retriever/fetchers'
import { attempt, writeFailed } from './destination.ts'
import type { ContinueAt } from './request.ts'

/** How many octets the file has that the retrieval is to go on with. Throws `write-failed` where it cannot. */
export function startIn(path: string, at: ContinueAt): number {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file !== undefined && !file.isFile()) throw writeFailed(path, 'only a regular file can be continued, and no link')
  const size = file?.size ?? 0
  if (at === 'end' || at === size) return size
  throw writeFailed(path, `it has ${size} octets, and -C says ${at}; -C - goes on where it ends`)
}

/** As many octets as a server is asked for again. */
const tailLength = 4096

/**
 * Where the retrieval goes on, with what a server can compare: when the file was written, and the last of its octets.
 */
export function pointIn(path: string, start: number): number | ResumePoint {
  if (start === 0) return 0
  const tail = Buffer.alloc(Math.min(start, tailLength))
  const file = attempt(path, () => openSync(path, 'r'))
  try {
    const read = attempt(path, () => readSync(file, tail, 0, tail.length, start - tail.length))
    return { offset: start, tail: new Uint8Array(tail.subarray(0, read)), since: fstatSync(file).mtime }
  } finally {
    closeSync(file)
  }
}

/**
 * The octets of the resource from `start` on: a server that cannot begin there sends what comes before as well. Rejects with
 * `range-refused` where there are fewer.
 */
export async function* octetsFrom(representation: Representation, start: number): AsyncGenerator<Uint8Array> {
  let at = representation.offset
  for await (const chunk of representation) {
    if (at + chunk.length > start) yield at < start ? chunk.subarray(start - at) : chunk
    at += chunk.length
  }
  if (at >= start) return
  const message = `${representation.url}: It has ${at} octets, so there are none from ${start} on.`
  throw new RetrievalError('range-refused', message, { phase: 'body', url: representation.url })
}
