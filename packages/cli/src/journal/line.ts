import { type ErrorCode, errorCodes } from '@retriever/core'
import type { CommandName } from '../commands/index.ts'
import type { Result } from '../results/result.ts'
import { jsonLine } from '../terminal/output.ts'
import type { Item } from './item.ts'

/** What all lines about a URL have. */
interface OfUrl extends Omit<Item, 'key'> {
  readonly at: string
  /** The file that the URL gets; null if that is not yet known, or if it gets none. */
  readonly file: string | null
}

/** The URL is being asked for. */
export interface Begun extends OfUrl {
  readonly event: 'begun'
}

/** The URL has been retrieved. The line is on the disk before the file gets its name. */
export interface Done extends OfUrl {
  readonly event: 'done'
  /** The length of the file in octets; null if it is unknown. */
  readonly size: number | null
  readonly sha256: string | null
  /** The entity tag and the date of the resource. */
  readonly etag: string | null
  readonly modified: string | null
  /** What `check` found out. */
  readonly result?: Result
}

/** The URL failed. */
export interface Failed extends OfUrl {
  readonly event: 'failed'
  readonly code: ErrorCode
  readonly message: string
  /** The status of HTTP; null if there is none. */
  readonly status: number | null
  /** The exit status of the error. */
  readonly exit: number
  /** From when on it may be tried again; null if it failed for good. */
  readonly again: string | null
  /** What `check` found out. */
  readonly result?: Result
}

/** A command begins to write the journal. */
export interface Opened {
  readonly event: 'opened'
  readonly at: string
  readonly version: 1
  readonly command: CommandName
  readonly pid: number
  /** The machine's boot; null if the system does not say. */
  readonly boot: string | null
  /** The position of the first line whose file may lack its name or its octets; absent if there is none. */
  readonly unsure?: number
}

/** The list has been read to its end: it has so many URLs to retrieve. */
export interface Listed {
  readonly event: 'listed'
  readonly at: string
  readonly urls: number
}

/** The command has ended. */
export interface Ended {
  readonly event: 'ended'
  readonly at: string
  /** Whether it came to the end of its URLs. */
  readonly isWhole: boolean
}

export type UrlLine = Begun | Done | Failed
export type Line = UrlLine | Opened | Listed | Ended

export const version = 1

export const formatLine: (line: Line) => string = jsonLine

/** Reads a line. Null if it is damaged. */
export function parseLine(text: string): Line | null {
  const line = objectIn(text)
  if (line === null || typeof line.at !== 'string') return null
  const { event, url, file } = line
  if (event === 'opened' || event === 'listed' || event === 'ended') return line as unknown as Line
  if (typeof url !== 'string' || (file !== null && typeof file !== 'string')) return null
  const isWhole = event === 'begun' || event === 'done' || (event === 'failed' && isCode(line.code))
  return isWhole ? (line as unknown as UrlLine) : null
}

function isCode(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code)
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
