import type { Credentials, RetrievalContext } from '../contract/fetcher.ts'

/**
 * Makes the message of SASL PLAIN (RFC 4616 2) in Base64. User and password are octets, one a character. Throws
 * `refused` if they hold a NUL, which would end the user early.
 */
export function plainMessage({ user, password }: Credentials, context: RetrievalContext): string {
  if (user.includes('\0') || password.includes('\0')) {
    throw context.error('refused', 'The user or the password has a NUL, which no login can send.', { phase: 'policy' })
  }
  return Buffer.from(`\0${user}\0${password}`, 'latin1').toString('base64')
}
