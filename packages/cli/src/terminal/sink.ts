import { fstatSync, write, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { systemReason } from '@retriever/fetchers'
import { writeFailed } from '../saving/destination.ts'
import type { OutputStream } from './streams.ts'

/** The reader of standard output has gone, as in `| head`. This ends the work, and is not a failure. */
export class StdoutClosed extends Error {
  override readonly name = 'StdoutClosed'
}

/** Writes octets; resolves once there is room for more. Rejects with StdoutClosed or `write-failed`. */
export type Sink = (octets: Uint8Array) => Promise<void>

/** Opens standard output: a file, a pipe or a terminal. */
export function openStdout(stdout: OutputStream, signal: AbortSignal): Sink {
  // Node's stream for files takes a short write for a complete one, and so loses data on a full disk.
  return isFile(stdout) ? (octets) => writeWhole(stdout.fd, octets) : writeToStream(stdout, signal)
}

function isFile(stream: OutputStream): stream is OutputStream & { readonly fd: number } {
  if (stream.isTTY || stream.fd === undefined) return false
  const stats = fstatSync(stream.fd)
  return stats.isFile() || stats.isCharacterDevice() || stats.isBlockDevice()
}

const writeOnce = promisify(write)

/**
 * Up to this length a chunk is written at once. Waking one of Node's threads for it takes longer than writing it; a
 * longer chunk is written while the next one comes.
 */
const maxAtOnce = 65_536

async function writeWhole(file: number, octets: Uint8Array): Promise<void> {
  const isShort = octets.length <= maxAtOnce
  let at = 0
  try {
    while (at < octets.length)
      at += isShort ? writeSync(file, octets, at) : (await writeOnce(file, octets, at)).bytesWritten
  } catch (cause) {
    throw stdoutError(cause)
  }
}

export function writeToStream(stream: Writable, signal: AbortSignal): Sink {
  // The callback of the write reports errors too; without a listener, they would end the process.
  stream.on('error', () => {})
  return (octets) =>
    new Promise((resolve, reject) => {
      // A paused reader must not delay an interrupt.
      const abort = (): void => reject(signal.reason)
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      stream.write(octets, (error) => {
        signal.removeEventListener('abort', abort)
        if (error) reject(stdoutError(error))
        else resolve()
      })
    })
}

function stdoutError(cause: unknown): Error {
  const { code = '' } = cause as NodeJS.ErrnoException
  // ERR_STREAM_DESTROYED follows an earlier EPIPE.
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new StdoutClosed()
  return streamError('Standard output', cause)
}

/** The `write-failed` for an error of a standard stream. */
export function streamError(name: string, cause: unknown): Error {
  return writeFailed(name, systemReason(cause) ?? String(cause), cause)
}
