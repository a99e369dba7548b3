import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import { RetrievalError } from '@retriever/core'
import { adviceText, isInward } from '@retriever/core/internal'
import type { Addresses, Lookup } from '../../contract/network.ts'
import { invalidOption } from '../../kit/limits.ts'
import { isLoopbackName, lookUp } from '../../wire/transport/lookup.ts'
import { isPublic } from '../../wire/transport/public-addresses.ts'
import { allowInward, type Policy, publicOnly } from '../policy.ts'
import { resolvePlace } from '../resolving.ts'
import { AddressExceptions } from './exceptions.ts'
import { keyOfFunction } from './function-key.ts'

/** `host:port`, or `*:port` for all other hosts, and the addresses to connect to instead of the resolver's. */
export type PinnedAddresses = Readonly<Record<string, readonly string[]>>

type AddressRules = Partial<Pick<Policy, 'publicOnly' | 'allowAddresses'>>

/** The addresses of hosts that one client may connect to. */
export class AddressBook {
  readonly #pinned: ReadonlyMap<string, readonly LookupAddress[]>
  readonly #publicOnly: boolean
  readonly #allowed: readonly string[]
  readonly #exceptions: AddressExceptions
  readonly #lookup: Lookup | undefined
  /** The addresses for hosts that the caller named, and for hosts that a server elsewhere points to. */
  readonly asked: Addresses
  readonly pointedTo: Addresses

  private constructor(
    pinned: ReadonlyMap<string, readonly LookupAddress[]>,
    { publicOnly: isPublicOnly = false, allowAddresses = [] }: AddressRules,
    lookup: Lookup | undefined,
  ) {
    this.#lookup = lookup
    this.#pinned = pinned
    this.#publicOnly = isPublicOnly
    this.#allowed = isPublicOnly ? allowAddresses : []
    this.#exceptions = new AddressExceptions(this.#allowed)
    this.asked = this.#view(false)
    this.pointedTo = this.#view(true)
  }

  /** Throws `invalid-option`. */
  static read(pinned: PinnedAddresses = {}, rules: AddressRules = {}, lookup?: Lookup): AddressBook {
    return new AddressBook(readPinned(pinned), rules, lookup)
  }

  /** The same addresses under other rules. */
  under(rules: AddressRules): AddressBook {
    return new AddressBook(this.#pinned, rules, this.#lookup)
  }

  #view(isPointedTo: boolean): Addresses {
    const allows = (address: string, port?: number): boolean =>
      !(isPointedTo && isInward(address)) &&
      (!this.#publicOnly || isPublic(address) || this.#exceptions.has(address, port))
    return {
      isPointedTo,
      isPublicOnly: this.#publicOnly,
      of: async (host, port, options) =>
        (await this.#find(host, port, options)).filter(({ address }) => allows(address, port)),
      allows,
      rule: this.#publicOnly
        ? `it has no public address, and ${adviceText(publicOnly)} allows no other.`
        : `the redirect or link leads inward. ${adviceText(allowInward)} follows it.`,
      advice: this.#publicOnly ? publicOnly : allowInward,
      keyOf: (host, port) => {
        const pinned = this.#pinned.size === 0 ? undefined : this.#pinnedTo(host, port)
        const isPlain = pinned === undefined && !this.#publicOnly && this.#lookup === undefined
        if (isPlain) return ''
        return JSON.stringify([this.#publicOnly, this.#allowed, pinned ?? null, keyOfFunction(this.#lookup)])
      },
    }
  }

  #pinnedTo(host: string, port: number): readonly LookupAddress[] | undefined {
    return this.#pinned.get(`${host}:${port}`) ?? this.#pinned.get(`*:${port}`)
  }

  async #find(host: string, port: number, options?: LookupOptions): Promise<readonly LookupAddress[]> {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    return this.#pinnedTo(host, port) ?? (await this.#asked(host, port)) ?? lookUp(host, options)
  }

  /** Asks the caller's function for addresses. Null if the system is to be asked. */
  async #asked(host: string, port: number): Promise<readonly LookupAddress[] | null> {
    // RFC 6761 6.3: these names are this machine, and nobody is asked.
    if (this.#lookup === undefined || isLoopbackName(host)) return null
    const given: unknown = await this.#lookup(host, port)
    if (given === null || given === undefined) return null
    const found = Array.isArray(given)
      ? given.map((each) => ({ address: String(each), family: isIP(String(each)) }))
      : null
    if (found === null || found.some(({ family }) => family === 0)) {
      throw invalidOption('lookup', 'a function that gives a list of IPv4 and IPv6 addresses, or null', given)
    }
    if (found.length === 0) throw Object.assign(new Error(host), { code: 'ENOTFOUND' })
    return found
  }
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
  if (/^\*:\d{1,5}$/.test(place) && Number(place.slice(2)) <= 65_535) return `*:${Number(place.slice(2))}`
  try {
    const [, port] = /:(\d{1,5})$/.exec(place) ?? []
    const { plan } = resolvePlace(`${place}/`)
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
