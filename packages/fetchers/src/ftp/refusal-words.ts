import type { Reply } from './replies.ts'

/**
 * Whether a server wants logins within TLS. No reply code says so, but the words do: `530 Non-anonymous sessions must
 * use encryption.` (vsftpd), `550 SSL/TLS required on the control channel` (proftpd, pyftpdlib), `421 Sorry, cleartext
 * sessions and weak ciphers are not accepted on this server.` (pure-ftpd).
 */
export function wantsTls({ text }: Reply): boolean {
  return /\b(?:TLS|SSL|FTPS|encrypt(?:ion|ed)|clear-?text)\b/i.test(text)
}

/**
 * `530 Sorry, the maximum number of allowed clients (10) are already connected.` (proftpd), `421 Too many users logged
 * in`.
 */
export function isFull({ text }: Reply): boolean {
  return /\b(?:too many|maximum|limit)\b.{0,80}\b(?:users?|clients?|connect(?:ed|ions?)|logins?|logged|sessions?|reached)\b/i.test(
    text,
  )
}

export const tlsAdvice = 'It takes logins within TLS alone: use an ftpes: URL, or the option `defaults.requireTls`'
export const fullAdvice = 'It has as many clients as it takes; try again later'
