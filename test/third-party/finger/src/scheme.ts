import { decodeOctets, type Locator, type Place, type Scheme } from '@retriever/core'

/** RFC 1288: one line that asks, and the answer to the end of the connection. */
export interface FingerPlan {
  readonly mechanism: 'rfc1288'
  readonly host: string
  readonly port: number
  readonly tls: 'none'
  /** {Q1} or {Q2} of RFC 1288 2.3: `user`, `/W user`, `user@host`; empty for all users. */
  readonly query: string
  readonly wire: readonly string[]
}

declare module '@retriever/core' {
  interface AccessPlans {
    rfc1288: FingerPlan
  }
}

/**
 * `finger://host:port/query`, as in draft-ietf-uri-url-finger. Takes the place of the scheme that core has under this
 * name.
 */
export const finger: Scheme = {
  name: 'finger',
  title: 'The Finger User Information Protocol',
  spec: 'RFC 1288',
  mechanism: 'rfc1288',
  defaultPort: 79,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: false,
  lineParts: ['urlPath'],
  sendsFirst: true,
  resolve: fingerPlan,
}

function fingerPlan(locator: Locator, place: Place): FingerPlan {
  const query = decodeOctets(locator.urlPath ?? '')
  if (/^\/W\S/.test(query)) place.fail('a blank must follow /W', 'urlPath')
  return {
    mechanism: 'rfc1288',
    host: place.host,
    port: place.port,
    tls: 'none',
    query,
    wire: [`${query}\r\n`],
  }
}
