import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { Clients } from './clients.ts'
import type { Settings } from './options.ts'
import { Refusal } from './problem.ts'

/** The state of a gateway, which its proxy and its pages share. */
export class GatewayCore {
  readonly settings: Settings
  /** Names this gateway in Via: a request that has it went in a circle. */
  readonly pseudonym: string = `retriever-${randomBytes(6).toString('hex')}`
  readonly servers: Server[] = []
  readonly #clients: Clients
  readonly #ends = new Set<() => void>()
  #isClosed = false
  #open = 0

  constructor(settings: Settings) {
    this.settings = settings
    this.#clients = new Clients(settings.limits)
  }

  /** The ports of the servers that listen. */
  get ownPorts(): readonly number[] {
    return this.servers.flatMap((server) => portOf(server) ?? [])
  }

  /**
   * Calls `end` when the gateway closes, or now if it has closed. The function returned takes `end` back: with
   * AbortSignal.any() and a signal of the gateway, something of each request would stay.
   */
  untilClosed(end: () => void): () => void {
    if (this.#isClosed) end()
    else this.#ends.add(end)
    return () => void this.#ends.delete(end)
  }

  /** Ends all requests. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#ends) end()
    this.#ends.clear()
  }

  /**
   * Takes one of the places for requests; the function returned gives it back. Throws if all are taken, or if the
   * client has had enough. `address` is that of the client; absent for requests that come by no connection.
   */
  enter(address?: string): () => void {
    const leave = address === undefined ? null : this.#clients.enter(address)
    if (this.#open >= this.settings.limits.requests) {
      leave?.()
      throw new Refusal(503, 'The gateway answers as many requests as it may; try again.', [['Retry-After', '1']])
    }
    this.#open++
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#open--
      leave?.()
    }
  }
}

/** The port on which a server listens; null if it does not. */
export function portOf(server: Server): number | null {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : null
}
