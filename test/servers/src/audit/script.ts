import type { Ability } from './scripts/abilities.ts'
import type { Victim } from './victim.ts'

/** What a script is about; the score has a line for each. */
export const auditClasses = [
  'ordinary',
  'framing',
  'limits',
  'redirect',
  'secrets',
  'names',
  'terminal',
  'time',
] as const
/** The name of a class of scripts. */
export type AuditClass = (typeof auditClasses)[number]

/** What one run of a client may use: nothing of it belongs to another run. */
export interface Stage {
  /** The server that hostile servers point to. */
  readonly victim: Victim
  /** The password in URLs that have a login: no server but the one in the URL may learn it. */
  readonly secret: string
  /** The path of a file outside the client's folder, which no server may make it read. */
  readonly outside: string
  /** The text of that file. */
  readonly canary: string
}

/** A server that was started for one run. */
export interface Act {
  readonly url: string
  /** What else the client did wrong, as this server saw it; undefined if nothing. */
  complaint?(): string | undefined
  close(): Promise<void>
}

/** One row of the audit: what a server does, and what a client may make of it. */
export interface Script {
  readonly class: AuditClass
  /** Unique, and begins with the protocol: `http: two lengths that differ`. */
  readonly name: string
  /** What a client must be able to do to be judged by this script. */
  readonly needs: Ability
  /** What counts as right; undefined if both success and failure do. */
  readonly outcome?: Outcome
  /** What the victim may see of the client; by default a request without secrets. */
  readonly victim?: 'untouched' | { readonly never: string }
  start(stage: Stage): Promise<Act>
}

/** The contents that may go with exit status 0, and whether another status is right, too. */
export interface Outcome {
  readonly contents: readonly (string | Uint8Array)[] | 'any'
  readonly mayFail: boolean
}

/** Only an error will do: no answer was whole. */
export const mustFail: Outcome = { contents: [], mayFail: true }

/** Any content will do, as long as there is some and the client does not fail. */
export const mustSucceed: Outcome = { contents: 'any', mayFail: false }

/** Exactly this content, and no error. */
export function mustGive(...contents: readonly (string | Uint8Array)[]): Outcome {
  return { contents, mayFail: false }
}

/** One of these contents, or an error. */
export function mayGive(...contents: readonly (string | Uint8Array)[]): Outcome {
  return { contents, mayFail: true }
}
