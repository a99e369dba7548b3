/**
 * Whether the words say that too many clients are connected: `Sorry, the maximum number of allowed clients (10) are
 * already connected.` (proftpd), `Too many users logged in`. `Login incorrect, too many failed logins` is about one
 * client.
 */
export function saysFull(words: string): boolean {
  const isFull =
    /\b(?:too many|maximum|limit)\b.{0,80}\b(?:users?|clients?|connect(?:ed|ions?)|logins?|logged|sessions?|reached)\b/i.test(
      words,
    )
  return isFull && !/\b(?:fail(?:ed|ures?)?|attempts?|tries|incorrect|invalid|wrong)\b/i.test(words)
}
