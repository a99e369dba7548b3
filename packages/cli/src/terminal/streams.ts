import type { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'

/** The standard streams of a run: those of `process`, or those that a test makes. */
export interface Streams {
  readonly stdin: Readable & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

/** `fd` is absent if the stream is no file of the system; the other members describe a terminal. */
export type OutputStream = Writable &
  Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>> & { readonly fd?: number }

/** The process that runs the command; a test uses an emitter instead. Signals and defects are its events. */
export interface Host extends Streams {
  on(event: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown
  off(event: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  off(event: 'uncaughtException', listener: (error: unknown) => void): unknown
  exit(code: number): never
}
