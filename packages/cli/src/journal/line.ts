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
  if (event === 'opened') return typeof line.command === 'string' ? (line as unknown as Opened) : null
  if (event === 'listed') return Number.isSafeInteger(line.urls) ? (line as unknown as Listed) : null
  if (event === 'ended') return line as unknown as Ended
  if (typeof url !== 'string' || !isTextOrNull(file)) return null
  const isWhole = event === 'begun' || (event === 'done' && isDone(line)) || (event === 'failed' && isFailed(line))
  return isWhole ? (line as unknown as UrlLine) : null
}

type Unread = Readonly<Record<string, unknown>>

function isDone({ size, sha256 }: Unread): boolean {
  return (size === null || Number.isSafeInteger(size)) && isTextOrNull(sha256)
}

function isFailed({ code, message, status, exit, again }: Unread): boolean {
  const isCode = typeof code === 'string' && Object.hasOwn(errorCodes, code)
  const isExit = Number.isInteger(exit) && Number(exit) >= 1 && Number(exit) <= 255
  const isStatus = status === null || Number.isInteger(status)
  return isCode && typeof message === 'string' && isExit && isStatus && isTextOrNull(again)
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function objectIn(text: string): Unread | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
