import { isSecretField } from '@retriever/core/internal'

/** In octets. A shorter secret also occurs within other words, so the masked places would betray it. */
export const shortestSecret = 4

/** Masks secrets in the words of a peer, one octet a character. */
export type Hide = (octets: string) => string

/**
 * Makes a function that masks the secrets of a request if a peer repeats them: the values of fields that hold secrets,
 * the password within a Basic login, and `others`, such as a password that an earlier request has sent.
 */
export function hideSent(
  fields: Iterable<readonly [name: string, value: string | null]>,
  others: readonly (string | null | undefined)[] = [],
): Hide {
  const secrets = new Set(others.flatMap((secret) => secret ?? []))
  for (const [name, value] of fields) {
    if (value !== null && isSecretField(name)) for (const form of formsOf(value)) secrets.add(form)
  }
  // Longest first, since a secret may be a part of another one.
  const long = [...secrets].filter(({ length }) => length >= shortestSecret)
  const longestFirst = long.sort((one, other) => other.length - one.length)
  return (octets) => longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '<password>'), octets)
}

/**
 * Returns a value, the credentials after its scheme (RFC 9110 11.4), and the password if these are Basic (RFC 7617).
 */
function formsOf(value: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S.*)$/s.exec(value) ?? []
  if (!/^basic$/i.test(scheme)) return [value, credentials]
  const login = Buffer.from(credentials, 'base64').toString('latin1')
  return [value, credentials, login.slice(login.indexOf(':') + 1)]
}
