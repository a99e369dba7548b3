import type { RetrievalError } from '@retriever/core'
import type { Client } from '@retriever/fetchers'
import { checkOptions, count, flag, invalidOption, type OptionKind } from '@retriever/fetchers/plugin'

/** The rules for the clients of a gateway: which ones it answers, and whether it makes tunnels for them. */
export interface GatewayPolicy {
  /**
   * The password that each request must have in Proxy-Authorization, with any user: 16 to 256 visible ASCII characters.
   * Null: no password, and only programs of this machine are answered. Default null.
   */
  readonly token?: string | null
  /** True: CONNECT makes tunnels to port 443. Default false. */
  readonly tunnels?: boolean
  /**
   * True: nothing is passed on to servers; `client.retrieve` answers for http as for all others, with a step (`use`)
   * that knows the answers. Default false.
   */
  readonly offline?: boolean
}

/** How much a gateway does at once, and how long it waits for its clients. */
export interface GatewayLimits {
  /** How many requests are answered at a time; further ones get 503. Default 64. */
  readonly requests?: number
  /**
   * How many requests of one client are answered a second, by the address it connects from; further ones get 429. A
   * network of 64 bits is one client of IPv6. Default Infinity.
   */
  readonly clientRate?: number
  /** How many requests of one client are answered at a time; further ones get 429. Default Infinity. */
  readonly clientRequests?: number
  /** How many connections of clients are open at a time; further ones are closed at once. Default 4096. */
  readonly connections?: number
  /** How long a client may take to send the head of its request: 1 to 2147483647 milliseconds. Default 10000. */
  readonly headTimeout?: number
  /** How long nothing may move on a connection, or in the body of a `fetch`, likewise. Default 120000. */
  readonly idleTimeout?: number
}

export interface GatewayOptions {
  /** Retrieves the URLs, by its policy and limits. The gateway does not close it. */
  readonly client: Client
  readonly policy?: GatewayPolicy
  readonly limits?: GatewayLimits
  /** Makes the message for an error, if clients are to read another one than the error has. */
  readonly messageOf?: (error: RetrievalError) => string
}

/** The options of a gateway, checked and complete. */
export interface Settings {
  readonly client: Client
  readonly token: string | null
  readonly tunnels: boolean
  readonly offline: boolean
  readonly limits: Required<GatewayLimits>
  readonly messageOf: (error: RetrievalError) => string
}

const token: OptionKind = [
  '16 to 256 visible ASCII characters, or null',
  (value) => value === null || (typeof value === 'string' && /^[\x21-\x7E]{16,256}$/.test(value)),
]
const policyKinds: Readonly<Record<keyof GatewayPolicy, OptionKind>> = { token, tunnels: flag, offline: flag }
const rate: OptionKind = ['a number above 0', (value) => typeof value === 'number' && value > 0]
/** Node's servers and timers take no other times: Infinity throws for each connection, and 2^31 becomes 1. */
const timeout: OptionKind = [
  'a whole number of milliseconds from 1 to 2147483647',
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 2_147_483_647,
]
const limitKinds: Readonly<Record<keyof GatewayLimits, OptionKind>> = {
  requests: count,
  clientRate: rate,
  clientRequests: rate,
  connections: count,
  headTimeout: timeout,
  idleTimeout: timeout,
}
const defaultLimits: Required<GatewayLimits> = {
  requests: 64,
  clientRate: Number.POSITIVE_INFINITY,
  clientRequests: Number.POSITIVE_INFINITY,
  connections: 4096,
  headTimeout: 10_000,
  idleTimeout: 120_000,
}

/** Throws `invalid-option`. */
export function readOptions(options: GatewayOptions): Settings {
  const { client, policy = {}, limits = {}, messageOf = ({ message }: RetrievalError) => message } = options
  if (typeof client?.retrieve !== 'function') throw invalidOption('client', 'a client of createClient()', client)
  checkOptions(policy, policyKinds, 'policy.')
  checkOptions(limits, limitKinds, 'limits.')
  if (policy.offline === true && policy.tunnels === true) {
    throw invalidOption('policy.tunnels', 'absent or false with `policy.offline`', true)
  }
  return {
    client,
    token: policy.token ?? null,
    tunnels: policy.tunnels ?? false,
    offline: policy.offline ?? false,
    limits: {
      ...defaultLimits,
      ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
    },
    messageOf,
  }
}
