import { RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import { saysFull } from '../../../wire/pool/says-full.ts'
import type { Meaning, Reply } from './replies.ts'

/**
 * Whether a server takes logins only over TLS. No reply code says so, but the words do: `530 Non-anonymous sessions
 * must use encryption.` (vsftpd), `550 SSL/TLS required on the control channel` (proftpd, pyftpdlib), `421 Sorry,
 * cleartext sessions and weak ciphers are not accepted on this server.` (pure-ftpd).
 */
export function wantsTls({ text }: Reply): boolean {
  return /\b(?:TLS|SSL|FTPS|encrypt(?:ion|ed)|clear-?text)\b/i.test(text)
}

/**
 * Whether the server has too many sessions: 421 at the greeting (vsftpd), or such words at the greeting or the login.
 */
export function isFull(error: unknown): error is RetrievalError {
  if (!RetrievalError.is(error) || error.reply === undefined) return false
  const { phase, reply } = error
  return (
    (phase === 'greeting' && reply.startsWith('421')) ||
    ((phase === 'greeting' || phase === 'login') && saysFull(reply))
  )
}

const requireTls = { option: 'defaults.requireTls' } as const

/** What refusedByServer says if the words ask for TLS. */
export const tlsWanted: Pick<Meaning, 'code' | 'advice' | 'extras'> = {
  code: 'auth-failed',
  advice: `It takes logins within TLS alone: use an ftpes: URL, or the option ${adviceText(requireTls)}`,
  extras: { advice: requireTls },
}

/** The meaning of a refusal whose words say that the server is full. */
export const full: Pick<Meaning, 'code' | 'advice' | 'transient'> = {
  code: 'server-refused',
  advice: 'It has as many clients as it takes; try again later',
  transient: true,
}
