import { fstatSync, type Stats, statSync, write, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { systemReason } from '@retriever/fetchers/internal'
import { writeFailed } from '../saving/destination.ts'
import type { OutputStream } from './streams.ts'

/** The reader of standard output or error is gone, as with `| head`. This ends the work, and is no failure. */
export class StdoutClosed extends Error {
  override readonly name = 'StdoutClosed'
}

/** Writes octets, and resolves once there is room for more. Rejects with StdoutClosed or `write-failed`. */
export type Sink = (octets: Uint8Array) => Promise<void>

/** Opens standard output: a file, a pipe or a terminal. */
export function openStdout(stdout: OutputStream, signal: AbortSignal): Sink {
  const { fd, isTTY } = stdout
  if (isTTY || fd === undefined) return writeToStream(stdout, signal)
  const stats = fstatSync(fd)
  const isFile = stats.isFile() || stats.isCharacterDevice() || stats.isBlockDevice()
  // Node's stream for files takes a short write for a complete one, and so would lose data on a full disk.
  if (!isFile) return writeToStream(stdout, signal)
  const atOnce = isNull(stats) ? Number.POSITIVE_INFINITY : maxAtOnce
  return (octets) => writeWhole(fd, octets, atOnce)
}

/** Whether this is the null device, which takes any number of octets at once. */
function isNull(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === statSync(devNull, { throwIfNoEntry: false })?.rdev
}

const writeOnce = promisify(write)

/**
 * A chunk up to this length is written synchronously, since waking one of Node's threads takes longer than writing it.
 * A longer chunk is written while the next one comes.
 */
const maxAtOnce = 65_536

async function writeWhole(file: number, octets: Uint8Array, atOnce: number): Promise<void> {
  const isShort = octets.length <= atOnce
  let at = 0
  try {
    while (at < octets.length)
      at += isShort ? writeSync(file, octets, at) : (await writeOnce(file, octets, at)).bytesWritten
  } catch (cause) {
    throw streamError('Standard output', cause)
  }
}

export function writeToStream(stream: Writable, signal: AbortSignal): Sink {
  // The callback of each write also reports the error; without this listener, the error would end the process.
  stream.on('error', () => {})
  return (octets) =>
    new Promise((resolve, reject) => {
      // An interrupt must not wait for a paused reader.
      const abort = (): void => reject(signal.reason)
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      stream.write(octets, (error) => {
        signal.removeEventListener('abort', abort)
        if (error) reject(streamError('Standard output', error))
        else resolve()
      })
    })
}

/** The error of a standard stream: StdoutClosed or `write-failed`. */
export function streamError(name: string, cause: unknown): Error {
  const { code = '' } = cause as NodeJS.ErrnoException
  // After an EPIPE, further writes give ERR_STREAM_DESTROYED.
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new StdoutClosed()
  return writeFailed(name, systemReason(cause) ?? String(cause), cause)
}
