import { isIP } from 'node:net'
import type { Asked } from '../answer.ts'
import { checkToken } from '../guard.ts'
import type { Settings } from '../options.ts'
import { Refusal } from '../problem.ts'

/** Which of the origins of the pages a request is for. */
export interface AskedOrigin {
  /** The label below localhost, for octets; null: the origin of the pages. */
  readonly label: string | null
  /** The port with its colon, as the client wrote it; "" if it did not. */
  readonly port: string
  /** Whether `LABEL.localhost` leads back here: the client is on this machine. */
  readonly isLocal: boolean
}

/** The origin by Host. Throws for another name: a page may have given it our address (DNS rebinding). */
export function originOf({ headers }: Asked, { token }: Settings): AskedOrigin {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(headers.host?.toLowerCase() ?? '') ?? []
  const [, label] = /^([\da-f]{16})\.localhost$/.exec(host) ?? []
  if (label !== undefined) return { label, port, isLocal: true }
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(host)
  const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0
  if (isLocal || (token !== null && isAddress)) return { label: null, port, isLocal }
  throw new Refusal(421, 'The gateway has another name; use http://localhost and its port.')
}

/** Throws unless the client has the token of a gateway that has one, as the password of any user. */
export function checkReader({ headers }: Asked, { token }: Settings): void {
  try {
    checkToken(headers.authorization, token)
  } catch {
    const message = 'This gateway wants its token as the password, with any user.'
    throw new Refusal(401, message, [['WWW-Authenticate', 'Basic realm="retrieve gateway", charset="UTF-8"']])
  }
}

/** The side that made a browser ask: a person or our page, or another site's page, for a document or a part. */
export type Initiator = 'ours' | 'document of others' | 'part of others'

/**
 * Tells by Sec-Fetch-Site (Fetch Metadata) which side made a browser ask; where a browser sends none, by Referer, which
 * is ours or absent if a person asks. A page on another port of this machine is `same-site`, and not ours.
 */
export function initiatorOf({ headers }: Asked): Initiator {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, referer, host } = headers
  if (site === 'none' || site === 'same-origin') return 'ours'
  if (site !== undefined) return mode === 'navigate' && dest === 'document' ? 'document of others' : 'part of others'
  return referer === undefined || referer.startsWith(`http://${host}/`) ? 'ours' : 'document of others'
}

/** Throws for a form that another site's page sends. */
export function checkSender({ headers }: Asked): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOurs = origin === undefined ? site === undefined || site === 'same-origin' : origin === `http://${host}`
  if (!isOurs) throw new Refusal(403, 'The form is from another site.')
}
