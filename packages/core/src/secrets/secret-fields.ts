/** Words that mark a secret anywhere in a name. `auth` does not count in `Author` and `Authority`. */
const secretPart =
  /auth(?!or(?:s|ity)?(?:$|[-_]))|cookie|credential|jwt|key|passphrase|passw|secret|sess(?:ion|id)|signature|token/i
/** Words that mark a secret only as a whole word: they are too short to be looked for within others. */
const secretWord =
  /(?:^|[-_])(?:assertion|bearer|csrf|hmac|login|nonce|otp|pass(?:code)?|pin|pwd|saml|sid|sig|ticket|xsrf)(?:$|[-_])/i
/** Fields that say what the server demands or allows; they hold no secret. */
const harmless = /^(?:(?:www|proxy)-authenticate|access-control-.*)$/i

/**
 * Whether a header field may hold a secret, such as a token or a cookie (threats.md case 47: secrets in logs and
 * errors).
 */
export function isSecretField(name: string): boolean {
  return !harmless.test(name) && (secretPart.test(name) || secretWord.test(name))
}
