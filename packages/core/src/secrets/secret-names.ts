import { decodeOctets } from '../url/percent.ts'

/**
 * What the name of a secret ends in, whatever stands before it: `access_token`, `X-Goog-Signature`, `PHPSESSID`,
 * `AWSAccessKeyId`, `user[password]`. A signed request is a secret too: with it another may do what its owner may.
 */
const endings = [
  'token|secret|signature|hmac|jwt|bearer|authorization|credentials?|assertion|saml(?:request|response)',
  'passw(?:or)?d|passphrase|passcode|api[-_]?key',
  '(?:access|private|secret|auth|account|session|subscription)[-_]?key(?:[-_]?id)?',
  'session(?:[-_]?id)?|sess[-_]?id|(?:auth|access|otp|verification|one-?time)[-_]?code|[cx]srf|totp',
].join('|')

/** Short ones, which other words end in: the whole name, or its last part, as in `user_pin`. */
const words = 'sid|otp|pin|pwd?|pass'

/** `sort_key` and `country_code` are none. */
const wholeNames = 'sig|key|code|auth|ticket'

const secretName = new RegExp(
  `^(?:[\\w.[\\]-]*(?:${endings})|(?:[\\w.[\\]-]*[-_.[])?(?:${words})|${wholeNames}|x-amz-[\\w-]+)\\]?$`,
  'i',
)

/** Whether what a parameter of this name holds is to be hidden. The name as it stands in a URL, escaped or not. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.includes('%') ? decodeOctets(decodeOctets(name)) : name)
}
