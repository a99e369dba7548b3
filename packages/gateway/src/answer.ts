import type { Readable } from 'node:stream'
import type { Representation } from '@retriever/fetchers'

/** A field line: one octet a character, as node:http has it. */
export type FieldLine = readonly [name: string, value: string]

/** A request to the gateway. */
export interface Asked {
  readonly method: string
  /** The URL as the client wrote it. */
  readonly url: string
  /** By name in lower case; node:http joins lines of one name, or takes the first. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The field lines as they came. */
  readonly lines: readonly FieldLine[]
  /** The content, for methods that are passed on. */
  readonly body: Readable | null
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
}

/** A response to the client. */
export interface Answer {
  readonly status: number
  /** The reason phrase of a server; absent: the usual one. */
  readonly reason?: string | undefined
  readonly lines: readonly FieldLine[]
  readonly body: Readable | Representation | Buffer | string | null
}

/** Answers requests; it never rejects. */
export type Handler = (asked: Asked) => Promise<Answer>
