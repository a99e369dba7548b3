import { createHash, getHashes, randomBytes } from 'node:crypto'
import { encodeOctets } from '@retriever/core'
import type { AuthChallenge } from './challenge.ts'
import type { Login, UserAndPassword } from './login.ts'

/** Digest Access Authentication (RFC 7616; without qop, RFC 2069). Strings hold one octet a character. */

/** A Digest challenge that can be answered. */
export interface DigestOffer {
  readonly realm: string
  readonly nonce: string
  readonly opaque: string | null
  /** The algorithm as the server wrote it. Null: the server named none, which means MD5. */
  readonly algorithm: string | null
  /** The algorithm's name in node:crypto. */
  readonly hash: 'md5' | 'sha256' | 'sha512-256'
  readonly isSession: boolean
  /** False for RFC 2069, which has no client nonce and no count. */
  readonly hasQop: boolean
  /** True if only the nonce was too old: user and password were right. */
  readonly isStale: boolean
  readonly isUserHashed: boolean
  readonly isUtf8: boolean
}

/** The algorithms of RFC 7616 6.1, the strongest first. */
const hashes: Readonly<Record<string, DigestOffer['hash']>> = {
  'sha-512-256': 'sha512-256',
  'sha-256': 'sha256',
  md5: 'md5',
}

/**
 * Picks the strongest digest that is offered. Returns null if none is offered or supported (another algorithm, or only
 * auth-int).
 */
export function strongestDigest(challenges: readonly AuthChallenge[]): DigestOffer | null {
  const order = Object.values(hashes)
  const offers = challenges.map(readOffer).filter((offer) => offer !== null)
  return offers.sort((left, right) => order.indexOf(left.hash) - order.indexOf(right.hash))[0] ?? null
}

function readOffer({ scheme, params }: AuthChallenge): DigestOffer | null {
  const realm = params.get('realm')
  const nonce = params.get('nonce')
  if (scheme !== 'digest' || realm === undefined || nonce === undefined) return null
  const algorithm = params.get('algorithm') ?? null
  const [, name = '', session] = /^(.*?)(-sess)?$/i.exec(algorithm ?? 'MD5') ?? []
  const hash = Object.hasOwn(hashes, name.toLowerCase()) ? hashes[name.toLowerCase()] : undefined
  // A Node in FIPS mode has no MD5.
  if (hash === undefined || !getHashes().includes(hash)) return null
  const qop =
    params
      .get('qop')
      ?.toLowerCase()
      .split(/[\s,]+/) ?? []
  const hasQop = qop.includes('auth')
  if (!hasQop && (qop.length > 0 || session !== undefined)) return null
  return {
    realm,
    nonce,
    opaque: params.get('opaque') ?? null,
    algorithm,
    hash,
    isSession: session !== undefined,
    hasQop,
    isStale: params.get('stale')?.toLowerCase() === 'true',
    isUserHashed: params.get('userhash')?.toLowerCase() === 'true',
    isUtf8: params.get('charset')?.toLowerCase() === 'utf-8',
  }
}

/** The request that a digest is made for. */
export interface DigestRequest {
  readonly method: string
  /** The request-target as sent (RFC 7616 3.4.6). */
  readonly uri: string
  /** How many requests have used this nonce, including this one. */
  readonly count: number
  readonly cnonce: string
}

/** Makes the value of Authorization or Proxy-Authorization (RFC 7616 3.4). */
export function digestCredentials(
  offer: DigestOffer,
  { user, password }: UserAndPassword,
  { method, uri, count, cnonce }: DigestRequest,
): string {
  const { realm, nonce, opaque, algorithm, isUserHashed, hasQop } = offer
  const h = (octets: string): string => createHash(offer.hash).update(octets, 'latin1').digest('hex')
  const secret = h(`${user}:${realm}:${password}`)
  const a1 = offer.isSession ? h(`${secret}:${nonce}:${cnonce}`) : secret
  const a2 = h(`${method}:${uri}`)
  const nc = count.toString(16).padStart(8, '0')
  const response = hasQop ? h(`${a1}:${nonce}:${nc}:${cnonce}:auth:${a2}`) : h(`${a1}:${nonce}:${a2}`)
  const fields = [
    isUserHashed ? `username=${quote(h(`${user}:${realm}`))}` : userField(user, offer),
    `realm=${quote(realm)}`,
    `uri=${quote(uri)}`,
    ...(algorithm === null ? [] : [`algorithm=${algorithm}`]),
    `nonce=${quote(nonce)}`,
    ...(hasQop ? [`nc=${nc}`, `cnonce=${quote(cnonce)}`, 'qop=auth'] : []),
    `response=${quote(response)}`,
    ...(opaque === null ? [] : [`opaque=${quote(opaque)}`]),
    ...(isUserHashed ? ['userhash=true'] : []),
  ]
  return `Digest ${fields.join(', ')}`
}

/**
 * Writes the user in the notation of RFC 8187 if a quoted string cannot hold it, or if it has more than ASCII and the
 * server says that it reads UTF-8. Otherwise writes it octet for octet, as browsers do.
 */
function userField(user: string, { isUtf8 }: DigestOffer): string {
  const fits = isUtf8 ? /^[\x20-\x7E]*$/ : /^[\x20-\x7E\x80-\xFF]*$/
  return fits.test(user) ? `username=${quote(user)}` : `username*=UTF-8''${encodeOctets(user)}`
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Answers one challenge for several requests. */
export class DigestLogin implements Login {
  readonly #offer: DigestOffer
  readonly #login: UserAndPassword
  /** The client nonce of all requests. In a session, the nonce of the first answer stays (RFC 7616 3.4.2). */
  readonly #cnonce = randomBytes(24).toString('base64')
  #count = 0

  constructor(offer: DigestOffer, login: UserAndPassword) {
    this.#offer = offer
    this.#login = login
  }

  credentials(method: string, uri: string): string {
    this.#count++
    return digestCredentials(this.#offer, this.#login, { method, uri, count: this.#count, cnonce: this.#cnonce })
  }

  /** Makes the same login with a new nonce. */
  renewed(offer: DigestOffer): DigestLogin {
    return new DigestLogin(offer, this.#login)
  }
}
