import { isIPv6 } from 'node:net'
import { Refusal } from './problem.ts'

/** The limits for one client. */
interface Rates {
  readonly clientRate: number
  readonly clientRequests: number
}

interface Client {
  /** How many requests are being answered. */
  open: number
  /** How many requests it may begin now, at the time `at`. */
  left: number
  at: number
}

/** When so many clients are known, those that may ask as much as a new one are forgotten. */
const mostKnown = 10_000

/** Counts the requests of clients, by their addresses. */
export class Clients {
  readonly #rates: Rates
  readonly #now: () => number
  readonly #known = new Map<string, Client>()

  /** `now` gives milliseconds. */
  constructor(rates: Rates, now: () => number = () => performance.now()) {
    this.#rates = rates
    this.#now = now
  }

  /** Begins a request of a client; the function returned ends it. Throws if the client has had enough. */
  enter(address: string): () => void {
    const { clientRate, clientRequests } = this.#rates
    if (clientRate === Number.POSITIVE_INFINITY && clientRequests === Number.POSITIVE_INFINITY) return () => {}
    const client = this.#find(networkOf(address))
    if (client.open >= clientRequests) {
      throw tooMany(`The gateway answers ${clientRequests} requests of a client at a time`, 1)
    }
    if (client.left < 1) {
      throw tooMany(`The gateway answers ${clientRate} requests of a client a second`, (1 - client.left) / clientRate)
    }
    client.left--
    client.open++
    let isOpen = true
    return () => {
      if (isOpen) client.open--
      isOpen = false
    }
  }

  #find(network: string): Client {
    const now = this.#now()
    const known = this.#known.get(network)
    if (known !== undefined) {
      this.#refill(known, now)
      return known
    }
    if (this.#known.size >= mostKnown) this.#forget(now)
    const client = { open: 0, left: this.#most, at: now }
    this.#known.set(network, client)
    return client
  }

  #forget(now: number): void {
    for (const [network, client] of this.#known) {
      this.#refill(client, now)
      if (client.open === 0 && client.left === this.#most) this.#known.delete(network)
    }
  }

  /** The most requests at once: a client saves up those of one second. */
  get #most(): number {
    return Math.max(1, this.#rates.clientRate)
  }

  #refill(client: Client, now: number): void {
    client.left = Math.min(this.#most, client.left + ((now - client.at) / 1000) * this.#rates.clientRate)
    client.at = now
  }
}

function tooMany(message: string, seconds: number): Refusal {
  return new Refusal(429, `${message}; wait, and try again.`, [['Retry-After', String(Math.ceil(seconds))]])
}

/** The address, or for IPv6 the network of 64 bits, since one client may have all addresses in it. */
function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1)
  if (!isIPv6(bare)) return bare
  const mapped = /^::ffff:([\d.]+)$/i.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = bare.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - groups.length - after.length }, () => '0')
  return [...groups, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':')
}
