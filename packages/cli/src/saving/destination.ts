import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import { systemReason } from '@retriever/fetchers'
import { usageError } from '../exit-codes.ts'
import type { CommandLine } from '../parse.ts'

/** Where a body goes. */
export type Destination =
  /** `asIs`: `-o -` was typed, so that a terminal gets the octets as they are. */
  | { readonly to: 'stdout'; readonly asIs: boolean }
  | { readonly to: 'file'; readonly path: string }
  /** A file in `directory`, named after the URL, or by the server where it does and `byServer` (-J) lets it. */
  | { readonly to: 'remote-name'; readonly directory: string; readonly byServer: boolean }

/**
 * One for each URL, from -o, -O and --output-dir, which are given in the order of the URLs, as in curl. One -O, or one `-o -`, is for
 * all of them. Throws `invalid-option` where it is not clear what goes where.
 */
export function planDestinations(line: CommandLine): Destination[] {
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

function checkNaming(line: CommandLine, typed: readonly Destination[]): void {
  const isNamed = typed.some(({ to }) => to === 'remote-name')
  if (line.has('remote-header-name') && !isNamed) throw usageError('-J says how -O names its file: give -O too.')
  if (line.has('remote-header-name') && line.has('continue-at')) {
    throw usageError('-J is told the name of the file too late for -C: name it by -o FILE or -O.')
  }
  const head = line.has('head') ? '-I' : line.has('include') ? '-i' : null
  if (head !== null && typed.some(({ to }) => to !== 'stdout')) {
    throw usageError(`${head} prints to standard output: leave -o and -O out, or redirect it by >.`)
  }
}

/**
 * Throws `write-failed` for what can be known to fail before anything is asked of a server. `special`: FIFOs and
 * devices will do.
 */
export function checkTarget(path: string, overwrite: boolean, special: boolean): void {
  const target = attempt(path, () => statSync(path, { throwIfNoEntry: false }))
  if (target?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  // A link that leads nowhere takes the name too.
  if (!overwrite && lstatSync(path, { throwIfNoEntry: false })) {
    throw writeFailed(path, 'it exists already; remove it, or name another file by -o')
  }
  if (target === undefined || target.isFile()) attempt(path, () => accessSync(dirname(path), constants.W_OK))
  else if (!special) throw writeFailed(path, 'it is no regular file')
}

/** One operation on a file that is to be written; what the system says against it becomes `write-failed`. */
export function attempt<T>(path: string, operation: () => T): T {
  try {
    return operation()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? ''
    throw writeFailed(path, systemReason(cause) ?? (code || String(cause)), cause)
  }
}

/** The error for local output, in the words of saveTo(). */
export function writeFailed(path: string, why: string, cause?: unknown): RetrievalError {
  return new RetrievalError('write-failed', `${path} cannot be written: ${why}.`, { phase: 'save', cause })
}
