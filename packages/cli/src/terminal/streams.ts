import type { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'

/** The standard streams of a run: `process` has them, and a test makes its own. */
export interface Streams {
  readonly stdin: Readable & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

/** `fd` is absent if the stream is no file of the system; the rest describes a terminal. */
export type OutputStream = Writable &
  Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>> & { readonly fd?: number }

/** The process that runs the command, for which a test has an emitter: signals and defects are its events. */
export interface Host extends Streams {
  on(event: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown
  off(event: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  off(event: 'uncaughtException', listener: (error: unknown) => void): unknown
  exit(code: number): never
}
