import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import { systemReason } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import { matchingFiles } from '../line/file-glob.ts'
import { expandGlob, fillName } from '../line/glob.ts'
import type { LineOption } from '../options/line.ts'
import type { Given, GivenOptions } from '../options/option.ts'
import type { OutputOption } from '../options/output.ts'

type DestinationOptions = GivenOptions<OutputOption | LineOption | 'continue-at'>

/** Where a body goes. */
export type Destination =
  /** `asIs` means that `-o -` was given, so a terminal gets the octets unchanged. */
  | { readonly to: 'stdout'; readonly asIs: boolean }
  | { readonly to: 'file'; readonly path: string }
  /** A file in `directory`, named after the URL. With `byServer` (-J), the server may name it. */
  | { readonly to: 'remote-name'; readonly directory: string; readonly byServer: boolean }

/** A URL to retrieve, and where its body goes. */
export interface Target {
  readonly operand: string
  readonly destination: Destination
}

/** The URLs of a command line, with their destinations. */
export interface Targets extends Iterable<Target> {
  /** How many URLs there are. */
  readonly count: number
  /** The kinds of destination, as typed: names of files still contain `#1`. */
  readonly destinations: readonly Destination[]
  /** The first `-o FILE` beyond the URLs; null if there is none. */
  readonly unused: string | null
}

/** The same destinations for other URLs: `urlOf` turns each operand into its URL. */
export function withUrls(targets: Targets, urlOf: (operand: string) => string): Targets {
  return {
    ...targets,
    *[Symbol.iterator]() {
      for (const { operand, destination } of targets) yield { operand: urlOf(operand), destination }
    },
  }
}

/** One URL that goes to standard output. */
export function toStandardOutput(operand: string): Targets {
  const destination = { to: 'stdout', asIs: false } as const
  return {
    count: 1,
    destinations: [destination],
    unused: null,
    *[Symbol.iterator]() {
      yield { operand, destination }
    },
  }
}

/** The targets of commands that retrieve nothing. */
export const noTargets: Targets = { count: 0, destinations: [], unused: null, *[Symbol.iterator]() {} }

/**
 * Reads the URLs and their destinations. As in curl, -o and -O are given in the order of the URLs; URLs without one go
 * to standard output, or to files with --remote-name-all. A glob gives its URLs one by one, as they are asked for,
 * unless `globs` is false. Throws `malformed-url` for a wrong glob, `invalid-option` for options that make no sense
 * together.
 */
export function readTargets(
  line: DestinationOptions,
  { globs = !line.has('globoff') }: { globs?: boolean } = {},
): Targets {
  const typed = line.given.filter(({ name }) => name === 'output' || name === 'remote-name')
  const rest = restOf(line, typed)
  const templates = line.operands.map((operand, index) => {
    const given = typed[index] ?? rest
    return { operand, given, urls: !globs || isData(operand) ? null : urlsOf(operand) }
  })
  const destinations = templates.map(({ given }) => destinationOf(given, [], line))
  checkNaming(line, destinations)
  return {
    count: templates.reduce((sum, { urls }) => sum + (urls?.count ?? 1), 0),
    destinations,
    unused: typed.slice(templates.length).find(isFile)?.value ?? null,
    *[Symbol.iterator]() {
      for (const { operand, given, urls } of templates) {
        if (urls === null) yield { operand, destination: destinationOf(given, [], line) }
        else for (const { url, values } of urls) yield { operand: url, destination: destinationOf(given, values, line) }
      }
    },
  }
}

/** The URLs of a glob; a file URL with `*` or `?` gives the files that match. */
function urlsOf(operand: string): ReturnType<typeof expandGlob> {
  const expanded = expandGlob(operand)
  if (!/^\s*file:.*[*?]/is.test(operand)) return expanded
  const found = [...expanded].flatMap(({ url, values }) =>
    (matchingFiles(url) ?? [url]).map((each) => ({ url: each, values })),
  )
  return { count: found.length, [Symbol.iterator]: () => found.values() }
}

/** The destination of URLs without their own -o or -O. A single `-o -` applies to all of them. */
function restOf(line: DestinationOptions, [only, ...others]: readonly Given[]): Given {
  if (line.has('remote-name-all')) return { name: 'remote-name', value: '' }
  return only?.value === '-' && others.length === 0 ? only : { name: 'stdout', value: '' }
}

function isFile({ name, value }: Given): boolean {
  return name === 'output' && value !== '-' && value !== '/dev/stdout'
}

/** Whether the operand is a data URL, whose data may hold braces and brackets, as JSON does. */
function isData(operand: string): boolean {
  return /^\s*data:/i.test(operand)
}

function destinationOf({ name, value }: Given, values: readonly string[], line: DestinationOptions): Destination {
  const directory = line.value('output-dir')
  if (name === 'stdout') return { to: 'stdout', asIs: false }
  if (name === 'remote-name') {
    return { to: 'remote-name', directory: directory ?? '.', byServer: line.has('remote-header-name') }
  }
  if (value === '') throw usageError('-o needs the name of a file.')
  if (value === '-' || value === '/dev/stdout') return { to: 'stdout', asIs: true }
  return { to: 'file', path: join(directory ?? '', fillName(value, values)) }
}

/** True for --clobber, false for --no-clobber; null if neither is given: -o then overwrites and -O does not. */
export function readClobber(line: GivenOptions<OutputOption>): boolean | null {
  if (line.has('no-clobber')) return false
  return line.has('clobber') ? true : null
}

function checkNaming(line: DestinationOptions, typed: readonly Destination[]): void {
  const isNamed = line.has('remote-name') || line.has('remote-name-all')
  if (line.has('remote-header-name') && !isNamed) throw usageError('-J says how -O names its file: give -O too.')
  if (line.has('no-clobber') && line.has('continue-at')) {
    throw usageError('-C continues a file, and --no-clobber leaves it alone: give one of them.')
  }
  if (line.has('remote-header-name') && line.has('continue-at')) {
    throw usageError('-J learns the name of the file too late for -C: name it with -o FILE or -O.')
  }
  const head = line.has('head') ? '-I' : line.has('include') ? '-i' : null
  if (head === null || typed.every(({ to }) => to === 'stdout')) return
  if (line.has('continue-at')) throw usageError(`${head} begins the file, and -C continues it: give one of them.`)
}

/**
 * Does what checkTarget() does, for a file whose folders --create-dirs may have to make. Returns whether the name is
 * taken.
 */
export function checkOutput(path: string, overwrite: boolean, special: boolean): boolean {
  if (tryFile(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined) {
    checkTarget(path, overwrite, special)
    return true
  }
  // Most files are new, so this takes two calls of the system for them.
  try {
    accessSync(dirname(path), constants.W_OK)
    return false
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw systemFailure(path, cause)
    throw writeFailed(path, 'its folder does not exist; make it, or let --create-dirs make it')
  }
}

/**
 * Throws `write-failed`, before a server is contacted, if writing is sure to fail. `special` allows FIFOs and devices.
 */
export function checkTarget(path: string, overwrite: boolean, special: boolean): void {
  const target = tryFile(path, () => statSync(path, { throwIfNoEntry: false }))
  if (target?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  // A dangling link also occupies the name.
  if (!overwrite && lstatSync(path, { throwIfNoEntry: false })) {
    throw writeFailed(path, 'it exists already; name another file with -o, or let --clobber overwrite it')
  }
  if (target === undefined || target.isFile()) tryFile(path, () => accessSync(dirname(path), constants.W_OK))
  else if (!special) throw writeFailed(path, 'it is no regular file')
}

/** Throws `write-failed` for a file that is write-protected: renaming another one to its name would pass over that. */
export function checkWritable(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) tryFile(path, () => accessSync(path, constants.W_OK))
}

/** Runs an operation on an output file; a system error becomes `write-failed`. */
export function tryFile<T>(path: string, operation: () => T): T {
  try {
    return operation()
  } catch (cause) {
    throw systemFailure(path, cause)
  }
}

/** The `write-failed` for a system error. */
export function systemFailure(path: string, cause: unknown): RetrievalError {
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  return writeFailed(path, systemReason(cause) ?? (code || String(cause)), cause)
}

/** The error for local output, with the words of saveTo(). */
export function writeFailed(path: string, why: string, cause?: unknown): RetrievalError {
  return new RetrievalError('write-failed', `${path} cannot be written: ${why}.`, { phase: 'save', cause })
}

/** The error that keeps binary data from a terminal. */
export function notShown(mediaType: string | null): RetrievalError {
  const type = mediaType ?? 'of unknown type'
  const message = `Not shown: this is binary data (${type}). Save it with -o FILE or -O, or force it with -o -.`
  return new RetrievalError('write-failed', message, { phase: 'save' })
}
