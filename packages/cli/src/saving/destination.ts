import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import { systemReason } from '@retriever/fetchers'
import { usageError } from '../exit-codes.ts'
import type { GivenOptions } from '../options/option.ts'
import type { OutputOption } from '../options/output.ts'

type DestinationOptions = GivenOptions<OutputOption | 'continue-at'>

/** The destination of a body. */
export type Destination =
  /** `asIs`: `-o -` was given, so a terminal gets the octets unchanged. */
  | { readonly to: 'stdout'; readonly asIs: boolean }
  | { readonly to: 'file'; readonly path: string }
  /** A file in `directory`, named after the URL, or with `byServer` (-J) by the server if it gives a name. */
  | { readonly to: 'remote-name'; readonly directory: string; readonly byServer: boolean }

/**
 * The destination of each URL: -o and -O are given in the order of the URLs, as in curl. A single -O or `-o -` is for
 * all of them. Throws `invalid-option` if it is not clear which belongs to which.
 */
export function readDestinations(line: DestinationOptions): Destination[] {
  const count = line.operands.length
  const directory = line.value('output-dir')
  const byServer = line.has('remote-header-name')
  const typed = line.given
    .filter(({ name }) => name === 'output' || name === 'remote-name')
    .map(({ name, value }): Destination => {
      if (name === 'remote-name') return { to: 'remote-name', directory: directory ?? '.', byServer }
      if (value === '') throw usageError('-o needs the name of a file.')
      return value === '-' || value === '/dev/stdout'
        ? { to: 'stdout', asIs: true }
        : { to: 'file', path: join(directory ?? '', value) }
    })
  const [first = { to: 'stdout', asIs: false }] = typed
  checkNaming(line, typed)
  if (typed.length <= 1 && first.to !== 'file') return Array.from({ length: count }, () => first)
  if (typed.length === count) return typed
  const urls = count === 1 ? '1 URL' : `${count} URLs`
  throw usageError(`${urls} and ${typed.length} of -o and -O: give one for each URL, or --output-dir DIR -O for all.`)
}

function checkNaming(line: DestinationOptions, typed: readonly Destination[]): void {
  const isNamed = typed.some(({ to }) => to === 'remote-name')
  if (line.has('remote-header-name') && !isNamed) throw usageError('-J says how -O names its file: give -O too.')
  if (line.has('remote-header-name') && line.has('continue-at')) {
    throw usageError('-J learns the name of the file too late for -C: name it with -o FILE or -O.')
  }
  const head = line.has('head') ? '-I' : line.has('include') ? '-i' : null
  if (head === null || typed.every(({ to }) => to === 'stdout')) return
  if (line.has('remote-header-name')) throw usageError(`${head} and -J do not go together: name the file with -o FILE.`)
  if (line.has('continue-at')) throw usageError(`${head} begins the file, and -C continues it: give one of them.`)
}

/**
 * Throws `write-failed` before a server is contacted, if writing is sure to fail. `special`: allow FIFOs and devices.
 */
export function checkTarget(path: string, overwrite: boolean, special: boolean): void {
  const target = tryFile(path, () => statSync(path, { throwIfNoEntry: false }))
  if (target?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  // A dangling link occupies the name too.
  if (!overwrite && lstatSync(path, { throwIfNoEntry: false })) {
    throw writeFailed(path, 'it exists already; remove it, or name another file with -o')
  }
  if (target === undefined || target.isFile()) tryFile(path, () => accessSync(dirname(path), constants.W_OK))
  else if (!special) throw writeFailed(path, 'it is no regular file')
}

/** Runs an operation on an output file; a system error becomes `write-failed`. */
export function tryFile<T>(path: string, operation: () => T): T {
  try {
    return operation()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? ''
    throw writeFailed(path, systemReason(cause) ?? (code || String(cause)), cause)
  }
}

/** The error for local output, with the words of saveTo(). */
export function writeFailed(path: string, why: string, cause?: unknown): RetrievalError {
  return new RetrievalError('write-failed', `${path} cannot be written: ${why}.`, { phase: 'save', cause })
}

/** The error for binary data that would go to a terminal. */
export function notShown(mediaType: string | null): RetrievalError {
  const type = mediaType ?? 'of unknown type'
  const message = `Not shown: this is binary data (${type}). Save it with -o FILE or -O, or force it with -o -.`
  return new RetrievalError('write-failed', message, { phase: 'save' })
}
