import {
  closeSync,
  fchmodSync,
  fstatSync,
  futimesSync,
  linkSync,
  lstatSync,
  lutimesSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import type { ByteSource } from '../contract/byte-source.ts'
import { throwUnlessDenied } from '../kit/system-reason.ts'
import { asWriteFailed, exists, partFlags, partMode, takenOver, writeFailed } from './local-file.ts'
import { momentary } from './part-lock.ts'

/** How many octets are held in memory before a file is opened. */
export const maxSmall: number = 64 * 1024

/** A source that allows a look at its first octets; read() still gives them. */
export class SmallBody implements ByteSource {
  readonly #source: ByteSource
  readonly #ahead: Promise<Uint8Array | null>[] = []

  constructor(source: ByteSource) {
    this.#source = source
  }

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  /** Returns all octets if there are exactly `size` and the first chunk has them all, otherwise null. Never rejects. */
  async whole(size: number): Promise<Uint8Array | null> {
    const first = size === 0 ? new Uint8Array(0) : await this.#lookAhead()
    // Only the end of the source tells that the body is complete.
    return first?.length === size && (await this.#lookAhead()) === null ? first : null
  }

  /** Returns the next chunk, null at the end, undefined after a failure. read() throws the failure. */
  async #lookAhead(): Promise<Uint8Array | null | undefined> {
    const isReused = this.reusesChunks
    const reading = this.#source.read().then((chunk) => (isReused && chunk !== null ? new Uint8Array(chunk) : chunk))
    this.#ahead.push(reading)
    return reading.catch(() => undefined)
  }

  read(): Promise<Uint8Array | null> {
    return this.#ahead.shift() ?? this.#source.read()
  }

  cancel(): Promise<void> {
    return this.#source.cancel()
  }
}

/** Where a body in memory goes. */
interface Destination {
  readonly path: string
  /** The mode of the file to replace. Null: the system's default. */
  readonly mode: number | null
  readonly modified: Date | null
  readonly overwrite: boolean
  /** Called with the length before the file gets its name. */
  readonly beforeName: ((size: number) => Promise<void> | void) | undefined
}

/**
 * Saves octets in memory through `NAME.part`. No record is needed, since the part exists only for a moment. Resolves to
 * false if another save has that name; its record tells what to do. Rejects with `write-failed`, or with the error of
 * `beforeName`. The calls are synchronous: all of them together take as long as one turn through the thread pool.
 */
export async function saveInMemory(octets: Uint8Array, destination: Destination): Promise<boolean> {
  const { path, mode, beforeName } = destination
  const part = `${path}.part`
  const begun = Date.now()
  const file = create(part, mode)
  if (file === null) return false
  const number = fill(part, file, octets, destination, begun)
  if (beforeName !== undefined) {
    try {
      await beforeName(octets.length)
    } catch (error) {
      if (isOurs(part, number)) rmSync(part, { force: true })
      throw error
    }
  }
  if (!isOurs(part, number)) throw writeFailed(part, takenOver)
  move(part, destination)
  return true
}

/**
 * Writes the part, and closes it. Returns its inode number if another save may think this process dead, as after it was
 * stopped for seconds, and put its own part there. Otherwise null: two looks at the file would be of no use.
 */
function fill(part: string, file: number, octets: Uint8Array, destination: Destination, begun: number): number | null {
  try {
    try {
      for (let at = 0; at < octets.length; ) at += writeSync(file, octets, at)
      setModeAndTimes(file, part, destination)
      const isSoon = Math.abs(Date.now() - begun) < momentary / 2
      return isSoon && destination.beforeName === undefined ? null : fstatSync(file).ino
    } finally {
      closeSync(file)
    }
  } catch (error) {
    rmSync(part, { force: true })
    throw asWriteFailed(part, error)
  }
}

/** Gives the part its mode and its times, as PartFile.publish() does. */
function setModeAndTimes(file: number, part: string, { mode, modified }: Destination): void {
  try {
    if (mode !== null) fchmodSync(file, mode)
    if (modified !== null) futimesSync(file, new Date(), modified)
  } catch (error) {
    throwUnlessDenied(error)
    if (modified !== null) lutimesSync(part, new Date(), modified)
  }
}

function isOurs(part: string, number: number | null): boolean {
  return number === null || lstatSync(part, { throwIfNoEntry: false })?.ino === number
}

function move(part: string, { path, overwrite }: Destination): void {
  try {
    if (overwrite) renameSync(part, path)
    else linkSync(part, path)
    if (!overwrite) unlinkSync(part)
  } catch (error) {
    rmSync(part, { force: true })
    throw asWriteFailed(path, error, { EEXIST: exists })
  }
}

/** Creates the part. Returns null if the name is taken. */
function create(part: string, mode: number | null): number | null {
  try {
    return openSync(part, partFlags, partMode(mode))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return null
    throw asWriteFailed(part, error)
  }
}
