import { decodeOctets } from '../url/percent.ts'

/**
 * Endings of the names of secrets: `access_token`, `X-Goog-Signature`, `PHPSESSID`, `AWSAccessKeyId`, `user[password]`.
 * Signatures count as well, since anyone can repeat a signed request.
 */
const endings = [
  'token|secret|signature|hmac|jwt|bearer|authorization|credentials?|assertion|saml(?:request|response)',
  'passw(?:or)?d|passphrase|passcode|api[-_]?key',
  '(?:access|private|secret|auth|account|session|subscription)[-_]?key(?:[-_]?id)?',
  'session(?:[-_]?id)?|sess[-_]?id|(?:auth|access|otp|verification|one-?time)[-_]?code|[cx]srf|totp',
].join('|')

/** Short names that count as the whole name or its last part, as in `user_pin`; other words end with them, too. */
const words = 'sid|otp|pin|pwd?|pass'

/** Names that count only as the whole name: `sort_key` and `country_code` are no secrets. */
const wholeNames = 'sig|key|code|auth|ticket'

const secretName = new RegExp(
  `^(?:[\\w.[\\]-]*(?:${endings})|(?:[\\w.[\\]-]*[-_.[])?(?:${words})|${wholeNames}|x-amz-[\\w-]+)\\]?$`,
  'i',
)

/** Whether the value of a parameter of this name is a secret. The name may be escaped, as in a URL. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.includes('%') ? decodeOctets(decodeOctets(name)) : name)
}
