import { encodeOctets } from '@retriever/core'

/** Shorter secrets have forms that stand in other words, too. */
const leastEncoded = 4

/**
 * The forms in which a server may repeat a secret, the longest first: as it is, in base64 (RFC 4648 4 and 5), and
 * percent-encoded. The secret has an octet a character.
 */
export function secretForms(...secrets: readonly string[]): readonly string[] {
  const forms = new Set(secrets.flatMap((secret) => [secret, ...(secret.length < leastEncoded ? [] : encoded(secret))]))
  forms.delete('')
  return [...forms].sort((one, other) => other.length - one.length)
}

function encoded(secret: string): readonly string[] {
  const octets = Buffer.from(secret, 'latin1')
  const base64 = octets.toString('base64')
  const upper = encodeOctets(secret)
  const lower = upper.replace(/%../g, (octet) => octet.toLowerCase())
  return [base64, base64.replaceAll('=', ''), octets.toString('base64url'), upper, lower]
}
