import type { ErrorJson, Mechanism } from '@retriever/core'
import type { EmittedEvent, Entry, Handoff, Redirect, Retrieved } from '@retriever/fetchers/plugin'

/**
 * A transcript is JSON Lines (RFC 8259 in UTF-8, a value a line): a header, then one line for each call of a fetcher,
 * written when its body was over. A redirect and a retry have lines of their own. Secrets are `***`; in a body they are
 * as many asterisks as they had octets.
 */
export interface Header {
  readonly transcript: typeof name
  readonly version: typeof version
  /** When the recording began, as in `2030-01-31T12:00:00.000Z`. */
  readonly recorded: string
}

export const name = '@retriever/servers/record'

export const version = 1

export interface Line {
  /** The order in which the fetchers were called: 1, 2, ... */
  readonly number: number
  readonly url: string
  readonly mechanism: Mechanism
  /** The options that change the answer. */
  readonly request: Readonly<Record<string, unknown>>
  /** The plan, for people. */
  readonly plan: unknown
  /** The dialogue up to the answer. */
  readonly events: readonly RecordedEvent[]
  readonly answer: Answer
}

export type Answer =
  | ({ readonly outcome: 'redirect' } & Redirect)
  | ({ readonly outcome: 'handoff' } & Handoff)
  | { readonly outcome: 'error'; readonly error: ErrorJson }
  | RecordedResult

/** Retrieved as data. Dates have the form `2030-01-31T12:00:00.000Z`. */
export interface RecordedResult extends Omit<Retrieved, 'modified' | 'body' | 'entries' | 'notAFile'> {
  readonly modified: string | null
  readonly notAFile?: ErrorJson
  readonly body: RecordedBody
  /** Absent if there are no entries. */
  readonly entries?: RecordedEntries
}

export interface RecordedBody {
  /** The octets, as text if they are UTF-8, else in Base64 (RFC 4648 4). */
  readonly text?: string
  readonly base64?: string
  /**
   * True if the recording does not have all octets: the body was not read to its end, or was longer than a recording
   * keeps.
   */
  readonly cut?: true
  /** The error that ended the body. */
  readonly error?: ErrorJson
  /** The dialogue after the answer. */
  readonly events?: readonly RecordedEvent[]
}

export interface RecordedEntries {
  readonly list: readonly RecordedEntry[]
  /** True if there were more entries. */
  readonly cut?: true
  readonly error?: ErrorJson
}

export interface RecordedEntry extends Omit<Entry, 'modified'> {
  readonly modified?: string
}

/** An event as data. Errors are ErrorJson. */
export type RecordedEvent =
  | Exclude<EmittedEvent, { type: 'retried' | 'resolved' | 'progress' | 'redirected' | 'done' }>
  | (Omit<Extract<EmittedEvent, { type: 'retried' }>, 'error'> & { readonly error: ErrorJson })
