/** Query and header-like names whose values are secrets (security.md section 2). */
const secretKey =
  /([?&;](?:[\w.-]*(?:token|secret|signature|password|passwd|api[-_]?key)|sig|key|code|auth|x-amz-[\w-]+)=)[^&;#\s]*/gi

/**
 * `scheme://user:password@host`: the password ends at the last `@` before the next `/`, or, in what is no
 * well-formed URL, before white space. Better too much hidden than too little.
 */
const userinfoPassword = /(^|[^a-z0-9])([a-z][a-z0-9+.-]*:\/\/|\/\/)([^\s/:@]*):([^\s/]*)@/gi

/** A password that holds a raw `/` would end the authority early: `ftp://u:p/w@h/`. Caught by the next `@` in the word. */
const strayPassword = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@?#]*):(?!\d*(?:[/?#]|$))([^\s@]*)@/gi

/**
 * The text with the password of every URL in it, and the values of query keys that name secrets, replaced
 * by `***`. An empty password stays: it is no secret, and `u:@h` differs from `u@h`. Works on any text, also on
 * URLs too broken to parse.
 */
export function redact(text: string): string {
  return text
    .replace(
      userinfoPassword,
      (_, before, scheme, user, password) => `${before}${scheme}${user}:${password === '' ? '' : '***'}@`,
    )
    .replace(strayPassword, (whole, head, password) => (password === '' || password === '***' ? whole : `${head}:***@`))
    .replace(secretKey, '$1***')
}
