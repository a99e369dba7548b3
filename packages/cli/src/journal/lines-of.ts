import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import { unreadable } from '../text-file.ts'
import { type Line, parseLine } from './line.ts'

const blockSize = 1024 * 1024
/** The longest line. A URL has at most 64 KiB, and JSON may escape each of its characters. */
const maxLine = 1024 * 1024
const newline = 0x0a

/** Where the whole lines of a journal end, and how many of them are damaged. */
export interface Extent {
  /** The position behind the last line that ends. A torn line may follow. */
  readonly end: number
  readonly damaged: number
}

/**
 * Reads a journal line by line, and calls `take` with each line and its position. A line without its end is left out:
 * a process or the machine stopped while it was written. Rejects with `file-failed`, also if the file is no journal.
 */
export async function readLines(path: string, take: (line: Line, at: number) => void): Promise<Extent> {
  let end = 0
  let damaged = 0
  const handle = (octets: Buffer): void => {
    const line = parseLine(octets.toString('utf8'))
    if (end === 0 && line?.event !== 'opened') throw noJournal(path)
    if (line === null) damaged++
    else take(line, end)
    end += octets.length + 1
  }
  let rest: Buffer = Buffer.alloc(0)
  for await (const block of blocksOf(path)) {
    const octets = rest.length === 0 ? block : Buffer.concat([rest, block])
    let from = 0
    for (let to = octets.indexOf(newline); to !== -1; to = octets.indexOf(newline, from)) {
      handle(octets.subarray(from, to))
      from = to + 1
    }
    rest = Buffer.from(octets.subarray(from))
    if (rest.length > maxLine) throw noJournal(path)
  }
  // The first line may be torn as well.
  if (end === 0 && !mayBegin(rest.toString('utf8'))) throw noJournal(path)
  return { end, damaged }
}

async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  try {
    // A FIFO would keep the command waiting, and be empty when it is read again.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = await file.stat()
      if (!stats.isFile() && !stats.isDirectory()) throw noJournal(path)
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(blockSize), 0, blockSize)
        if (bytesRead === 0) return
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw RetrievalError.is(cause) ? cause : unreadable(path, cause)
  }
}

const beginning = '{"event":"opened"'

/** Whether the text may be the beginning of a journal. A stopped machine may also leave zeros. */
function mayBegin(text: string): boolean {
  let end = text.length
  while (text.charCodeAt(end - 1) === 0) end--
  const written = text.slice(0, end)
  return written.startsWith(beginning) || beginning.startsWith(written)
}

function noJournal(path: string): RetrievalError {
  const message = `${path} is no journal of retrieve: name another file, or one that does not exist yet.`
  return new RetrievalError('file-failed', message, { phase: 'resolve' })
}
