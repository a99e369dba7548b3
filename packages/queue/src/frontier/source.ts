import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { RetrievalError } from '@retriever/core'
import { whyUnreadable } from '@retriever/fetchers/internal'

/** A URL for a queue. */
export interface QueueItem {
  readonly url: string | URL
  /** The name of a login, which `work({ logins })` gives on the worker: a queue holds no secrets. */
  readonly login?: string
}

/** One element of a QueueSource. */
export type QueueEntry = string | URL | QueueItem

/**
 * The URLs for a queue: a list of any length, or a file or a stream (`lines`) with a URL a line (UTF-8). Behind the
 * URL, a line may have a blank and the name of a login as `@name`; empty lines and those that begin with `#` are passed
 * over.
 */
export type QueueSource =
  | Iterable<QueueEntry>
  | AsyncIterable<QueueEntry>
  | { readonly file: string }
  | { readonly lines: Readable }

/** A URL, and its place in the source. */
export interface Listed {
  readonly url: string
  readonly login: string | null
  /** The number of the line or of the element, from 1. */
  readonly number: number
}

export async function* listedIn(source: QueueSource): AsyncGenerator<Listed> {
  if ('file' in source) return yield* linesOf(createReadStream(source.file), source.file)
  if ('lines' in source) return yield* linesOf(source.lines, 'The list')
  let number = 0
  for await (const entry of source) yield { ...itemOf(entry), number: ++number }
}

function itemOf(entry: QueueEntry): Omit<Listed, 'number'> {
  if (typeof entry === 'string' || entry instanceof URL) return { url: String(entry), login: null }
  return { url: String(entry.url), login: entry.login ?? null }
}

/** Reads a line without blanks around it. Takes time in proportion to its length, whatever blanks it has. */
function listedOn(line: string): Omit<Listed, 'number'> {
  const words = line.split(/\s+/)
  const last = words.at(-1) ?? ''
  if (words.length < 2 || last.length < 2 || !last.startsWith('@')) return { url: line, login: null }
  return { url: line.slice(0, -last.length).trimEnd(), login: last.slice(1) }
}

async function* linesOf(input: Readable, name: string): AsyncGenerator<Listed> {
  let number = 0
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++
      const listed = listedOn(line.trim())
      if (listed.url !== '' && !listed.url.startsWith('#')) yield { ...listed, number }
    }
  } catch (cause) {
    const message = `${name} cannot be read: ${whyUnreadable(cause)}.`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  } finally {
    input.destroy()
  }
}
