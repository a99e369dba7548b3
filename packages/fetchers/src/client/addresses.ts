import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { adviceText, isInward, RetrievalError, resolve } from '@retriever/core'
import { invalidOption } from '../plugin/limits.ts'
import type { Addresses } from '../plugin/network.ts'
import { allowInward, publicOnly } from './policy.ts'

/** `host:port` and the addresses to connect to, instead of those that the resolver gives. */
export type PinnedAddresses = Readonly<Record<string, readonly string[]>>

/** The addresses of hosts that one client may connect to. */
export class AddressBook {
  readonly #pinned: ReadonlyMap<string, readonly LookupAddress[]>
  readonly #publicOnly: boolean
  /** The addresses for hosts that the caller named, and for hosts that a server elsewhere points to. */
  readonly asked: Addresses
  readonly pointedTo: Addresses

  /** Throws `invalid-option`. */
  constructor(pinned: PinnedAddresses = {}, publicOnly = false) {
    this.#pinned = readPinned(pinned)
    this.#publicOnly = publicOnly
    this.asked = this.#view(false)
    this.pointedTo = this.#view(true)
  }

  #view(isPointedTo: boolean): Addresses {
    const allows = (address: string): boolean =>
      !(isPointedTo && isInward(address)) && !(this.#publicOnly && !isPublic(address))
    return {
      isPointedTo,
      of: async (host, port, options) =>
        (await this.#find(host, port, options)).filter(({ address }) => allows(address)),
      allows,
      rule: this.#publicOnly
        ? `it has no public address, and ${adviceText(publicOnly)} allows no other.`
        : `the redirect leads inward. ${adviceText(allowInward)} follows it.`,
      advice: this.#publicOnly ? publicOnly : allowInward,
      keyOf: (host, port) => {
        const pinned = this.#pinned.size === 0 ? undefined : this.#pinned.get(`${host}:${port}`)
        const isPlain = pinned === undefined && !this.#publicOnly
        return isPlain ? '' : JSON.stringify([this.#publicOnly, pinned ?? null])
      },
    }
  }

  async #find(host: string, port: number, options: LookupOptions = {}): Promise<readonly LookupAddress[]> {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    return this.#pinned.get(`${host}:${port}`) ?? lookup(host, { ...options, all: true })
  }
}

/**
 * Addresses that are not public, by IANA's registries of special-purpose addresses (RFC 6890) and security.md section
 * 2. They include IPv6 addresses that stand for IPv4: `::127.0.0.1`, `64:ff9b::127.0.0.1`, 6to4, Teredo. Node itself
 * checks `::ffff:127.0.0.1` against the rules of IPv4.
 */
const special = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  // Link-local addresses, and the former site-local ones beside them (RFC 3879).
  ['fe80::', 9],
  ['ff00::', 8],
] as const) {
  special.addSubnet(network, prefix, 'ipv6')
}

function isPublic(address: string): boolean {
  const bare = address.replace(/%.*$/s, '')
  return !special.check(bare, isIP(bare) === 4 ? 'ipv4' : 'ipv6')
}

const expectedKey = 'an object of `host:port` and lists of addresses'

function readPinned(pinned: PinnedAddresses): Map<string, readonly LookupAddress[]> {
  const entries = Object.entries(pinned).map(([place, addresses]) => {
    if (!Array.isArray(addresses) || addresses.length === 0) {
      throw invalidOption('addresses', 'an array of one address or more', addresses, place)
    }
    return [readPlace(place), addresses.map((text: unknown) => readAddress(place, text))] as const
  })
  return new Map(entries)
}

/** Normalises the host as in a URL, so that `WWW.Example.org:80` is found again. */
function readPlace(place: string): string {
  try {
    const [, port] = /:(\d{1,5})$/.exec(place) ?? []
    const { plan } = resolve(`http://${place}/`, { domainToAscii: domainToASCII })
    if (
      plan.mechanism === 'http' &&
      plan.target === '/' &&
      plan.user === null &&
      port !== undefined &&
      !isIP(plan.host)
    )
      return `${plan.host}:${plan.port}`
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
  }
  throw invalidOption('addresses', `${expectedKey}, the host a name`, place)
}

function readAddress(place: string, text: unknown): LookupAddress {
  const address = String(text).replace(/^\[(.*)\]$/, '$1')
  const family = isIP(address)
  if (typeof text === 'string' && family !== 0) return { address, family }
  throw invalidOption('addresses', 'a list of IPv4 and IPv6 addresses', text, place)
}
