import { octetsToText, printable, type Resolution } from '@retriever/core'
import { shellWord } from '@retriever/core/internal'

/**
 * The user and password that the URL of a service suggests to the person; null if it suggests none. They are shown and
 * not sent (RFC 1738 3.8, RFC 4248 2), and no log gets the password.
 */
export function loginAdvice({ plan }: Resolution, user: string | null | undefined): string | null {
  const password =
    'password' in plan && plan.password !== null ? shellWord(printable(octetsToText(plan.password))) : null
  if (!user) return password === null ? null : `The URL suggests the password ${password}.`
  const who = `The URL suggests logging in as ${shellWord(printable(user))}`
  return password === null ? `${who}.` : `${who} with the password ${password}.`
}
