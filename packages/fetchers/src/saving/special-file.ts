import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readlink, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { orWriteFailed, writeFailed } from './local-file.ts'

/** A FIFO, a device, or an open descriptor of some process. We write to it and never replace it. */
export interface SpecialFile {
  readonly path: string
  /** The descriptor, such as `/proc/self/fd/1` for /dev/stdout. Null if the path itself is the FIFO or device. */
  readonly descriptor: string | null
}

/** Finds a special file. Returns null for a regular file, a directory, or a path that does not exist. */
export async function findSpecial(path: string): Promise<SpecialFile | null> {
  const descriptor = await descriptorOf(path)
  if (descriptor !== null) return { path, descriptor }
  const stats = await statOf(path)
  return stats === null || stats.isFile() || stats.isDirectory() ? null : { path, descriptor: null }
}

/** Writes only what the target takes at a time, so that an abort never waits for its reader. */
export async function writeSpecial(
  octets: AsyncIterable<Uint8Array>,
  target: SpecialFile,
  finished: Promise<void> | undefined,
): Promise<void> {
  const { path } = target
  let isOver = false
  void finished?.then(() => {
    isOver = true
  })
  const file = await openSpecial(target, () => isOver)
  try {
    if (file !== null) {
      for await (const chunk of octets)
        await orWriteFailed(path, () => writeAsRoomAllows(file, chunk, () => isOver), reasons)
    }
    // Throws why the retrieval ended.
    else for await (const _ of octets) break
  } finally {
    await file?.close().catch(() => {})
  }
}

/**
 * Opens a FIFO before anything is requested: if no program reads it, the body would be retrieved in vain. Close it
 * after the body is written; until then its reader waits. Returns null if the path is no FIFO. Rejects with
 * `write-failed`.
 */
export async function holdFifo(path: string): Promise<FileHandle | null> {
  if ((await statOf(path))?.isFIFO() !== true || (await descriptorOf(path)) !== null) return null
  const file = await openOnce(path, writeOnly)
  if (file === null) throw writeFailed(path, 'no program reads this FIFO; start its reader first')
  return file
}

const reasons: Readonly<Record<string, string>> = {
  EPIPE: 'its reader has gone',
  ENXIO: 'nothing listens there',
}

const nonBlocking = constants.O_NONBLOCK ?? 0
const writeOnly = constants.O_WRONLY | nonBlocking | (constants.O_NOCTTY ?? 0) | constants.O_NOFOLLOW

/** How many milliseconds pass between two checks whether a FIFO has a reader. */
const pollEvery = 20

/** Opens the target. Returns null if the retrieval ended before the FIFO had a reader. */
async function openSpecial({ path, descriptor }: SpecialFile, isOver: () => boolean): Promise<FileHandle | null> {
  const { O_WRONLY, O_APPEND } = constants
  if (descriptor !== null) return orWriteFailed(path, () => open(descriptor, O_WRONLY | O_APPEND | nonBlocking))
  while (!isOver()) {
    const file = await openOnce(path, writeOnly)
    if (file !== null) return file
    await wait(pollEvery)
  }
  return null
}

/** Opens the target once. Returns null for a FIFO without a reader. */
async function openOnce(path: string, flags: number): Promise<FileHandle | null> {
  const before = await statOf(path)
  if (before?.isSocket()) throw writeFailed(path, 'it is a socket')
  const file = await orWriteFailed(
    path,
    async () => {
      try {
        return await open(path, flags)
      } catch (error) {
        if (before?.isFIFO() && codeOf(error) === 'ENXIO') return null
        throw error
      }
    },
    reasons,
  )
  const stats = await file?.stat()
  if (file === null || stats === undefined || !stats.isFile()) return file
  await file.close()
  throw writeFailed(path, 'it has become a regular file; try again')
}

async function writeAsRoomAllows(file: FileHandle, chunk: Uint8Array, isOver: () => boolean): Promise<void> {
  for (let at = 0; at < chunk.length && !isOver(); ) {
    try {
      at += (await file.write(chunk, at)).bytesWritten
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error
      await wait(1)
    }
  }
}

const descriptorPath = /^\/(?:proc\/(?:self|\d+)\/fd|dev\/fd)\/\d+$/

/** Whether an absolute path is an open descriptor of some process, such as `/dev/fd/3`. */
export function isDescriptor(path: string): boolean {
  return descriptorPath.test(path)
}

/**
 * Returns the open descriptor of some process that the path is or leads to through links: /dev/stdout ->
 * /proc/self/fd/1. Null if there is none.
 */
async function descriptorOf(path: string): Promise<string | null> {
  // The system itself follows at most 40 links (path_resolution(7)).
  for (let at = resolve(path), hops = 0; hops < 40; hops++) {
    if (isDescriptor(at)) return at
    const target = await readlink(at).catch(() => null)
    if (target === null) return null
    at = resolve(dirname(at), target)
  }
  return null
}

async function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
