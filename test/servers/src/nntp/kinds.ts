import type { NntpSession } from './session.ts'

export type Kind = 'modern' | 'rfc977' | 'transit'

/**
 * RFC 977, with what nearly all servers of that age had of RFC 2980: AUTHINFO, and XOVER unless an option denies it.
 */
const RFC977: ReadonlySet<string> = new Set(
  'ARTICLE AUTHINFO BODY GROUP HEAD HELP LAST LIST NEXT POST QUIT STAT XOVER'.split(' '),
)

/** What innd tells a reader before MODE READER hands the connection over to nnrpd. */
const TRANSIT: ReadonlySet<string> = new Set(['CAPABILITIES', 'DATE', 'HELP', 'MODE', 'QUIT'])

/** Whether a server of this kind knows the command at all. */
export function knows({ settings }: NntpSession, verb: string): boolean {
  if (verb === 'OVER' || verb === 'XOVER') {
    return settings.overviews && (verb === 'XOVER' || settings.kind !== 'rfc977')
  }
  // RFC 3977, 5.2: unknown commands get 500. A server without TLS does not know STARTTLS.
  if (verb === 'STARTTLS' && !settings.explicitTls) return false
  return settings.kind !== 'rfc977' || RFC977.has(verb)
}

/** The refusal of a command before MODE READER, on which a transit server insists (RFC 3977, 3.2.1: 401). */
export function beforeReader({ reader }: NntpSession, verb: string): string | undefined {
  return reader || TRANSIT.has(verb) ? undefined : '401 MODE-READER'
}
