const whom = '(?:users?|clients?|connect(?:ed|ions?)|logins?|logged|sessions?|threads?)'
const full = new RegExp(
  `\\b(?:too many|max(?:imum)?|limit|exceed(?:ed)?)\\b.{0,80}\\b(?:${whom}|reached)\\b|\\b${whom} limit\\b`,
  'i',
)
// An expression of its own: with this one in it, `full` is too large for the checker of test/regexps.test.ts.
const few = new RegExp(`\\bonly (?:one|\\d{1,4})\\b.{0,40}\\b${whom}\\b`, 'i')

/**
 * Whether the words say that too many clients are connected: `Sorry, the maximum number of allowed clients (10) are
 * already connected.` (proftpd), `Too many users logged in`, `You exceed max. number of connections` (news servers),
 * `Only 2 connections are allowed from your address`. `Login incorrect, too many failed logins` is about one client.
 */
export function saysFull(words: string): boolean {
  const isFull = full.test(words) || few.test(words)
  return isFull && !/\b(?:fail(?:ed|ures?)?|attempts?|tries|incorrect|invalid|wrong)\b/i.test(words)
}
